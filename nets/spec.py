"""What a net of a game takes and puts out."""

from dataclasses import dataclass
from typing import Final

import gtpcore
from games.base import Game


class NetError(ValueError):
    """A net that cannot be used; the text names it, what was expected and what was found."""

    def __init__(self, text: str) -> None:
        """What a terminal would obey is spelled out, as strangers chose some of these words."""
        super().__init__("".join(c if c.isprintable() else ascii(c)[1:-1] for c in text))


@dataclass(frozen=True)
class NetSpec:
    """The shapes of every net of one game.

    Input `planes` [B, *planes] float32, from the view of the player to move; row 0 is the lowest.
    Outputs, one or both: `policy` [B, num_actions], probabilities of all actions, legal or not;
    `value` [B, 1] from -1 to 1 for the player to move. A net of Go may add `score` [B, 1], the lead
    in points that the player to move will have, komi included, and `ownership` [B, height, width]
    from -1 to 1, which is 1 where that player will own the point.
    """

    game: str
    """As the command line has it."""
    planes: tuple[int, int, int]
    """Height, width, number of planes. A net of Go open in the first two serves all sizes."""
    num_actions: int

    @classmethod
    def of(cls, game: Game) -> "NetSpec":
        """What nets of `game`, with its options, have in common. Raises NetError if it has none."""
        state = game.new_state()
        if not isinstance(state, gtpcore.State) or state.plane_shape == (0, 0, 0):
            raise NetError(f"{game.spec.title} with these options cannot be shown to a net")
        return cls(game.spec.name, state.plane_shape, game.spec.num_actions)

    @property
    def shapes(self) -> "dict[str, tuple[int, ...]]":
        """The outputs that nets of the game may have, each with its shape without the batch."""
        shapes: dict[str, tuple[int, ...]] = {POLICY: (self.num_actions,), VALUE: (1,)}
        if self.game == "go":
            shapes |= {SCORE: (1,), OWNERSHIP: self.planes[:2]}
        return shapes


INPUT: Final = "planes"
POLICY: Final = "policy"
VALUE: Final = "value"
SCORE: Final = "score"
OWNERSHIP: Final = "ownership"
OUTPUTS: Final = (POLICY, VALUE, SCORE, OWNERSHIP)
"""The names of a net's input and outputs, in every format."""

ROLES: Final = {
    "fast_policy": (POLICY,),
    "strong_policy": (POLICY,),
    "policy_gradient": (POLICY,),
    "value": (VALUE,),
    "actor_critic": (POLICY, VALUE),
    "alphazero": (POLICY, VALUE),
    "alphazero_medium": OUTPUTS,
    "alphazero_large": OUTPUTS,
}
"""What the nets that ship are for, and the outputs of each; the last two are for Go from 12x12."""


def outputs_of(game: str, role: str) -> tuple[str, ...]:
    """The outputs of a net for `role`: those of ROLES, and for AlphaZero in Go all of OUTPUTS."""
    return OUTPUTS if (game, role) == ("go", "alphazero") else ROLES[role]
