"""What the agents that search with nets share: which net is for what, and batches."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from pydantic import Field

import gtpcore
from games.base import Game, Player
from games.go import Go
from games.position import Move, Position
from search import go_passing
from search.agent import Ban, Decision, Limits, Nets, Report, has_planes
from search.board_net import BoardAgent
from search.tree_agent import Children, TreeAgent, TreeParams

GAMES_IN_MIND = 32
"""Lost games, of either player, that one who plays several at a time keeps apart."""


class NetTreeParams(TreeParams):
    """Parameters of every agent that searches a tree with nets."""

    batch_size: int = Field(
        16, ge=1, le=256, description="the most leaves that a thread has valued at once; 1: exact"
    )
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


class PuctParams(NetTreeParams):
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
    TURNS_TO_RESIGN: ClassVar[int] = 3
    """In Go, how many of a player's choices in a row must find the game lost."""
    params: NetTreeParams

    def __init__(self, params: NetTreeParams, nets: Nets | None = None) -> None:
        """Of no game it is known yet how lost it is."""
        super().__init__(params, nets)
        self._lost: dict[tuple[Player, tuple[Move, ...]], int] = {}
        """How many choices in a row found a game lost, by the player and the game so far."""

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
        """Forget the tree, and how lost earlier games were."""
        super().clear()
        self._lost.clear()

    def report(self) -> Report | None:
        """What the tree says, with the scores that the net expects."""
        report, view = super().report(), self.view
        if report is None or view is None or report.state is not view.state:
            return report
        return view.scored(report)

    def _resigns(self, best: gtpcore.ChildReport, children: Children) -> bool:
        """In Go not at once, nor early: who gives a handicap begins with a game that looks lost."""
        is_lost = super()._resigns(best, children)
        state = self.view.state if self.view else None
        turns = self._turns_lost(Player(state.current_player), is_lost) if state else 0
        if not is_lost or not isinstance(state, gtpcore.GoState):
            return is_lost
        is_late = 20 * len(self._moves) >= (4 + state.handicap) * state.size**2
        return is_late and turns >= self.TURNS_TO_RESIGN

    def _turns_lost(self, player: Player, is_lost: bool) -> int:
        """How many choices of `player` in a row, this one among them, found the game lost.

        Other players and other games may be asked about between, and one position more than once.
        """
        moves = self._moves
        of_game = {key: turns for key, turns in self._lost.items() if _begins(key, player, moves)}
        turns = of_game.get((player, moves)) or 1 + max(of_game.values(), default=0)
        for key in of_game:
            del self._lost[key]
        if not is_lost:
            return 0
        if len(self._lost) >= GAMES_IN_MIND:
            del self._lost[next(iter(self._lost))]
        self._lost[player, moves] = turns
        return turns

    @property
    def symmetry_seed(self) -> int | None:
        """The seed of the turns in which leaves are shown to a net."""
        return self._seed if self.params.symmetries else None

    def net(self, parameter: str) -> gtpcore.Net | None:
        """The net that a parameter names; None if it names none."""
        return self.nets.get(parameter)


def _begins(key: tuple[Player, tuple[Move, ...]], player: Player, moves: tuple[Move, ...]) -> bool:
    """True if `key` is of the same player, and of a game that `moves` go on from."""
    return key[0] == player and key[1] == moves[: len(key[1])]
