"""The fast policy of Go learns by softmax regression from games: one weight a feature.

The features are those of `core/games/go/move_features.hpp`, the file that of
`core/games/go/fast_policy.hpp`; the policy is the rollout policy of AlphaGo (Silver et al.,
Mastering the game of Go with deep neural networks and tree search, 2016, Extended Data Table 4).
It learns from the label's moves, those left out that it never chooses: passes and own eyes.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nets.train.go_records import GoGames

Floats = NDArray[np.float32]

KIND_SHIFT = 29
"""Above which bit of a key its kind is."""
PLAIN, SHAPE = 1, 2
PLAIN_KEYS = np.arange(59, dtype=np.uint32) + np.uint32(PLAIN << KIND_SHIFT)
SELF_ATARI = slice(54, 58)
"""Of PLAIN_KEYS: these weigh at most 0."""
RARE_SHAPE = 58
"""Of PLAIN_KEYS: stands for shapes that have no weight of their own."""
LEAST_KNOWN = 0.5
"""Of the label's probability, on moves that a policy may choose; other positions are left out."""
FEATURES = 8
"""Columns of the features of a move."""


@dataclass(frozen=True)
class Examples:
    """P positions with N candidate moves in all."""

    keys: NDArray[np.uint32]
    """[N, FEATURES]: the features of each move, 0 in the places left."""
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
        return Examples(np.zeros((0, FEATURES), np.uint32), np.zeros(1, np.intp), _none())
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
    keys: NDArray[np.uint32] = field(
        default_factory=lambda: np.concatenate([np.zeros(1, np.uint32), PLAIN_KEYS])
    )
    """[K], ascending; the first is no feature, then come PLAIN_KEYS."""
    seen: NDArray[np.int64] = field(default_factory=lambda: np.zeros(60, np.int64))
    """[K]"""
    weights: NDArray[np.float64] = field(default_factory=lambda: np.zeros(60))
    """[K]"""
    squares: NDArray[np.float64] = field(default_factory=lambda: np.full(60, 1e-6))
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
        known[1 : 1 + len(PLAIN_KEYS)] = True
        known[0] = False
        return known

    def places(self, keys: NDArray[np.uint32]) -> NDArray[np.intp]:
        """Where each feature has its weight; 0 for those that have none."""
        place = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        known = self.known()[place] & (self.keys[place] == keys)
        is_shape = keys >> KIND_SHIFT == SHAPE
        return np.where(known, place, np.where(is_shape, 1 + RARE_SHAPE, 0))

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
        at_most_0 = self.weights[1:][SELF_ATARI]
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
        is_shape = self.keys >> KIND_SHIFT == SHAPE  # without a weight it would be a rare one
        kept = self.known() & (is_shape | (np.abs(self.weights) >= 0.5 / 1024))
        units = np.clip(np.round(self.weights[kept] * 1024), -32768, 32767)
        body: bytes = self.keys[kept].astype("<u4").tobytes() + units.astype("<i2").tobytes()
        return b"GOFAST01" + struct.pack("<IQ", int(kept.sum()), _fnv1a(body)) + body

    def state(self) -> dict[str, NDArray[Any]]:
        """What `restore` needs to go on."""
        return {name: getattr(self, name) for name in self.STATE}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on where another left off."""
        for name in self.STATE:
            setattr(self, name, state[name])


def _fnv1a(body: bytes) -> int:
    total = 0xCBF29CE484222325
    for byte in body:
        total = (total ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return total
