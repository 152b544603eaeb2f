"""When to pass in Go: what agents cannot see, or not at once, in the values of their moves.

A playout goes on until only eyes are left, so to a search with playouts all quiet moves are worth
the same, a pass among them. Here the end is recognised by ownership instead: the board is settled
once nearly every playout gives every point to the same player. A net knows when to pass; it is
checked that the pass does not lose, and an opponent who passes is not made to wait for the end.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

import gtpcore
from games.go import Go
from games.go_status import agreed_score, judge, owners_of
from games.position import Position
from search.agent import Candidate, Decision

PLAYOUTS = 100
SETTLED = 0.5
"""The least ownership, from 0 to 1, of any point on a settled board."""
CERTAIN = 0.9
"""The least ownership of any point on a board where who is behind may give up."""
MARGIN = 0.5
"""How much better a pass must be, in value, than the best move on a board that is not settled."""


Judged: TypeAlias = Callable[[Position], Sequence[float] | None]
"""Whose each point of a position will be, or None if only playouts can tell, as in `owners_of`."""


@dataclass(frozen=True)
class Outlook:
    """How a settled game would end if both passed now."""

    score_to_move: float
    """Points ahead, for the player to move, after dead stones are removed if the rules have it."""
    may_pass: bool
    """True if nothing is left to gain by a move."""

    @property
    def value_to_move(self) -> float:
        """1 if the player to move wins, 0 if it is a draw, -1 if it loses."""
        return float((self.score_to_move > 0) - (self.score_to_move < 0))


def unjudged(_: Position) -> None:
    """By playouts alone."""


def outlook(position: Position, judged: Judged = unjudged) -> Outlook | None:
    """The outlook of a position of Go, or None if some point depends on who moves next.

    There is something to gain where one is behind, unless all is certain: dead stones that the
    rules do not remove can still be captured, and an opponent may err, or have to fill its own
    territory, which ownership does not show.
    """
    views = [_owners(position, judged)]
    if _certainty(views) >= SETTLED:
        views.append(_owners(_after_pass(position), judged))
    certainty = _certainty(views)
    if certainty < SETTLED:
        return None
    state, sign = cast(gtpcore.GoState, position.state), position.to_move.sign
    status = judge(state, judged(position))
    cleared = sign * state.black_score(status.dead, status.seki)
    score = cleared if state.rules.remove_dead else sign * state.black_score()
    lost = certainty >= CERTAIN and cleared <= 0
    return Outlook(score, score > 0 or lost)


def _owners(position: Position, judged: Judged) -> Sequence[float]:
    return owners_of(cast(gtpcore.GoState, position.state), judged(position), PLAYOUTS)


def _certainty(views: Sequence[Sequence[float]]) -> float:
    """How sure all views are of whose the point is that they are least sure of, from 0 to 1."""
    sure: list[float] = [max(min(point), -max(point), 0.0) for point in zip(*views, strict=True)]
    return min(sure)


def reconsidered(decision: Decision, pass_action: int) -> Decision:
    """`decision`, which was for the best move but a pass; or the pass, if any move costs the game.

    So it is with a seki, which is never settled, and which whoever plays there first loses.
    """
    first = decision.candidates[0]
    best_value = decision.value_to_move
    if first.action != pass_action or best_value is None:
        return decision
    if first.value_to_move - best_value < MARGIN:
        return decision
    return replace(decision, action=pass_action, value_to_move=first.value_to_move)


def with_care(
    position: Position, banned: frozenset[int], choose: Callable[[], Decision], judged: Judged
) -> Decision:
    """What `choose` says, for agents that know themselves when to pass, in any game.

    In Go, a pass is answered by a pass at once where nothing is left to gain, and a pass that loses
    gives way to the next best move. `choose` is trusted to leave out what is `banned`.
    """
    pass_action = position.state.num_actions - 1
    if not isinstance(position.game, Go) or pass_action in banned:
        return choose()
    if wins_by_passing(position):
        return Decision(pass_action, 1.0)
    if _is_passed_to(position):
        found = outlook(position, judged)
        if found and found.may_pass:
            return Decision(pass_action, found.value_to_move)
    decision = choose()
    others = [each for each in decision.candidates if each.action != pass_action]
    if decision.action != pass_action or not others or not _loses(position, judged):
        return decision
    return _instead(decision, others[0])


def wins_by_passing(position: Position) -> bool:
    """True if a pass ends a game of Go that is won as the board stands.

    So it is under rules by which all stones count, as if alive, however the game would go on.
    Raises GameOverError.
    """
    position.check_open()
    if not _is_passed_to(position):
        return False
    end = cast(gtpcore.GoState, _after_pass(position).state)
    is_count = end.is_terminal and not end.rules.remove_dead
    return is_count and position.to_move.sign * end.black_score() > 0


def deceptive_pass(position: Position, judged: Judged, banned: frozenset[int]) -> frozenset[int]:
    """The pass, where the opponent has passed and it wins or draws by dead stones alone.

    A search with nets takes the board as it stands for the result once both have passed, and would
    look into little else. Empty in other games, and where nothing else makes sense that is not
    banned: a search that may look into nothing looks into everything.
    """
    if not isinstance(position.game, Go) or not _is_passed_to(position):
        return frozenset()
    state = cast(gtpcore.GoState, position.state)
    counted = position.to_move.sign * state.black_score()
    passing = frozenset({state.num_actions - 1})
    is_all = banned.union(passing).issuperset(state.candidates())
    if counted < 0 or is_all or _score_at_end(position, judged) >= 0:
        return frozenset()
    return passing


def _is_passed_to(position: Position) -> bool:
    """True if the last move of a game of Go was a pass."""
    return bool(position.moves) and position.moves[-1].action == position.state.num_actions - 1


def _after_pass(position: Position) -> Position:
    """The other player is to move there, or would be if the game were not over."""
    after = position.copy()
    after.play(position.to_move, position.state.num_actions - 1)
    return after


def _score_at_end(position: Position, judged: Judged) -> float:
    """Points ahead, for the player to move, as will be agreed on if both pass now."""
    end = _after_pass(position) if _is_passed_to(position) else position
    return position.to_move.sign * agreed_score(cast(gtpcore.GoState, end.state), judged(end))


def _loses(position: Position, judged: Judged) -> bool:
    """True if the player to move would lose if both passed now, and not all is certain.

    A settled board is left to the search under territory scoring, as a needless move costs a point.
    """
    if _score_at_end(position, judged) >= 0:
        return False
    found = outlook(position, judged)
    is_costly = cast(gtpcore.GoState, position.state).rules.scoring == "territory"
    return found is None or not (found.may_pass or is_costly)


def _instead(decision: Decision, other: Candidate) -> Decision:
    value = other.value_to_move if other.visits else decision.value_to_move
    return replace(decision, action=other.action, value_to_move=value)
