"""What a net of a game takes and puts out."""

from dataclasses import dataclass
from typing import Final

import gtpcore
from games.base import Game


class NetError(ValueError):
    """A net that cannot be used; the text names it, what was expected and what was found."""


@dataclass(frozen=True)
class NetSpec:
    """The shapes of every net of one game.

    Input `planes` [B, *planes] float32, from the view of the player to move; row 0 is the lowest.
    Outputs, one or both: `policy` [B, num_actions], probabilities of all actions, legal or not;
    `value` [B, 1] from -1 to 1 for the player to move.
    """

    game: str
    """As the command line has it."""
    planes: tuple[int, int, int]
    """Height, width, number of planes."""
    num_actions: int

    @classmethod
    def of(cls, game: Game) -> "NetSpec":
        """What nets of `game`, with its options, have in common. Raises NetError if it has none."""
        state = game.new_state()
        if not isinstance(state, gtpcore.State) or state.plane_shape == (0, 0, 0):
            raise NetError(f"{game.spec.title} with these options cannot be shown to a net")
        return cls(game.spec.name, state.plane_shape, game.spec.num_actions)


INPUT: Final = "planes"
POLICY: Final = "policy"
VALUE: Final = "value"
"""The names of a net's input and outputs, in every format."""

ROLES: Final = {
    "fast_policy": (POLICY,),
    "strong_policy": (POLICY,),
    "policy_gradient": (POLICY,),
    "value": (VALUE,),
    "actor_critic": (POLICY, VALUE),
    "alphazero": (POLICY, VALUE),
}
"""What the nets that ship are for, and the outputs of each."""
