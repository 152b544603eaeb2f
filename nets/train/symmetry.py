"""The symmetries of each game, and a key of a position that is the same for all its images.

A symmetry changes neither the value of a position nor, once moved along, its best moves. So each
position teaches a net as many as there are, and none of them may be tested on if one was taught.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

Planes = NDArray[np.generic]
"""[B, H, W, C] of any type."""


@dataclass(frozen=True)
class Symmetry:
    """One way to move a board onto itself."""

    planes: Callable[[Planes], Planes]
    """Moves planes [B, H, W, C]."""
    actions: NDArray[np.intp]
    """[A]: which old action each new one was."""

    def policy(self, policy: NDArray[np.generic]) -> NDArray[np.generic]:
        """Moves probabilities [B, A] along."""
        return policy[:, self.actions]


def _turned(times: int, flip: bool) -> Callable[[Planes], Planes]:
    def move(planes: Planes) -> Planes:
        turned = np.rot90(planes, times, axes=(1, 2))
        return turned[:, :, ::-1] if flip else turned

    return move


def _square(side: int) -> tuple[Symmetry, ...]:
    """The eight of a square board whose actions are its points, row by row."""
    points = np.arange(side * side).reshape(1, side, side, 1)
    moves = [_turned(times, flip) for flip in (False, True) for times in range(4)]
    return tuple(Symmetry(move, move(points).astype(np.intp).ravel()) for move in moves)


@cache
def go_symmetries(side: int) -> tuple[Symmetry, ...]:
    """The eight of a Go board; its last action, the pass, stays. The first changes nothing."""
    return tuple(
        Symmetry(symmetry.planes, np.append(symmetry.actions, side * side))
        for symmetry in _square(side)
    )


def _columns(width: int) -> tuple[Symmetry, ...]:
    """The board as it is and in a mirror, where actions are columns."""
    columns = np.arange(width)
    return Symmetry(_turned(0, False), columns), Symmetry(_turned(0, True), columns[::-1])


def _none(actions: int) -> tuple[Symmetry, ...]:
    return (Symmetry(_turned(0, False), np.arange(actions)),)


SYMMETRIES: Mapping[str, tuple[Symmetry, ...]] = {
    "coin": _none(2),
    "tictactoe": _square(3),
    "connect4": _columns(7),
}
"""Of each game that nets are trained for; the first one changes nothing."""


def position_keys(game: str, planes: Planes) -> NDArray[np.uint64]:
    """[B]: a hash of each position of planes [B, H, W, C], equal for all its symmetric images."""
    images = [_hash(symmetry.planes(planes)) for symmetry in SYMMETRIES[game]]
    keys: NDArray[np.uint64] = np.minimum.reduce(images)
    return _mixed(keys)


def held_out(keys: NDArray[np.uint64], share: float) -> NDArray[np.bool_]:
    """Which positions belong to the `share` that nets are tested on and never trained on.

    Depends on the position alone, so that the two sets stay apart whoever makes them, and when.
    """
    return keys < np.uint64(min(share * 2.0**64, 2.0**64 - 2048))


def _hash(planes: Planes) -> NDArray[np.uint64]:
    bits = np.packbits(planes.reshape(len(planes), -1) != 0, axis=1)
    padding = -bits.shape[1] % 8
    words = np.pad(bits, ((0, 0), (0, padding))).view("<u8")
    keys = np.zeros(len(planes), np.uint64)
    for word in words.T:
        keys = _mixed(keys ^ word)
    return keys


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finalizer of SplitMix64 (Steele, Lea and Flood, 2014), so that every bit counts."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
