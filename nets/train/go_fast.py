"""The fast policy of Go learns by softmax regression from games: one weight a feature.

The features are those of `core/games/go/move_features.hpp`, the file that of
`core/games/go/fast_policy.hpp`; the policy is the rollout policy of AlphaGo (Silver et al.,
Mastering the game of Go with deep neural networks and tree search, 2016, Extended Data Table 4).
It learns from the label's moves, those left out that it never chooses: passes and own eyes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gtpcore import GoFastPolicy
from nets.train.go_records import GoGames

Floats = NDArray[np.float32]

FIRST_KEYS = np.array([0, *range(GoFastPolicy.PLAIN, GoFastPolicy.RARE_SHAPE + 1)], dtype=np.uint32)
"""No feature, and then the plain ones, which always have a weight."""
RARE_SHAPE = len(FIRST_KEYS) - 1
"""The place of the one that stands for shapes that have no weight of their own."""
SELF_ATARI = slice(RARE_SHAPE - (GoFastPolicy.RARE_SHAPE - GoFastPolicy.SELF_ATARI), RARE_SHAPE)
"""The places of those that weigh at most 0."""
LEAST_KNOWN = 0.5
"""Of the label's probability, on moves that a policy may choose; other positions are left out."""


@dataclass(frozen=True)
class Examples:
    """P positions with N candidate moves in all."""

    keys: NDArray[np.uint32]
    """[N, MOST_FEATURES]: the features of each move, 0 in the places left."""
    start: NDArray[np.intp]
    """[P + 1]: position p has the moves start[p] to start[p + 1]."""
    target: Floats
    """[N]: how likely each is to be chosen; those of a position add up to 1."""

    def __len__(self) -> int:
        """How many positions there are."""
        return len(self.start) - 1


def examples(games: GoGames, share: float, rng: np.random.Generator) -> Examples:
    """About this share of the positions of a shard, in a random order. Raises RecordsError."""
    found = list(_examples(games, rng.random(len(games)) < share))
    order = rng.permutation(len(found))
    rows = [found[place] for place in order]
    if not rows:
        return Examples(
            np.zeros((0, GoFastPolicy.MOST_FEATURES), np.uint32), np.zeros(1, np.intp), _none()
        )
    return Examples(
        keys=np.concatenate([features for features, _ in rows]),
        start=np.cumsum([0, *(len(target) for _, target in rows)]),
        target=np.concatenate([target for _, target in rows]),
    )


def _none() -> Floats:
    return np.zeros(0, np.float32)


def _examples(
    games: GoGames, wanted: NDArray[np.bool_]
) -> Iterator[tuple[NDArray[np.uint32], Floats]]:
    for game, (first, end) in enumerate(zip(games.start[:-1], games.start[1:], strict=True)):
        state = games.state(game, 0)
        for index in range(first, end):
            if wanted[index]:
                moves = state.move_features()
                target = games.policy(np.array([index]))[0, moves[:, 0]]
                known = float(target.sum())
                if known >= LEAST_KNOWN:
                    yield moves[:, 1:].copy(), target / known
            state.apply_action(int(games.moves[index]))


@dataclass
class FastPolicy:
    """The weights while they learn, by AdaGrad; features get one once they are seen often enough.

    Duchi, Hazan and Singer, Adaptive subgradient methods, 2011.
    """

    least_seen: int
    """How often a feature must have been seen, moves of all positions counted."""
    rate: float
    keys: NDArray[np.uint32] = field(default_factory=FIRST_KEYS.copy)
    """[K], ascending; they begin with FIRST_KEYS."""
    seen: NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(FIRST_KEYS), np.int64))
    """[K]"""
    weights: NDArray[np.float64] = field(default_factory=lambda: np.zeros(len(FIRST_KEYS)))
    """[K]"""
    squares: NDArray[np.float64] = field(default_factory=lambda: np.full(len(FIRST_KEYS), 1e-6))
    """[K]: the sum of the squares of all gradients."""

    STATE = ("keys", "seen", "weights", "squares")

    def count(self, keys: NDArray[np.uint32]) -> None:
        """Make room for features, and count them."""
        new, times = np.unique(keys, return_counts=True)
        joined = np.union1d(self.keys, new)
        places = np.searchsorted(joined, self.keys)
        for name, start in (("seen", 0), ("weights", 0), ("squares", 1e-6)):
            old = getattr(self, name)
            grown = np.full(len(joined), start, old.dtype)
            grown[places] = old
            setattr(self, name, grown)
        self.keys = joined
        self.seen[np.searchsorted(joined, new)] += times

    def known(self) -> NDArray[np.bool_]:
        """[K]: which features have a weight."""
        known: NDArray[np.bool_] = self.seen >= self.least_seen
        known[: len(FIRST_KEYS)] = True
        known[0] = False
        return known

    def places(self, keys: NDArray[np.uint32]) -> NDArray[np.intp]:
        """Where each feature has its weight; 0 for those that have none."""
        place = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        known = self.known()[place] & (self.keys[place] == keys)
        is_shape = (keys >= GoFastPolicy.SHAPE) & (keys < GoFastPolicy.DIAMOND)
        return np.where(known, place, np.where(is_shape, RARE_SHAPE, 0))

    def shares(self, places: NDArray[np.intp], start: NDArray[np.intp]) -> NDArray[np.float64]:
        """[N]: the softmax over the moves of each position."""
        sums = self.weights[places].sum(axis=1)
        first, lengths = start[:-1], np.diff(start)
        sums -= np.repeat(np.maximum.reduceat(sums, first), lengths)
        powers = np.exp(sums)
        shares: NDArray[np.float64] = powers / np.repeat(np.add.reduceat(powers, first), lengths)
        return shares

    def teach(self, places: NDArray[np.intp], start: NDArray[np.intp], target: Floats) -> None:
        """One step of the optimizer."""
        error = (self.shares(places, start) - target) / (len(start) - 1)
        every = np.repeat(error, places.shape[1])
        gradient = np.bincount(places.ravel(), every, minlength=len(self.keys))
        gradient[0] = 0
        self.squares += gradient**2
        self.weights -= self.rate * gradient / np.sqrt(self.squares)
        at_most_0 = self.weights[SELF_ATARI]
        np.minimum(at_most_0, 0, out=at_most_0)

    def learn(self, found: Examples, batch: int) -> None:
        """All examples, once."""
        self.count(found.keys)
        places = self.places(found.keys)
        for first in range(0, len(found), batch):
            start = found.start[first : first + batch + 1]
            rows = slice(start[0], start[-1])
            self.teach(places[rows], start - start[0], found.target[rows])

    def examine(self, found: Examples) -> dict[str, float]:
        """`accuracy`, how often its first choice is the label's; `log_loss`, cross-entropy."""
        shares = self.shares(self.places(found.keys), found.start)
        right = [
            shares[first:end].argmax() == found.target[first:end].argmax()
            for first, end in zip(found.start[:-1], found.start[1:], strict=True)
        ]
        loss = -(found.target * np.log(shares)).sum() / len(found)
        return {"accuracy": float(np.mean(right)), "log_loss": float(loss)}

    def file(self) -> bytes:
        """The weights as the core reads them."""
        known = self.known()
        return GoFastPolicy.encode(self.keys[known], self.weights[known])

    def state(self) -> dict[str, NDArray[Any]]:
        """What `restore` needs to go on."""
        return {name: getattr(self, name) for name in self.STATE}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on where another left off."""
        for name in self.STATE:
            setattr(self, name, state[name])
