"""An agent at work: it thinks for one thread, and any other thread may stop it."""

import threading
import time

from games.position import Position
from search.agent import Agent, Decision, Limits

STOP_EVERY = 0.002
"""Seconds between calls of `Agent.stop`, so that none falls just before the search begins."""


class Thinker:
    """One agent, its search in progress, and its pondering between moves."""

    def __init__(self, agent: Agent) -> None:
        """Owns the agent from now on."""
        self.agent = agent
        self._began: float | None = None
        self._pondering: threading.Thread | None = None

    def choose(
        self, position: Position, limits: Limits, avoid: frozenset[int] = frozenset()
    ) -> Decision:
        """The agent's move."""
        self._began = time.monotonic()
        try:
            return self.agent.choose(position, limits, avoid)
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
        """Think on in the background until `stop_pondering`."""
        self.stop_pondering()
        self._pondering = threading.Thread(
            target=self.agent.ponder, args=(position.copy(),), name="ponder", daemon=True
        )
        self._pondering.start()

    def stop_pondering(self) -> None:
        """Return when nothing is thought about any more."""
        thread, self._pondering = self._pondering, None
        while thread is not None and thread.is_alive():
            self.agent.stop()
            thread.join(STOP_EVERY)
