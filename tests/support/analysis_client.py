"""A server of KataGo's analysis protocol with an agent that knows all at once, and its client."""

import json
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from games.base import Game
from games.go import Go, GoOptions
from games.position import Position
from gtpbot.analysis.server import AnalysisServer
from search.agent import Agent, Candidate, Limits, Report
from tests.support.agents import ReportingAgent

OWNERS = [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, -1.0, -1.0, 0.0]
GO = {"boardXSize": 3, "boardYSize": 3, "komi": 0.5, "rules": "tromp-taylor"}


def known(position: Position) -> Report:
    b2 = Candidate(4, 90, 0.5, 0.25, (4, 0, 9), 0.0625, (90, 30, 2), score_to_move=2.5)
    a1 = Candidate(0, 9, -1.0, 0.125, (0,), deviation=0.0, variation_visits=(9,))
    return Report(position.to_move, (b2, a1), 100, 0.5)


class PatientAgent(ReportingAgent):
    """Knows at once what it knows; where no playouts limit it, it thinks until it is stopped."""

    def __init__(self) -> None:
        super().__init__(known, owners=OWNERS)
        self.begun = threading.Event()

    def analyze(self, position: Position, limits: Limits) -> None:
        self.asked.append(limits)
        self._shown = position
        self._ended.clear()
        self.begun.set()
        if limits.playouts == FOREVER:
            assert self._ended.wait(20), "nobody stopped this analysis"

    def report(self) -> Report | None:
        shown = self._shown
        return None if shown is None else replace(known(shown), state=shown.state)

    def clear(self) -> None:
        self._shown = None


FOREVER = 1000


class Client:
    """A server with one worker, and all that it answered."""

    def __init__(self, game: Game | None = None, workers: int = 1) -> None:
        self.told: list[Mapping[str, Any]] = []
        self.agents: list[PatientAgent] = []
        self.server = AnalysisServer(
            game or Go(GoOptions(size=3)), self._agent, self.told.append, workers
        )

    def _agent(self, game: Game) -> Agent:
        self.agents.append(PatientAgent())
        return self.agents[-1]

    def ask(self, **query: Any) -> None:
        self.server.serve(json.dumps({"id": "q"} | query).encode())

    def answers(self, *queries: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """All answers to queries."""
        for query in queries:
            self.ask(**query)
        self.server.finish()
        return self.told
