"""An analysis engine of KataGo's JSON protocol as a subprocess, asked about many positions at once.

`katago analysis` is one, and so is `gtpbot analysis`.
"""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from queue import Empty, SimpleQueue
from typing import Any

from gtpbot.engines.child import Child, EngineError, EngineTimeoutError, GarbledAnswerError

Query = Mapping[str, Any]
"""With an `id` of its own, and the numbers of the positions asked about as `analyzeTurns`."""
Told = Mapping[str, Any]
"""What the engine has to say of one position, or an error."""


class AnalysisClient:
    """Starts an engine and asks it; a context manager, so that the engine surely ends."""

    def __init__(self, command: str | Sequence[str], patience: float) -> None:
        """Start `command`, given as a shell would split it or in words.

        `patience` is the longest wait for the next answer, in seconds. Raises EngineDiedError if
        there is no such program.
        """
        self._child = Child(command)
        self._patience = patience
        self._heard: SimpleQueue[Told | EngineError] = SimpleQueue()
        self._reader = threading.Thread(target=self._read, name="analysis", daemon=True)
        self._reader.start()

    def answers(self, queries: Sequence[Query]) -> Iterator[Told]:
        """What the engine tells of each position of some queries, in the order that it has.

        What it refuses is answered by an object with `error` in it: one for the query, or one for a
        position, with its `turnNumber`. Warnings, and what it tells while it still searches, are
        passed over. Raises EngineError.
        """
        due = {query["id"]: len(query["analyzeTurns"]) for query in queries}
        for query in queries:
            self._child.send(json.dumps(query))
        while due:
            told = self._next()
            if "warning" in told or told.get("isDuringSearch"):
                continue
            about = told.get("id")
            if not isinstance(about, str) or about not in due:
                raise GarbledAnswerError(f"{self._child.name}: {_cut(told)}: nobody asked for it")
            refused = "error" in told and "turnNumber" not in told
            due[about] = 0 if refused else due[about] - 1
            if not due[about]:
                del due[about]
            yield told

    def _next(self) -> Told:
        try:
            told = self._heard.get(timeout=min(self._patience, threading.TIMEOUT_MAX))
        except Empty:
            raise EngineTimeoutError(
                f"{self._child.name} has told nothing for {self._patience:.3g} s"
            ) from None
        if isinstance(told, EngineError):
            raise told
        return told

    def _read(self) -> None:
        """Thread: answers from stdout to the one who waits for them."""
        try:
            for line in self._child.lines():
                self._heard.put(self._parsed(line))
            self._heard.put(self._child.died())
        except GarbledAnswerError as error:
            self._heard.put(error)
            self._child.discard()

    def _parsed(self, line: str) -> Told:
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            told = None
        if not isinstance(told, dict):
            expected = "expected an answer, an object of JSON"
            raise GarbledAnswerError(f"{self._child.name}: line {line[:80]!r}: {expected}")
        return told

    def __enter__(self) -> "AnalysisClient":
        """The client itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """End the engine, which is not waited for if it still has something to tell."""
        self._child.finish()
        self._child.close(patience=2.0)
        self._reader.join(2.0)


def _cut(told: Told) -> str:
    return json.dumps(told)[:200]
