"""What the agents that search with nets share: which net is for what, and batches."""

import time
from collections.abc import Mapping
from typing import Any

from pydantic import Field

import gtpcore
from games.base import Game
from games.go import Go
from games.position import Position
from search import go_passing
from search.agent import Decision, Limits, Report, has_planes
from search.board_net import BoardAgent, usual_net
from search.tree_agent import TreeAgent, TreeParams


class NetTreeParams(TreeParams):
    """Parameters of every agent that searches a tree with nets."""

    batch_size: int = Field(
        16, ge=1, le=256, description="the most leaves that a thread has valued at once; 1: exact"
    )


class LeafNetParams(NetTreeParams):
    """Parameters of those among them that show leaves to a net, not only moves of rollouts."""

    symmetries: bool = Field(
        True,
        description="Go: show the net each leaf in a random orientation; Connect Four: also its "
        "mirror image",
    )
    images: int = Field(
        1,
        ge=1,
        le=8,
        description="Go: orientations in which the net is shown each leaf, for the mean; each "
        "takes its time",
    )

    def symmetry_seed(self, seed: int) -> int | None:
        """The seed of the turns in which leaves are shown to a net by an agent of this seed."""
        return seed if self.symmetries else None


class PuctParams(LeafNetParams):
    """Parameters of every agent that may select by PUCT."""

    c_puct: float = Field(
        1.25, ge=0, le=1e6, description="weight of the priors, values from -1 to 1"
    )
    fpu_reduction: float = Field(
        0.2,
        ge=0,
        le=1e6,
        description="first-play urgency: an untried move counts as its parent less this * "
        "sqrt(priors of tried moves)",
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
    params: NetTreeParams

    @classmethod
    def plays(cls, game: Game) -> bool:
        """Games that can be shown to a net."""
        return has_planes(game)

    @classmethod
    def defaults(cls, game: Game) -> Mapping[str, Any]:
        """In Go all agents have the same net, which knows when to give up."""
        return {"net": usual_net(game), "resign_below": -0.95} if isinstance(game, Go) else {}

    def choose(self, position: Position, limits: Limits) -> Decision:
        """Search, with care about passes in Go."""
        search, began = super().choose, time.monotonic()
        self.look_at(position)

        def searched() -> Decision:
            undeceived = self._undeceived(position, limits)
            return search(position, self.rest_of(undeceived, began))

        banned = limits.banned(position.to_move)
        decision = go_passing.with_care(position, banned, searched, self.judged_ownership)
        return self.told(position, decision)

    def analyze(self, position: Position, limits: Limits) -> None:
        """Search until `stop` or the limits."""
        self.look_at(position)
        super().analyze(position, self._undeceived(position, limits))

    def _undeceived(self, position: Position, limits: Limits) -> Limits:
        """`limits`, and a ban on a pass that the search would make too much of."""
        banned = limits.banned(position.to_move)
        deceptive = go_passing.deceptive_pass(position, self.judged_ownership, banned)
        return limits.banning(position.to_move, deceptive)

    def report(self) -> Report | None:
        """What the tree says, with the scores that the net expects."""
        report, view = super().report(), self.view
        if report is None or view is None or report.state is not view.state:
            return report
        return view.scored(report)

    def net(self, parameter: str) -> gtpcore.Net | None:
        """The net that a parameter names; None if it names none."""
        return self.nets.get(parameter)
