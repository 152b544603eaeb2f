"""The `minimax` and `alphabeta` agents: they look at every move, as far ahead as they are told.

Both choose the same moves; alphabeta skips what cannot matter, and so looks about twice as far.
Where the game does not end within their sight they ask the state for its heuristic value. The
formula is in `core/search/exact.hpp`.
"""

import random
import time
from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

import gtpcore
from games.position import Position
from search.agent import Agent, AgentParams, Candidate, Decision, Limits, Nets, Report

DEEPEST = 1000


class ExactParams(AgentParams):
    """Parameters of both. Limits of time and playouts hold beside the depth."""

    playouts: int | None = Field(
        None, ge=1, lt=2**63, description="positions visited a move; none: no such limit"
    )
    seconds: float | None = Field(
        None, gt=0, description="seconds a move; none: 1 if nothing else limits the search"
    )
    heuristic: bool = Field(
        True, description="judge what lies beyond by the game's heuristic; else it counts as drawn"
    )


class ExactAgent(Agent):
    """What the two have in common: one `gtpcore.ExactSearch`. A playout is a position visited."""

    PRUNE: ClassVar[bool]
    params: ExactParams

    def __init__(self, params: ExactParams, nets: Nets | None = None) -> None:
        """Ties are broken by a generator seeded with `params.seed`."""
        super().__init__(params, nets)
        self._random = random.Random(params.seed)
        self._search = gtpcore.ExactSearch(self.PRUNE, params.heuristic)
        self._stopped = False

    @property
    @abstractmethod
    def depth(self) -> int | None:
        """Moves to look ahead; None: until the limits end it."""

    def choose(self, position: Position, limits: Limits) -> Decision:
        """A move of the greatest value: of sure wins the quickest, of sure losses the slowest."""
        wanted = position.legal_actions(limits.banned(position.to_move))
        # A depth is limit enough.
        most = self.usual_limits(limits) if self.depth is None else self.own_limits(limits)
        start = time.monotonic()
        report = self._search.run(
            position.state, wanted, depth=self.depth, nodes=most.playouts, seconds=most.seconds
        )
        decision = Decision(
            self._random.choice(report.best),
            report.value_to_move if report.depth else None,
            report.nodes,
            time.monotonic() - start,
        )
        self._report = Report.of(position.to_move, decision, position.state)
        return decision

    def analyze(self, position: Position, limits: Limits) -> None:
        """Look at each move by itself, which takes longer than to choose one, ever further ahead.

        As far as `depth`, or without limit if that is none; one move ahead whatever the limits.
        """
        self._stopped = False
        wanted = position.legal_actions(limits.banned(position.to_move))
        first, left = _Budget(Limits()), _Budget(limits)
        for depth in range(1, (self.depth or DEEPEST) + 1):
            looks: dict[int, gtpcore.ExactReport] = {}
            for action in wanted:
                look = self._look(position, action, depth, first if depth == 1 else left)
                if self._stopped or not (look.proven or look.depth == depth):
                    return
                looks[action] = look
            left.spent = max(left.spent, first.spent)
            self._report = _reported(position, looks, left.spent)
            if all(look.proven for look in looks.values()):
                return

    def _look(
        self, position: Position, action: int, depth: int, left: "_Budget"
    ) -> gtpcore.ExactReport:
        look = self._search.run(
            position.state, [action], depth=depth, nodes=left.nodes, seconds=left.seconds
        )
        left.spent += look.nodes
        return look

    def stop(self) -> None:
        """End the search in progress; its last full look counts."""
        self._stopped = True
        self._search.stop()


class _Budget:
    """What is left of limits."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._start = time.monotonic()
        self.spent = 0
        """Positions visited."""

    @property
    def nodes(self) -> int | None:
        most = self._limits.playouts
        return None if most is None else max(0, most - self.spent)

    @property
    def seconds(self) -> float | None:
        most = self._limits.seconds
        return None if most is None else max(0.0, self._start + most - time.monotonic())


def _reported(position: Position, looks: Mapping[int, gtpcore.ExactReport], nodes: int) -> Report:
    candidates = [
        Candidate(action, look.nodes, look.value_to_move, 0.0, (action,))
        for action, look in looks.items()
    ]
    candidates.sort(key=lambda candidate: -candidate.value_to_move)
    best = candidates[0].value_to_move
    return Report(position.to_move, tuple(candidates), nodes, best, state=position.state)


class MinimaxParams(ExactParams):
    """Parameters of `minimax`."""

    depth: int = Field(3, ge=1, le=1000, description="moves to look ahead")


class MinimaxAgent(ExactAgent):
    """Plain minimax."""

    name = "minimax"
    Params = MinimaxParams
    PRUNE = False
    params: MinimaxParams

    @property
    def depth(self) -> int:
        """As the params say."""
        return self.params.depth


class AlphaBetaParams(ExactParams):
    """Parameters of `alphabeta`."""

    depth: int | None = Field(
        None, ge=0, le=1000, description="moves to look ahead; none or 0: until the game is solved"
    )


class AlphaBetaAgent(ExactAgent):
    """Alpha-beta with a table of positions."""

    name = "alphabeta"
    Params = AlphaBetaParams
    PRUNE = True
    params: AlphaBetaParams

    @property
    def depth(self) -> int | None:
        """As the params say."""
        return self.params.depth or None
