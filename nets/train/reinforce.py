"""Policy gradient by self-play: REINFORCE with a baseline (Williams, 1992).

A net plays both sides of many games and raises the probability of each move by its advantage: how
much better than the baseline the game ended for who made it. The gradient of
`-advantage * log(policy(action))` is that of a cross-entropy with a weight, which every backend of
Keras trains by itself.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gtpcore import State
from nets.symmetry import SYMMETRIES
from nets.train.fit import Figures, Model, generator
from nets.train.keys import position_keys
from nets.train.lockstep import (
    Moves,
    Policy,
    either,
    one_hot,
    opened,
    play,
    stochastic,
    uniform,
)
from nets.train.records import Batch
from nets.train.supervised import outputs, train_on

REPEATS = 8
"""Games from each opening; their mean is the baseline, so that luck in openings counts nothing."""


@dataclass
class Reinforce:
    """Lesson: a batch of games by the net against itself, with legal moves drawn by its policy."""

    model: Model
    game: str
    new_state: Callable[[], State]
    games: int
    """Wanted a step."""
    opening: int
    """The most random moves that a game begins with, which nothing is learned from."""
    explore: float
    """The share of moves that are any legal ones, lest a policy that is sure never sees others."""
    batch: int
    """Moves of one step of the optimizer; all moves of the games are used."""
    seed: int
    excluded: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))
    """Keys of positions that are played and judged like others, but not learned from."""

    @property
    def played(self) -> int:
        """Games of a step: those wanted, rounded up to a multiple of REPEATS."""
        return -(-self.games // REPEATS) * REPEATS

    def draw(self, number: int) -> np.random.Generator:
        """What the games of a step are drawn by; the rest is up to the net."""
        return generator(self.seed, "self-play", number)

    def step(self, rng: np.random.Generator) -> Figures:
        """Play, then learn from each move once."""
        openings = opened(self.new_state, self.played // REPEATS, self.opening, rng)
        starts = [state.clone() for state in openings for _ in range(REPEATS)]
        player = either(stochastic(policy_of(self.model)), uniform, self.explore)
        moves = play(starts, (player, player), rng)
        allowed = self._allowed(moves)
        self._learn(moves[allowed], self.advantages(moves)[allowed], rng)
        return {"black_value": _black_value(moves), "moves": len(moves) / len(starts)}

    def examine(self) -> Figures:
        """Nothing: what counts is how the net plays once it has learned."""
        return {}

    def advantages(self, moves: Moves) -> NDArray[np.float32]:
        """[N]: how much better each game ended for its mover than those of its opening did."""
        side = moves.game // REPEATS * 2 + moves.player
        means = np.bincount(side, moves.value) / np.maximum(np.bincount(side), 1)
        return np.asarray(moves.value - means[side], np.float32)

    def _allowed(self, moves: Moves) -> NDArray[np.bool_]:
        if not len(self.excluded):
            return np.ones(len(moves), bool)
        return ~np.isin(position_keys(self.game, moves.planes), self.excluded)

    def _learn(
        self, moves: Moves, advantages: NDArray[np.float32], rng: np.random.Generator
    ) -> None:
        count = -(-len(moves) // self.batch) * self.batch
        order = np.resize(rng.permutation(len(moves)), count)  # the last batch has no room left
        actions = len(SYMMETRIES[self.game][0].actions)
        for index in order.reshape(-1, self.batch):
            chosen = moves[index]
            batch = Batch(chosen.planes, one_hot(chosen.action, actions), chosen.value)
            train_on(self.model, batch, self._weights(advantages[index]))

    def _weights(self, advantages: NDArray[np.float32]) -> Mapping[str, NDArray[Any]]:
        return {"policy": advantages, "value": np.ones_like(advantages)}


def freeze_normalization(model: Model) -> Model:
    """Make a net learn with the very policy it plays with, whatever the batch; before compiling.

    Otherwise batch normalization would see the moves of a few games as all there are.
    """
    import keras

    for layer in model.layers:
        if isinstance(layer, keras.layers.BatchNormalization):
            layer.trainable = False
    return model


def policy_of(model: Model) -> Policy:
    """The policy of a net, as it is whenever asked."""
    return lambda planes: outputs(model, planes)["policy"]


def _black_value(moves: Moves) -> float:
    """How the games ended for Black on average."""
    _, first = np.unique(moves.game, return_index=True)
    sign = np.where(moves.player[first] == 0, 1, -1)
    return float((moves.value[first] * sign).mean())
