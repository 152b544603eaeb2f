"""When to pass in Go: what an agent with playouts alone cannot see in the values of its moves.

A playout goes on until only eyes are left, so to a search all quiet moves are worth the same, a
pass among them. Here the end is recognised by ownership instead: the board is settled once nearly
every playout gives every point to the same player.
"""

from dataclasses import dataclass, replace
from typing import cast

import gtpcore
from games.base import Player
from games.go_status import judge
from games.position import Position
from search.agent import Decision

PLAYOUTS = 100
SETTLED = 0.5
"""The least ownership, from 0 to 1, of any point on a settled board."""
CERTAIN = 0.9
"""The least ownership of any point on a board where who is behind may give up."""
MARGIN = 0.5
"""How much better a pass must be, in value, than the best move on a board that is not settled."""


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


def outlook(position: Position) -> Outlook | None:
    """The outlook of a position of Go, or None if some point is still in doubt.

    There is something to gain where one is behind: dead stones that the rules do not remove can
    still be captured, and an opponent may err, unless all is certain. A needless move costs a point
    under territory scoring.
    """
    state = cast(gtpcore.GoState, position.state)
    ownership = min(map(abs, state.ownership(PLAYOUTS, seed=0)))
    if ownership < SETTLED:
        return None
    sign = 1 if state.current_player == Player.BLACK else -1
    cleared = sign * state.black_score(judge(state).dead)
    score = cleared if state.rules.remove_dead else sign * state.black_score()
    lost = ownership >= CERTAIN and cleared <= 0
    return Outlook(score, score > 0 or lost or state.rules.scoring == "territory")


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
