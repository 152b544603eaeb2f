"""How well a policy plays: matches in lockstep, for the model cards."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gtpcore import State
from nets.train.lockstep import Choose, black_values, opened, play


class Score(NamedTuple):
    """Games of a match, for the player named first."""

    won: int
    drawn: int
    lost: int

    def __str__(self) -> str:
        """Such as `87 won, 1 drawn, 12 lost`."""
        return f"{self.won} won, {self.drawn} drawn, {self.lost} lost"


def match(
    one: Choose,
    other: Choose,
    new_state: Callable[[], State],
    games: int,
    opening: int,
    rng: np.random.Generator,
) -> Score:
    """The score of `one` in an even number of games, half of them as Black.

    Games come in pairs with colours swapped, after up to `opening` random moves.
    """
    starts = opened(new_state, games // 2, opening, rng)
    as_black, as_white = starts, [state.clone() for state in starts]
    play(as_black, (one, other), rng)
    play(as_white, (other, one), rng)
    results = np.concatenate([black_values(as_black), -black_values(as_white)])
    return Score(*(int((results == result).sum()) for result in (1, 0, -1)))
