"""A GTP engine as a subprocess, driven over pipes.

A thread reads the answers, so every wait has a timeout. Commands carry ids; an answer with another
id means that the engine has lost its place.
"""

import itertools
import re
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass, replace

from gtpbot.engines.child import (
    Child,
    EngineDiedError,
    EngineError,
    EngineTimeoutError,
    GarbledAnswerError,
)

_HEADER = re.compile(r"([=?])(\d*)(?:[ \t]+(.*))?")


class CommandFailedError(EngineError):
    """The engine answered with `?`; `text` is what it said."""

    def __init__(self, engine: str, command: str, text: str) -> None:
        """`engine` and `command` are for the message."""
        super().__init__(f"{engine} answered {command!r} with '? {text}'")
        self.text = text


@dataclass(frozen=True)
class Answer:
    """One answer of an engine."""

    id: str
    """As sent with the command; empty if there was none."""
    success: bool
    """True for `=`, False for `?`."""
    text: str
    """Without the final empty line and trailing blanks."""


def parse_answers(lines: Iterable[str]) -> Iterator[Answer]:
    """The answers in the lines that an engine writes; empty lines between them do not matter.

    What follows the last empty line is no answer yet. Raises GarbledAnswerError.
    """
    answer: Answer | None = None
    for line in lines:
        text = line.rstrip()
        if not text:
            if answer:
                yield answer
            answer = None
        elif answer:
            answer = replace(answer, text=f"{answer.text}\n{text}")
        else:
            answer = _parse_header(text)


def _parse_header(line: str) -> Answer:
    header = _HEADER.fullmatch(line)
    if not header:
        raise GarbledAnswerError(f"line {line[:80]!r}: expected an answer, beginning with = or ?")
    status, command_id, text = header.groups()
    return Answer(command_id, status == "=", text or "")


class Reply:
    """The answer to a command that was sent, once it is there."""

    def __init__(self, client: "GtpClient", command: str, future: "Future[str]") -> None:
        """Made by GtpClient.send."""
        self._client = client
        self._command = command
        self._future = future

    def text(self, timeout: float | None = None) -> str:
        """What the engine answered, waiting for `timeout` seconds, by default the client's.

        Raises CommandFailedError and every other EngineError.
        """
        seconds = self._client.timeout if timeout is None else timeout
        try:
            return self._future.result(min(seconds, threading.TIMEOUT_MAX))
        except FutureTimeoutError:
            self._client.check_alive()
            raise EngineTimeoutError(
                f"{self._client.name} has not answered {self._command!r} in {seconds:.3g} s"
            ) from None


class GtpClient:
    """Starts an engine and talks to it; a context manager, so that the engine surely ends.

    >>> import sys
    >>> with GtpClient([sys.executable, "-m", "gtpbot"]) as engine:
    ...     engine.ask("protocol_version")
    '2'
    """

    def __init__(self, command: str | Sequence[str], timeout: float = 60.0) -> None:
        """Start `command`, given as a shell would split it or in words.

        `timeout` is the longest wait for an answer, in seconds. Raises EngineDiedError if there
        is no such program.
        """
        self.timeout = timeout
        self._child = Child(command)
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        self._pending: deque[tuple[str, str, Future[str]]] = deque()
        self._failure: EngineError | None = None
        self._closed = False
        self._commands: frozenset[str] | None = None
        self._reader = threading.Thread(target=self._read, name=f"_read {self.name}", daemon=True)
        self._reader.start()

    def send(self, command: str) -> Reply:
        """Send a command without waiting; answers come in the order of the commands."""
        if not command.strip() or re.search(r"[\n\r#]", command):
            raise ValueError(f"command {command[:80]!r}: expected one line without a comment")
        future: Future[str] = Future()
        with self._lock:
            if self._failure:
                raise self._failure
            command_id = str(next(self._ids))
            self._pending.append((command_id, command, future))
            self._child.send(f"{command_id} {command}")
        return Reply(self, command, future)

    def ask(self, command: str, timeout: float | None = None) -> str:
        """Send a command and wait for its answer; see Reply.text."""
        return self.send(command).text(timeout)

    @property
    def name(self) -> str:
        """What messages call the engine; by default its command."""
        return self._child.name

    @name.setter
    def name(self, name: str) -> None:
        self._child.name = name

    @property
    def commands(self) -> frozenset[str]:
        """All that the engine lists as its commands; asked once. Raises EngineError."""
        if self._commands is None:
            self._commands = frozenset(self.ask("list_commands").split())
        return self._commands

    def check_alive(self) -> None:
        """Raise EngineDiedError if the process has ended."""
        self._child.check_alive()

    @property
    def stderr(self) -> Sequence[str]:
        """The last lines that the engine wrote to stderr."""
        return self._child.stderr

    @property
    def exit_code(self) -> int | None:
        """The exit code of the engine, negative for a signal; None while it runs."""
        return self._child.exit_code

    @property
    def is_ready(self) -> bool:
        """True if it runs, and has answered all that it was asked."""
        with self._lock:
            return not (self._failure or self._pending) and self.exit_code is None

    def close(self, patience: float = 2.0) -> None:
        """Ask the engine to quit; after `patience` seconds, kill it and whatever it started.

        May be called twice.
        """
        if not self._closed:
            self._closed = True
            self._failure = self._failure or EngineDiedError(f"{self.name} was closed")
            self._child.send("quit")
            self._child.finish()
        self._child.close(patience)
        self._reader.join(patience)

    def __enter__(self) -> "GtpClient":
        """The client itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close."""
        self.close()

    def _read(self) -> None:
        """Thread: answers from stdout to those who wait for them."""
        try:
            for answer in parse_answers(self._child.lines()):
                self._deliver(answer)
            self._fail(self._child.died())
        except GarbledAnswerError as error:
            self._fail(GarbledAnswerError(f"{self.name}: {error}"))
            self._child.discard()

    def _deliver(self, answer: Answer) -> None:
        with self._lock:
            if not self._pending and self._closed:
                return
            if not self._pending or answer.id != self._pending[0][0]:
                asked = " ".join(self._pending[0][:2])[:80] if self._pending else ""
                raise GarbledAnswerError(
                    f"answer {answer.text[:80]!r} with id {answer.id!r}: it was asked {asked!r}"
                )
            _, command, future = self._pending.popleft()
        if answer.success:
            future.set_result(answer.text)
        else:
            future.set_exception(CommandFailedError(self.name, command, answer.text))

    def _fail(self, failure: EngineError) -> None:
        """Nothing more will be answered."""
        with self._lock:
            self._failure = self._failure or failure
            waiting = list(self._pending)
            self._pending.clear()
        for _, _, future in waiting:
            future.set_exception(failure)
