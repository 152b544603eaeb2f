"""The symmetries of each game: ways to move a board onto itself.

A symmetry changes neither the value of a position nor, once moved along, its best moves. So each
position teaches a net as many as there are, and what a net says of all of them is, on average,
better than what it says of one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.generic)
Planes = NDArray[np.generic]
"""[B, H, W, C] of any type."""


@dataclass(frozen=True)
class Symmetry:
    """One way to move a board onto itself."""

    planes: Callable[[Planes], Planes]
    """Moves planes [B, H, W, C]."""
    actions: NDArray[np.intp]
    """[A]: which old action each new one was."""

    def policy(self, policy: NDArray[Number]) -> NDArray[Number]:
        """Moves probabilities [B, A] along."""
        return policy[:, self.actions]

    def back(self, image: NDArray[Number]) -> NDArray[Number]:
        """[A] or [H * W]: what is known of the actions of an image, or points, where they were."""
        straight = np.empty_like(image)
        straight[self.actions[: len(image)]] = image
        return straight


def _turned(number: int) -> Callable[[Planes], Planes]:
    def move(planes: Planes) -> Planes:
        rows, columns = (-1 if number & bit else 1 for bit in (1, 2))
        mirrored = planes[:, ::rows, ::columns]
        return mirrored.swapaxes(1, 2) if number & 4 else mirrored

    return move


def _square(side: int) -> tuple[Symmetry, ...]:
    """The eight of a square board whose actions are its points, row by row.

    Numbered as KataGo does: 1 mirrors the rows, 2 the columns, 4 then swaps the two; sums do each.
    """
    points = np.arange(side * side).reshape(1, side, side, 1)
    moves = [_turned(number) for number in range(8)]
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
    return Symmetry(_turned(0), columns), Symmetry(_turned(2), columns[::-1])


def _none(actions: int) -> tuple[Symmetry, ...]:
    return (Symmetry(_turned(0), np.arange(actions)),)


@cache
def symmetries_of(game: str, rows: int, actions: int) -> tuple[Symmetry, ...]:
    """Those of any game that can be shown to nets, of so many rows and actions."""
    if game == "go":
        return go_symmetries(rows)
    if game == "tictactoe":
        return _square(rows)
    return _columns(actions) if game == "connect4" else _none(actions)


SYMMETRIES: Mapping[str, tuple[Symmetry, ...]] = {
    "coin": symmetries_of("coin", 1, 2),
    "tictactoe": symmetries_of("tictactoe", 3, 9),
    "connect4": symmetries_of("connect4", 6, 7),
}
"""Of each small game that nets are trained for; the first one changes nothing."""
