"""What the agents that search with nets share: which net is for what, and batches."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from pydantic import Field

import gtpcore
from games.base import Game
from games.go import Go
from games.position import Position
from search import go_passing
from search.agent import Ban, Decision, Limits, Report, has_planes
from search.board_net import BoardAgent
from search.tree_agent import Children, TreeAgent, TreeParams


class NetTreeParams(TreeParams):
    """Parameters of every agent that searches a tree with nets."""

    batch_size: int = Field(
        16, ge=1, le=256, description="the most leaves that a thread has valued at once; 1: exact"
    )
    symmetries: bool = Field(
        True,
        description="in Go, show each leaf to the net in a random orientation; in Connect Four, "
        "also as its mirror image, and take the mean",
    )


class PuctParams(NetTreeParams):
    """Parameters of every agent that may select by PUCT."""

    c_puct: float = Field(
        1.25, ge=0, le=1e6, description="weight of the priors, values from -1 to 1"
    )
    fpu_reduction: float = Field(
        0.2,
        ge=0,
        le=1e6,
        description="first-play urgency: an untried move counts as its parent less this * sqrt(sum "
        "of the priors of tried moves)",
    )

    def puct(self, by_spread: float = 0.0) -> gtpcore.Puct:
        """The rule with these parameters.

        The pseudocode of AlphaZero has 1.25 too, but for values from 0 to 1, which would be 2.5
        here; nets as sure of their moves as those that ship choose worse by it.
        """
        return gtpcore.Puct(self.c_puct, self.fpu_reduction, by_spread)


class NetTreeAgent(BoardAgent, TreeAgent):
    """A tree agent whose leaves are valued in batches by a `gtpcore.NetEvaluator`."""

    MIN_PLAYOUTS_TO_RESIGN = 32
    TURNS_TO_RESIGN: ClassVar[int] = 3
    """In Go, how many choices in a row must find the game lost."""
    params: NetTreeParams
    _lost_turns: int = 0
    """How many choices in a row found the game lost."""

    @classmethod
    def plays(cls, game: Game) -> bool:
        """Games that can be shown to a net."""
        return has_planes(game)

    @classmethod
    def defaults(cls, game: Game) -> Mapping[str, Any]:
        """Go has one net for all, which knows when to give up."""
        return {"net": "alphazero", "resign_below": -0.95} if isinstance(game, Go) else {}

    def choose(
        self, position: Position, limits: Limits, avoid: frozenset[int] = frozenset()
    ) -> Decision:
        """Search, with care about passes in Go."""
        search = super().choose
        self.look_at(position)

        def searched() -> Decision:
            deceptive = self._deceptive(position, limits, avoid)
            bans = tuple(Ban(position.to_move, action, 1) for action in deceptive)
            return search(position, replace(limits, bans=limits.bans + bans), avoid)

        decision = go_passing.with_care(position, avoid, searched, self.judged_ownership)
        return self.told(position, decision)

    def analyze(
        self, position: Position, limits: Limits, avoid: frozenset[int] = frozenset()
    ) -> None:
        """Search until `stop` or the limits."""
        self.look_at(position)
        super().analyze(position, limits, avoid | self._deceptive(position, limits, avoid))

    def _deceptive(
        self, position: Position, limits: Limits, avoid: frozenset[int]
    ) -> frozenset[int]:
        """What the search is not to look at either."""
        banned = {ban.action for ban in limits.bans if ban.player == position.to_move and ban.plies}
        return go_passing.deceptive_pass(position, self.judged_ownership, avoid | banned)

    def clear(self) -> None:
        """Forget the tree, and how lost an earlier game was."""
        super().clear()
        self._lost_turns = 0

    def report(self) -> Report | None:
        """What the tree says, with the scores that the net expects."""
        report, view = super().report(), self.view
        if report is None or view is None or report.state is not view.state:
            return report
        return view.scored(report)

    def _resigns(self, best: gtpcore.ChildReport, children: Children) -> bool:
        """In Go not at once, nor early: who gives a handicap begins with a game that looks lost."""
        is_lost = super()._resigns(best, children)
        self._lost_turns = self._lost_turns + 1 if is_lost else 0
        state = self.view.state if self.view else None
        if not is_lost or not isinstance(state, gtpcore.GoState):
            return is_lost
        is_late = 20 * len(self._moves) >= (4 + state.handicap) * state.size**2
        return is_late and self._lost_turns >= self.TURNS_TO_RESIGN

    @property
    def symmetry_seed(self) -> int | None:
        """The seed of the turns in which leaves are shown to a net."""
        return self._seed if self.params.symmetries else None

    def net(self, parameter: str) -> gtpcore.Net | None:
        """The net that a parameter names; None if it names none."""
        return self.nets.get(parameter)
