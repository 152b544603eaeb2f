"""Positions to learn from, each with a policy and a value: packed in memory, in shards on disk.

A plane holds only zeros and ones, so a position takes a bit a cell; ten million of Connect Four
fit into a gigabyte, and what is drawn from them for a step is unpacked then. On disk they lie in a
folder of shards, `00000.npz` and so on, each complete or not there at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nets.train.arrays import UNREADABLE, read_arrays, write_arrays
from nets.train.errors import RecordsError
from nets.train.keys import held_out, position_keys

CHUNK = 65_536
"""Positions unpacked at once."""


@dataclass(frozen=True)
class Batch:
    """Some positions, ready for a net."""

    planes: NDArray[np.uint8]
    """[B, H, W, C] of 0 and 1, from the view of the player to move."""
    policy: NDArray[np.float32]
    """[B, A]: how good moves are to be chosen; rows sum to 1."""
    value: NDArray[np.float32]
    """[B]: from -1 to 1 for the player to move."""


@dataclass(frozen=True)
class Records:
    """Positions of one game."""

    bits: NDArray[np.uint8]
    """[N, ceil(H * W * C / 8)]: the planes."""
    policy: NDArray[np.float16]
    """[N, A]"""
    value: NDArray[np.float16]
    """[N]"""
    shape: tuple[int, int, int]
    """H, W, C"""

    @classmethod
    def pack(cls, planes: ArrayLike, policy: ArrayLike, value: ArrayLike) -> "Records":
        """Records of planes [N, H, W, C], policies [N, A] and values [N]. Raises RecordsError."""
        cells = np.asarray(planes)
        if cells.ndim != 4 or not np.isin(cells, (0, 1)).all():
            raise RecordsError(f"planes of shape {cells.shape}: expected [N, H, W, C] of 0 and 1")
        height, width, channels = cells.shape[1:]
        bits = np.packbits(cells.reshape(len(cells), -1).astype(bool), axis=1)
        policies, values = np.asarray(policy, np.float16), np.asarray(value, np.float16)
        return cls(bits, policies, values, (height, width, channels))._checked()

    def __len__(self) -> int:
        """How many positions there are."""
        return len(self.value)

    def __getitem__(self, index: NDArray[Any]) -> "Records":
        """Those at an array of places, or those where an array of bools says so."""
        return Records(self.bits[index], self.policy[index], self.value[index], self.shape)

    def batch(self, index: NDArray[Any] | slice = slice(None)) -> Batch:
        """Some of them, unpacked."""
        return Batch(
            self._cells(index),
            self.policy[index].astype(np.float32),
            self.value[index].astype(np.float32),
        )

    def keys(self, game: str) -> NDArray[np.uint64]:
        """[N]: the keys of the positions, as `position_keys` has them."""
        starts = range(0, len(self), CHUNK)
        parts = [position_keys(game, self._cells(slice(i, i + CHUNK))) for i in starts]
        return np.concatenate([np.zeros(0, np.uint64), *parts])

    def save(self, path: Path) -> None:
        """Write a shard, whole or not at all."""
        fields = {name: getattr(self, name) for name in ("bits", "policy", "value")}
        write_arrays(path, {**fields, "shape": np.array(self.shape)})

    @classmethod
    def load(cls, path: Path) -> "Records":
        """Read a shard. Raises RecordsError."""
        try:
            arrays = read_arrays(path)
            height, width, channels = (int(side) for side in arrays.pop("shape"))
            return cls(**arrays, shape=(height, width, channels))._checked()
        except UNREADABLE as error:
            raise RecordsError(
                f"{path}: expected a shard of records: {error}; "
                "give its --stage with --again to make it anew"
            ) from None

    @staticmethod
    def join(parts: Sequence["Records"]) -> "Records":
        """All positions of at least one part, in order. Raises RecordsError if games differ."""
        kinds = {(part.shape, part.policy.shape[1]) for part in parts}
        if len(kinds) != 1:
            raise RecordsError(f"records of (planes, actions) {kinds}: expected those of one game")
        bits, policy, value = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("bits", "policy", "value")
        )
        return Records(bits, policy, value, parts[0].shape)

    def split(self, game: str, share: float) -> tuple["Records", "Records"]:
        """Those to train on, and about a `share` of all to test on, as `held_out` has it."""
        test = held_out(self.keys(game), share)
        return self[~test], self[test]

    def _cells(self, index: NDArray[Any] | slice) -> NDArray[np.uint8]:
        count = int(np.prod(self.shape))
        cells = np.unpackbits(self.bits[index], axis=1, count=count)
        return cells.reshape(-1, *self.shape)

    def _checked(self) -> "Records":
        width = -(-int(np.prod(self.shape)) // 8)
        count = len(self.bits)
        if self.bits.shape != (count, width) or self.bits.dtype != np.uint8:
            raise RecordsError(f"planes packed as {self.bits.shape}: expected [N, {width}] bytes")
        if self.policy.ndim != 2 or len(self.policy) != count or self.value.shape != (count,):
            raise RecordsError(
                f"policies {self.policy.shape} and values {self.value.shape}: "
                f"expected [{count}, A] and [{count}]"
            )
        sums = self.policy.sum(axis=1, dtype=np.float32)
        if not ((self.policy >= 0).all() and np.allclose(sums, 1, atol=0.01)):
            raise RecordsError("policies: expected probabilities that sum to 1")
        if not (np.abs(self.value) <= 1).all():
            raise RecordsError("values: expected numbers from -1 to 1")
        return self


def distinct(records: Records, game: str) -> Records:
    """The first of each position, symmetric images counted as one."""
    return records[np.sort(np.unique(records.keys(game), return_index=True)[1])]


def shard_path(folder: Path, number: int) -> Path:
    """Where a shard lies."""
    return folder / f"{number:05}.npz"


def shards(folder: Path) -> list[Path]:
    """Those of a folder, in order."""
    return sorted(folder.glob("[0-9]*.npz"))


def read_folder(folder: Path) -> Records:
    """All positions of all shards. Raises RecordsError if there are none."""
    parts = [Records.load(path) for path in shards(folder)]
    if not parts:
        raise RecordsError(f"{folder}: expected shards of records, found none")
    return Records.join(parts)
