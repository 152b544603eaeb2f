"""Positions of Go drawn from shards, never all in memory: what is drawn depends on numbers alone.

The shards of a size are dealt into windows, each small enough for memory. An epoch goes through the
windows in an order of its own, and through the positions of a window, each once, in an order of
its own too. So the batch of any number can be had without those before it, and a run that was
killed goes on with the very positions that it would have had.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nets.train.ahead import Recent
from nets.train.errors import RecordsError
from nets.train.fit import generator
from nets.train.go_records import GoBatch, GoGames, count_positions
from nets.train.go_trace import traced

SIZES = r"^N:S(,N:S)*$".replace("N", r"\d{1,2}").replace("S", r"(\d+\.?\d*|\.\d+)")
"""How shares of board sizes are written."""
CYCLE = 100
"""Steps after which the board sizes have had their shares."""


@dataclass
class Stream:
    """Batches of positions of one board size."""

    shards: Sequence[Path]
    batch: int
    """Positions of a batch; the last ones of a window, too few for one, are left out."""
    window: int
    """Shards of a window."""
    seed: int
    trace: float = 0.0
    """How far labels reach back, as in `traced`."""
    held: int = 1
    """Windows in memory at once: two if several threads draw, of which some are in the next one."""
    _windows: list[list[Path]] = field(init=False, repr=False)
    _batches: list[int] = field(init=False, repr=False)
    """Of each window."""
    _held: Recent[tuple[int, int], "Window"] = field(init=False, repr=False)
    """The windows in memory, by the numbers of their epochs and their own."""
    _read: Recent[int, Sequence[GoGames]] = field(init=False, repr=False)
    """Their games, which the next epoch may want at once."""

    def __post_init__(self) -> None:
        """Deal the shards into windows."""
        dealt = generator(self.seed, "windows", 0).permutation(len(self.shards))
        counts = count_positions(self.shards)
        parts = np.array_split(dealt, -(-len(dealt) // self.window))
        self._windows = [[self.shards[shard] for shard in part] for part in parts]
        self._batches = [max(1, sum(counts[i] for i in part) // self.batch) for part in parts]
        self._held, self._read = Recent(self.held), Recent(self.held)

    @property
    def epoch(self) -> int:
        """Batches of an epoch."""
        return sum(self._batches)

    def draw(self, number: int, turns: np.random.Generator | None = None) -> GoBatch:
        """The batch of this number, each position in a symmetric image drawn by `turns`, if given.

        May be called in several threads. Raises RecordsError.
        """
        epoch, place = divmod(number, self.epoch)
        order = generator(self.seed, "order", epoch).permutation(len(self._windows))
        ends = np.cumsum([self._batches[window] for window in order])
        turn = int(np.searchsorted(ends, place, side="right"))
        window = int(order[turn])
        first = (place - (int(ends[turn]) - self._batches[window])) * self.batch
        return self._held((epoch, window), self._load).batch(
            slice(first, first + self.batch), turns
        )

    def _load(self, place: tuple[int, int]) -> "Window":
        epoch, number = place
        parts = self._read(number, self._parts)
        rng = generator(self.seed, f"window {number}", epoch)
        return Window(parts, rng.permutation(sum(map(len, parts))))

    def _parts(self, number: int) -> Sequence[GoGames]:
        return GoGames.join([traced(GoGames.load(p), self.trace) for p in self._windows[number]])


@dataclass(frozen=True)
class Window:
    """The positions of some games, in an order drawn at random."""

    parts: Sequence[GoGames]
    order: NDArray[np.intp]

    def batch(self, places: slice, turns: np.random.Generator | None = None) -> GoBatch:
        """The positions at these places of the order, grouped by the kinds of games."""
        index = self.order[places]
        ends = np.cumsum([len(part) for part in self.parts])
        owner = np.searchsorted(ends, index, side="right")
        index, owner = (each[np.argsort(owner, kind="stable")] for each in (index, owner))
        images = turns.integers(8, size=len(index)) if turns else np.zeros(len(index))
        return GoBatch.join(
            [
                part.batch(
                    index[owner == number] - (ends[number] - len(part)),
                    images[owner == number].astype(np.uint8),
                )
                for number, part in enumerate(self.parts)
                if (owner == number).any()
            ]
        )


@dataclass(frozen=True)
class Turns:
    """Which board size each step has: all by their shares in every CYCLE of steps."""

    shares: Mapping[int, float]
    seed: int

    def turn(self, number: int) -> tuple[int, int]:
        """The size at a step, and how many steps before had that size."""
        cycle, place = divmod(number, CYCLE)
        sizes = self._cycle()
        order = generator(self.seed, "sizes", cycle).permutation(sizes)
        size = int(order[place])
        before = int((order[:place] == size).sum())
        return size, cycle * int((sizes == size).sum()) + before

    def _cycle(self) -> NDArray[np.intp]:
        """[CYCLE]: the sizes of a cycle, in order."""
        names = np.array(sorted(self.shares), np.intp)
        shares = np.array([self.shares[size] for size in sorted(self.shares)])
        ends = np.round(np.cumsum(shares / shares.sum()) * CYCLE).astype(int)
        steps = np.diff(ends, prepend=0)
        while not steps.all():  # or a size with a tiny share would never be taught
            steps[steps.argmin()] += 1
            steps[steps.argmax()] -= 1
        return np.repeat(names, steps)


def read_shares(text: str) -> dict[int, float]:
    """Board sizes with their shares, such as `9:2,19:1`. Raises RecordsError."""
    if not re.fullmatch(SIZES, text):
        raise RecordsError(f"sizes {text!r}: expected such as 9:2,19:1")
    pairs = [pair.split(":") for pair in text.split(",")]
    shares = {int(size): float(share) for size, share in pairs}
    if len(shares) < len(pairs):
        raise RecordsError(f"sizes {text!r}: expected each size once")
    if not all(2 <= size <= 25 and 0 < share < math.inf for size, share in shares.items()):
        raise RecordsError(f"sizes {text!r}: expected sizes from 2 to 25 and shares above 0")
    return shares


def shares_of(shards: Mapping[int, Sequence[Path]], asked: Mapping[int, float]) -> dict[int, float]:
    """The share of each size in the steps: as `asked`, or as many as it has positions.

    Raises RecordsError if a size has no games.
    """
    if not asked:
        return {size: float(sum(count_positions(paths))) for size, paths in shards.items()}
    missing = sorted(set(asked) - set(shards))
    if missing:
        raise RecordsError(
            f"no games of size {missing[0]}: there are those of {', '.join(map(str, shards))}"
        )
    return dict(asked)
