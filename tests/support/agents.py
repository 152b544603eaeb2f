"""Agents for tests."""

import threading
from collections.abc import Callable

from games.position import Position
from search.agent import Agent, AgentParams, Decision, Limits


class PonderParams(AgentParams):
    ponder: bool = False


class StoppableAgent(Agent):
    """Thinks until it is stopped, and then plays the first legal move.

    `thinking` and `pondering` are set while it does so. A `stop` before the search begins is lost,
    as the contract of agents allows.
    """

    name = "stoppable"
    Params = PonderParams

    def __init__(self, ponder: bool = False) -> None:
        super().__init__(PonderParams(ponder=ponder))
        self.thinking = threading.Event()
        self.pondering = threading.Event()
        self._stopped = threading.Event()

    def choose(
        self, position: Position, limits: Limits, avoid: frozenset[int] = frozenset()
    ) -> Decision:
        self._think(self.thinking)
        return Decision(position.state.legal_actions()[0])

    def ponder(self, position: Position) -> None:
        self._think(self.pondering)

    def stop(self) -> None:
        self._stopped.set()

    def _think(self, busy: threading.Event) -> None:
        self._stopped.clear()
        busy.set()
        assert self._stopped.wait(timeout=20), "nobody stopped this search"
        busy.clear()


class CallbackAgent(Agent):
    """Plays what a function says; None resigns."""

    name = "callback"
    Params = AgentParams

    def __init__(self, decide: Callable[[Position, Limits, frozenset[int]], int | None]) -> None:
        super().__init__(AgentParams())
        self._decide = decide

    def choose(
        self, position: Position, limits: Limits, avoid: frozenset[int] = frozenset()
    ) -> Decision:
        return Decision(self._decide(position, limits, avoid))
