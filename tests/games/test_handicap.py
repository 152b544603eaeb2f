"""Handicap points: the standard's for fixed placement, sensible ones beyond."""

from typing import cast

import pytest

import gtpcore
from games.base import Player
from games.connect4 import ConnectFour
from games.coords import point_to_vertex
from games.go import Go, GoOptions
from games.handicap import fixed_handicap, free_handicap, max_fixed_handicap, take_for_handicap
from games.position import Position


def vertices(points: list[int], size: int) -> set[str]:
    return {point_to_vertex(point % size, point // size) for point in points}


@pytest.mark.parametrize(
    ("size", "count", "expected"),
    [
        (7, 2, "C3 E5"),
        (7, 4, "C3 C5 E3 E5"),
        (8, 3, "C3 F6 C6"),
        (9, 2, "C3 G7"),
        (9, 3, "C3 G7 C7"),
        (9, 5, "C3 G7 C7 G3 E5"),
        (11, 6, "C3 J9 C9 J3 C6 J6"),
        (12, 4, "C3 K10 C10 K3"),
        (13, 4, "D4 K10 D10 K4"),
        (13, 7, "D4 K10 D10 K4 D7 K7 G7"),
        (19, 8, "D4 Q16 D16 Q4 D10 Q10 K4 K16"),
        (19, 9, "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"),
        (25, 4, "D4 W22 D22 W4"),
    ],
)
def test_fixed_points_of_the_standard(size: int, count: int, expected: str) -> None:
    points = fixed_handicap(size, count)
    assert len(points) == count
    assert vertices(points, size) == set(expected.split())


@pytest.mark.parametrize(
    ("size", "most"),
    [(2, 0), (6, 0), (7, 4), (8, 4), (9, 9), (10, 4), (18, 4), (19, 9), (24, 4), (25, 9)],
)
def test_greatest_fixed_handicap(size: int, most: int) -> None:
    assert max_fixed_handicap(size) == most
    for count in (-1, 0, 1, most + 1):
        with pytest.raises(ValueError, match=f"fixed handicap of {count} on {size}x{size}: exp"):
            fixed_handicap(size, count)


@pytest.mark.parametrize("size", range(2, 26))
def test_free_placement_fits_any_number(size: int) -> None:
    for count in {2, 3, 4, 5, 9, 10, 13, 25, size * size // 2, size * size - 1}:
        if 2 <= count < size * size:
            points = free_handicap(size, count)
            assert len(set(points)) == count
            assert all(0 <= point < size * size for point in points)
    for count in (1, size * size):
        with pytest.raises(ValueError, match=f"free handicap of {count} on"):
            free_handicap(size, count)


def test_free_placement_begins_with_the_fixed_points() -> None:
    assert free_handicap(19, 9) == fixed_handicap(19, 9)
    assert free_handicap(8, 6)[:4] == fixed_handicap(8, 4)


def test_free_placement_keeps_off_the_edge_while_there_is_room() -> None:
    for size, count in ((9, 13), (13, 17), (19, 25)):
        for point in free_handicap(size, count):
            assert 1 <= point % size <= size - 2
            assert 1 <= point // size <= size - 2


BLACK, WHITE = Player
PASS = 81
GO = Go(GoOptions(size=9))


def taken(position: Position, moves: list[tuple[Player, int]]) -> int:
    """The handicap after these moves."""
    for player, action in moves:
        position.play(player, action)
        take_for_handicap(position)
    return cast(gtpcore.GoState, position.state).handicap


@pytest.mark.parametrize(
    ("moves", "handicap"),
    [
        ([(BLACK, 0)], 0),
        ([(BLACK, 0), (BLACK, 20)], 2),
        ([(BLACK, 0), (BLACK, 20), (BLACK, 40), (WHITE, 41), (BLACK, 60)], 3),
        ([(BLACK, 0), (WHITE, 20), (BLACK, 40)], 0),
        ([(WHITE, 0), (BLACK, 20), (BLACK, 40)], 0),
        ([(BLACK, 0), (BLACK, PASS), (BLACK, 40)], 0),
    ],
)
def test_moves_of_black_before_white_s_first_are_a_handicap(
    moves: list[tuple[Player, int]], handicap: int
) -> None:
    assert taken(Position(GO), moves) == handicap


def test_no_handicap_is_taken_where_stones_or_a_handicap_were_there_before() -> None:
    twice = [(BLACK, 0), (BLACK, 20)]
    for player in Player:
        start = GO.new_state()
        start.place(player, 80)
        assert taken(Position(GO, start), twice) == 0
    told = GO.new_state()
    told.handicap = 5
    assert taken(Position(GO, told), twice) == 5


def test_other_games_have_no_handicap() -> None:
    position = Position(ConnectFour())
    position.play(BLACK, 0)
    take_for_handicap(position)
