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
MARGIN = 0.5
"""How much better a pass must be, in value, than the best move on a board that is not settled."""


@dataclass(frozen=True)
class Outlook:
    """How a settled game would end if both passed now."""

    score_to_move: float
    """Points ahead, for the player to move, after dead stones are removed if the rules have it."""
    moves_cost_points: bool
    """True under territory scoring, where a needless move loses a point."""

    @property
    def value_to_move(self) -> float:
        """1 if the player to move wins, 0 if it is a draw, -1 if it loses."""
        return float((self.score_to_move > 0) - (self.score_to_move < 0))

    @property
    def may_pass(self) -> bool:
        """True if nothing is left to gain by a move."""
        return self.score_to_move > 0 or self.moves_cost_points


def outlook(position: Position) -> Outlook | None:
    """The outlook of a position of Go, or None if some point is still in doubt."""
    state = cast(gtpcore.GoState, position.state)
    if min(map(abs, state.ownership(PLAYOUTS, seed=0))) < SETTLED:
        return None
    black_score = state.black_score(judge(state).dead if state.rules.remove_dead else [])
    return Outlook(
        score_to_move=black_score if state.current_player == Player.BLACK else -black_score,
        moves_cost_points=state.rules.scoring == "territory",
    )


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
