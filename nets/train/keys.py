"""Keys of positions, the same for all images of one; by them some are kept to test nets with.

None of the images of a position may be tested on if one was taught.
"""

import numpy as np
from numpy.typing import NDArray

from nets.symmetry import SYMMETRIES, Planes


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
