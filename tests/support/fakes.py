"""A net whose answers a test makes up."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

import gtpcore
from games.base import Game

Planes = NDArray[np.float32]


class FakeNet:
    """Gives every position the same `priors`, and the value that `value` says of its planes."""

    def __init__(
        self,
        game: Game,
        priors: Sequence[float] | None = None,
        value: float | Callable[[Planes], float] = 0.0,
    ) -> None:
        state = game.new_state()
        assert isinstance(state, gtpcore.State)
        self.shape = state.plane_shape
        self.priors = np.array(priors or [1.0] * state.num_actions, np.float32)
        self.priors /= self.priors.sum()
        self.value = value
        self.batches: list[int] = []
        """How many positions were asked about, call by call."""
        self.seen: list[bytes] = []
        """Each position asked about, as its planes."""

    def __call__(self, planes: Planes) -> tuple[Planes, Planes]:
        assert planes.shape[1:] == self.shape and planes.dtype == np.float32
        self.batches.append(len(planes))
        self.seen += [position.tobytes() for position in planes]
        values = [self.value if isinstance(self.value, float) else self.value(p) for p in planes]
        return np.tile(self.priors, (len(planes), 1)), np.array(values, np.float32)

    def native(self, memory: int = 0) -> gtpcore.Net:
        """As a search takes it; remembers `memory` positions."""
        return gtpcore.Net(
            self, self.shape, len(self.priors), has_policy=True, has_value=True, memory=memory
        )
