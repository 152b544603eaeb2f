"""Agents for tests."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from games.position import Position
from search.agent import Agent, AgentParams, Decision, Limits, Report


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
        self.pondered = 0
        """How often it began to."""
        self._stopped = threading.Event()

    def choose(self, position: Position, limits: Limits) -> Decision:
        self._think(self.thinking)
        return Decision(position.state.legal_actions()[0])

    def ponder(self, position: Position) -> None:
        self.pondered += 1
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

    def __init__(self, decide: Callable[[Position, Limits], int | None]) -> None:
        super().__init__(AgentParams())
        self._decide = decide

    def choose(self, position: Position, limits: Limits) -> Decision:
        return Decision(self._decide(position, limits))


class ReportingAgent(Agent):
    """Thinks until it is stopped, or told of `reports` in turn; then plays the first one's best.

    Each report is a function of the position. Whose points are is known without a playout.
    """

    name = "reporting"
    Params = AgentParams

    def __init__(
        self, *reports: Callable[[Position], Report], owners: Sequence[float] | None = None
    ) -> None:
        super().__init__(AgentParams())
        self._reports = reports
        self._owners = owners
        self._told = 0
        self._shown: Position | None = None
        self._ended = threading.Event()
        self.asked: list[Limits] = []
        """What was asked, question by question."""

    def choose(self, position: Position, limits: Limits) -> Decision:
        self.analyze(position, limits)
        return Decision(self._reports[0](position).candidates[0].action)

    def analyze(self, position: Position, limits: Limits) -> None:
        self.asked.append(limits)
        self._ended.clear()
        self._told, self._shown = 0, position
        assert self._ended.wait(timeout=20), "nobody stopped this analysis"

    def report(self) -> Report | None:
        if self._shown is None:
            return None
        number = min(self._told, len(self._reports) - 1)
        self._told += 1
        if self._told == len(self._reports):
            self._ended.set()
        return replace(self._reports[number](self._shown), state=self._shown.state)

    def judged_ownership(self, position: Position) -> Sequence[float] | None:
        return self._owners

    def stop(self) -> None:
        self._ended.set()


class FakeListener:
    """Hears the next line after so many seconds of a clock that only waiting moves."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._now = 100.0

    def now(self) -> float:
        return self._now

    def pass_by(self, seconds: float) -> None:
        """Let time go by in which nobody waits."""
        self._now += seconds

    def wait(self, seconds: float) -> bool:
        left = 100.0 + self._seconds - self._now
        self._now += min(max(seconds, 0.0), max(left, 0.0))
        return seconds >= left
