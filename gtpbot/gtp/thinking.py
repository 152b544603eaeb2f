"""An agent at work: it thinks for one thread, and any other thread may stop it."""

import threading
import time
from collections.abc import Callable

from games.position import Position
from search.agent import Agent, Decision, Limits

STOP_EVERY = 0.002
"""Seconds between calls of `Agent.stop`, so that none falls just before the search begins."""

LONGEST_WAIT = 1e6
"""Seconds; no system waits for years."""


class Thinker:
    """One agent, its search in progress, and what it thinks about in the background."""

    def __init__(self, agent: Agent) -> None:
        """Owns the agent from now on."""
        self.agent = agent
        self._began: float | None = None
        self._background: threading.Thread | None = None
        self._error: Exception | None = None
        self._decision: Decision | None = None

    def choose(self, position: Position, limits: Limits) -> Decision:
        """The agent's move."""
        self._began = time.monotonic()
        try:
            return self.agent.choose(position, limits)
        finally:
            self._began = None

    def seconds_thinking(self) -> float:
        """How long the search in progress has lasted; 0 if there is none."""
        began = self._began
        return time.monotonic() - began if began is not None else 0.0

    def stop(self) -> None:
        """Ask the search in progress, if there is one, for what it has."""
        if self._began is not None:
            self.agent.stop()

    def ponder(self, position: Position) -> None:
        """Think on in the background until `rest`."""
        board = position.copy()
        self._begin("ponder", lambda: self.agent.ponder(board))

    def analyze(self, position: Position, limits: Limits) -> None:
        """Analyze in the background until `rest`; `agent.report` tells what is known."""
        board = position.copy()
        self._begin("analyze", lambda: self._guarded(self.agent.analyze, board, limits))

    def decide(self, position: Position, limits: Limits) -> None:
        """Choose a move in the background; `decision` waits for it."""
        board = position.copy()
        self._begin("decide", lambda: self._guarded(self._decide, board, limits))

    def decision(self) -> Decision:
        """The move chosen since `decide`. Raises what the agent raised."""
        while not self.wait(LONGEST_WAIT):
            pass
        self.check()
        assert self._decision is not None, "decide() comes first"
        return self._decision

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until the thinking in the background ends; True if it has."""
        thread = self._background
        if thread is not None:
            thread.join(min(max(seconds, 0.0), LONGEST_WAIT))
        return thread is None or not thread.is_alive()

    def check(self) -> None:
        """Raise what the thinking in the background raised, if it did."""
        error, self._error = self._error, None
        if error is not None:
            raise error

    def rest(self) -> None:
        """Return when nothing is thought about in the background any more."""
        thread, self._background = self._background, None
        while thread is not None and thread.is_alive():
            self.agent.stop()
            thread.join(STOP_EVERY)

    def _begin(self, name: str, think: Callable[[], None]) -> None:
        self.rest()
        self._error = self._decision = None
        self._background = threading.Thread(target=think, name=name, daemon=True)
        self._background.start()

    def _decide(self, position: Position, limits: Limits) -> None:
        self._decision = self.choose(position, limits)

    def _guarded(
        self, think: Callable[[Position, Limits], None], position: Position, limits: Limits
    ) -> None:
        try:
            think(position, limits)
        except Exception as error:
            self._error = error
