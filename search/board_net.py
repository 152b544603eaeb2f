"""Nets of Go that say more than a search asks: who leads by how much, and whose each point is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import gtpcore
from games.base import Player, State, after
from games.go import Go
from games.go_status import agreed_score
from games.position import Position
from search.agent import Agent, Report

MEDIUM, LARGE = 12, 14
"""Points a side from which on boards have nets of their own."""


def usual_net(game: Go) -> str:
    """The net that ships for such a board.

    Each of them plays on boards of all sizes. So small a net plays better where most of what it has
    room for is about boards of a like size (`docs/experiments.md` has the matches).
    """
    if game.spec.width >= LARGE:
        return "alphazero_large"
    return "alphazero_medium" if game.spec.width >= MEDIUM else "alphazero"


@dataclass(frozen=True)
class BoardOpinion:
    """What a net expects of the end of a game."""

    score_to_move: float | None = None
    """Points ahead, komi included, for the player to move; None if the net has no such output."""
    ownership: Sequence[float] | None = None
    """Of each point, row * width + column, from -1 for White to 1 for Black; None likewise."""


SYMMETRIES = range(8)
"""Ways to turn a board: 1 mirrors the rows, 2 the columns, 4 swaps the two; sums do each."""


@dataclass(frozen=True)
class BareOpinion:
    """All that a net says of one position; None for what it has not."""

    policy: Sequence[float] | None
    """The probabilities of all actions, illegal ones too."""
    value_to_move: float | None
    board: BoardOpinion


class BoardNet(gtpcore.Net):
    """A net that may be asked about the whole board too."""

    def get_ready(self, threads: int) -> None:
        """Begin to prepare for a search by so many threads; it may begin before that is done."""

    def mean(self, state: gtpcore.State) -> BareOpinion:
        """Its opinion of a position of any game, on average over all symmetric images of it."""
        raise NotImplementedError

    def bare(self, state: gtpcore.GoState, symmetry: int) -> BareOpinion:
        """Its opinion of a position that it is shown turned by one of SYMMETRIES."""
        raise NotImplementedError

    def scores_to_move(self, states: Sequence[gtpcore.GoState]) -> Sequence[float]:
        """Its score in each of some positions, as in BoardOpinion; none if it has none."""
        raise NotImplementedError


class BoardView:
    """What a net says of the board in one position and after its moves; asks it once for each."""

    def __init__(self, net: gtpcore.Net | None, state: State) -> None:
        """Of any net and any game; where that is no BoardNet, or not Go, nothing is known."""
        self._net = net if isinstance(net, BoardNet) else None
        self.state = state
        self._scores: dict[int, float] = {}  # after moves, as the net has them
        self._results: dict[int, float] = {}  # of games that moves end

    @cached_property
    def mean(self) -> BareOpinion | None:
        """All that the net says of the position, in any game that nets are shown."""
        net, state = self._net, self.state
        return net.mean(state) if net and isinstance(state, gtpcore.State) else None

    @property
    def opinion(self) -> BoardOpinion:
        """Of the position."""
        mean = self.mean if isinstance(self.state, gtpcore.GoState) else None
        return mean.board if mean else BoardOpinion()

    def scored(self, report: Report) -> Report:
        """A report of the position with the scores that the net expects, alike before each move.

        A net thinks better of the player to move than it will after his move: its leads swing from
        one position to the next, by three points and more where a stone costs one of territory. So
        half of what it takes back after the move expected is no one's; what the best move comes to
        is the lead before it, too.
        """
        own = self.opinion.score_to_move
        if own is None:
            return report
        tried = [each.action for each in report.candidates if each.visits]
        if not tried:
            return replace(report, score_to_move=own)
        self._ask(tried)
        swing = self._swing(own, tried)
        scores = {action: score + swing for action, score in self._scores.items()} | self._results
        return replace(
            report,
            candidates=tuple(
                replace(each, score_to_move=scores.get(each.action)) for each in report.candidates
            ),
            score_to_move=scores[tried[0]],
        )

    def _swing(self, own: float, tried: Sequence[int]) -> float:
        """Half of what the net takes back after the best of these, or its own move if not tried.

        A search may have been kept from the net's own move, and other moves may lose points.
        """
        self._ask(self._likeliest)
        expected = self._likeliest if not {*self._likeliest} <= {*tried} else tried
        return next((own - self._scores[a] for a in expected if a in self._scores), 0.0) / 2

    @cached_property
    def _likeliest(self) -> Sequence[int]:
        """The legal move that the net would make, if it has a policy."""
        policy = self.mean.policy if self.mean else None
        return [max(self.state.legal_actions(), key=policy.__getitem__)] if policy else []

    def _ask(self, actions: Sequence[int]) -> None:
        state = cast(gtpcore.GoState, self.state)
        known = self._scores.keys() | self._results.keys()
        new = {action: after(state, action) for action in actions if action not in known}
        over = {action: moved for action, moved in new.items() if moved.is_terminal}
        going = {action: moved for action, moved in new.items() if action not in over}
        sign = Player(state.current_player).sign
        for action, moved in over.items():  # of which a net knows nothing
            self._results[action] = sign * agreed_score(moved, self.opinion.ownership)
        if going and self._net is not None:
            answers = self._net.scores_to_move(list(going.values()))
            self._scores |= {a: -answer for a, answer in zip(going, answers, strict=False)}


class BoardAgent(Agent):
    """An agent whose `net` may judge the whole board."""

    view: BoardView | None = None
    """Of the position that it was shown last."""

    def judged_ownership(self, position: Position) -> Sequence[float] | None:
        """As the net has it."""
        return self._view_of(position).opinion.ownership

    def judged_value(self, position: Position) -> float | None:
        """As the net has it, in any game."""
        mean = self._view_of(position).mean
        return mean.value_to_move if mean else None

    def judged_score(self, position: Position) -> float | None:
        """As the net has it."""
        return self._view_of(position).opinion.score_to_move

    def look_at(self, position: Position) -> BoardView:
        """Take `position` for the one shown."""
        self.view = self._view_of(position)
        return self.view

    def _view_of(self, position: Position) -> BoardView:
        """Of any position; what is known of the one shown stays known."""
        if self.view is not None and self.view.state is position.state:
            return self.view
        return BoardView(self.nets.get("net"), position.state)
