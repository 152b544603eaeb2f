"""Advantage actor-critic by self-play, of a net with both outputs.

As REINFORCE, but the baseline is the net's own value of the position, which learns from the same
games (Sutton and Barto, Reinforcement Learning, 2018, chapter 13; with whole games instead of
single steps, as they are short).
"""

import numpy as np
from numpy.typing import NDArray

from nets.train.lockstep import Moves
from nets.train.reinforce import Reinforce
from nets.train.supervised import outputs


class ActorCritic(Reinforce):
    """Lesson: as `Reinforce`, for a net of a policy and a value."""

    def advantages(self, moves: Moves) -> NDArray[np.float32]:
        """[N]: how much better each game ended for its mover than the net thought it would."""
        return moves.value - outputs(self.model, moves.planes.astype(np.float32))["value"]
