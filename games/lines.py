"""Stones in a row: where somebody has won."""

from collections.abc import Callable, Iterator

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))

Point = tuple[int, int]
"""(column, row), from (0, 0) at the lower left."""


def complete_lines(
    stone_at: Callable[[int], int], width: int, height: int, length: int
) -> list[Point]:
    """The points, in ascending order, of all lines of `length` stones of one player.

    `stone_at` tells of row * width + column: 0 Black, 1 White, -1 nobody.
    """
    won: set[Point] = set()
    for line in _lines(width, height, length):
        owners = {stone_at(row * width + column) for column, row in line}
        if owners in ({0}, {1}):
            won |= set(line)
    return sorted(won)


def _lines(width: int, height: int, length: int) -> Iterator[list[Point]]:
    for column in range(width):
        for row in range(height):
            for right, up in DIRECTIONS:
                line = [(column + right * i, row + up * i) for i in range(length)]
                last_column, last_row = line[-1]
                if last_column < width and 0 <= last_row < height:
                    yield line
