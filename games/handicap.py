"""Where handicap stones go, and which moves are some.

Points are integers row * size + column, from A1.
"""

from collections.abc import Iterator, Sequence

import gtpcore
from games.base import Player
from games.position import Position


def fixed_handicap(size: int, count: int) -> list[int]:
    """The points that the GTP standard fixes for `count` handicap stones, in order of preference.

    Boards below 7x7 have none, even boards and 7x7 have up to 4, greater odd boards up to 9.
    Raises ValueError if `count` is none of these.
    """
    most = max_fixed_handicap(size)
    if not 2 <= count <= most:
        expected = f"2 to {most}" if most else "a board of 7x7 or more"
        raise ValueError(f"fixed handicap of {count} on {size}x{size}: expected {expected}")
    corners, sides, center = _star_points(size)
    if count <= 4:
        return corners[:count]
    if count % 2:
        return [*corners, *sides[: count - 5], *center]
    return [*corners, *sides[: count - 4]]


def max_fixed_handicap(size: int) -> int:
    """The greatest fixed handicap of a board; 0 where there is none."""
    if size < 7:
        return 0
    return 9 if size % 2 and size > 7 else 4


def free_handicap(size: int, count: int) -> list[int]:
    """`count` distinct points for Black to begin with, at least 2 and fewer than the board has.

    They are the fixed points as far as those go; then always the point with the most room to the
    stones so far and to the edge. Raises ValueError.
    """
    if not 2 <= count < size * size:
        raise ValueError(
            f"free handicap of {count} on {size}x{size}: expected 2 to {size * size - 1}"
        )
    most = max_fixed_handicap(size)
    stones = fixed_handicap(size, min(count, most)) if most else []
    return stones + list(_spread(size, stones, count - len(stones)))


def take_for_handicap(position: Position) -> None:
    """Count what Black played on an empty board before White's first move, unless it was told.

    gtp2ogs tells a handicap so, where its stones have fixed places, and KataGo takes it so. There a
    pass of White's in between ends it no more than one of Black's; here it is a game like others.
    If White moves twice in a row then, somebody sets up a position, one colour after the other:
    that is no handicap, there as here.
    """
    state, start = position.state, position.start
    if not isinstance(state, gtpcore.GoState) or not isinstance(start, gtpcore.GoState):
        return
    if any(map(start.stones, Player)) or start.handicap:
        return
    moves, passing = position.moves, state.num_actions - 1
    others = (
        n for n, move in enumerate(moves) if move.player == Player.WHITE or move.action == passing
    )
    count = next(others, len(moves))
    is_setup = [move.player for move in moves[count : count + 2]] == [Player.WHITE] * 2
    state.handicap = count if count > 1 and not is_setup else 0


def _star_points(size: int) -> tuple[list[int], list[int], list[int]]:
    """Corners, middles of the sides (left, right, lower, upper) and the centre."""
    low = 2 if size < 13 else 3
    high, mid = size - 1 - low, size // 2

    def points(*where: tuple[int, int]) -> list[int]:
        return [row * size + column for row, column in where]

    return (
        points((low, low), (high, high), (high, low), (low, high)),
        points((mid, low), (mid, high), (low, mid), (high, mid)),
        points((mid, mid)),
    )


def _spread(size: int, stones: Sequence[int], count: int) -> Iterator[int]:
    """`count` free points, each the one with the most room after those before it."""
    room = {
        point: min([_room_to_edge(size, point), *(_distance(size, point, s) for s in stones)])
        for point in range(size * size)
        if point not in stones
    }
    for _ in range(count):
        best = max(room, key=lambda point: (room[point], -point))
        yield best
        del room[best]
        for point in room:
            room[point] = min(room[point], _distance(size, point, best))


def _distance(size: int, a: int, b: int) -> int:
    """The squared straight distance of two points."""
    return (a // size - b // size) ** 2 + (a % size - b % size) ** 2


def _room_to_edge(size: int, point: int) -> int:
    """What the edge leaves of a point's room: hardly any on the first line, ample on the fourth."""
    row, column = divmod(point, size)
    line = 1 + min(row, column, size - 1 - row, size - 1 - column)
    return int(line**3)
