"""What a net sees of a game of Go."""

import random
from collections.abc import Callable, Iterator
from typing import Any, get_args

import numpy as np
import pytest
from numpy.typing import NDArray

import gtpcore
from games.base import Player
from games.go_rules import CHINESE, JAPANESE, TROMP_TAYLOR, Ko, Rules
from tests.support.drawing import Drawn, draw, rows

Planes = NDArray[np.float32]

ON_BOARD, MINE, THEIRS, KO, PASSED, KOMI, PARITY, PREY, LADDER = 0, 1, 2, 6, 12, 13, 14, 15, 16
LIBERTIES = (3, 4, 5)
RECENT = range(7, 12)
NUM_PLANES = 17


def points(state: gtpcore.GoState, plane: int) -> set[int]:
    """The points where a plane of zeros and ones has a one."""
    cells = state.planes()[:, :, plane].ravel()
    assert set(np.unique(cells)) <= {0, 1}
    return {int(point) for point in np.flatnonzero(cells)}


def number(state: gtpcore.GoState, plane: int) -> float:
    """The one number of a plane that is the same everywhere."""
    (value,) = np.unique(state.planes()[:, :, plane])
    return float(value)


def marked(drawn: Drawn, plane: int) -> str:
    """The names of the points that a plane marks, all of which have one."""
    names = {point: name for name, point in drawn.names.items()}
    return "".join(sorted(names[point] for point in points(drawn.state, plane)))


def where(drawing: str, marks: str) -> set[int]:
    """The points of a drawing with one of some marks."""
    cells = "".join(reversed(rows(drawing)))
    return {point for point, mark in enumerate(cells) if mark in marks}


# Stones and moves

STONES = """
    X O . . .
    . . X X .
    . . X O .
    . O O . .
    . . . X .
"""
NUMBERED = """
    1 2 . . .
    . . . . .
    . . . 2 .
    . . . . .
    . . . 3 .
"""
KO_SHAPE = """
    . X O . .
    X a b O .
    . X O . .
    c d e f g
    h i j k l
"""


def test_stones_are_mine_or_theirs() -> None:
    for to_move, mine, theirs in ((Player.BLACK, "X", "O"), (Player.WHITE, "O", "X")):
        state = draw(STONES, to_move=to_move).state
        assert state.plane_shape == (5, 5, NUM_PLANES)
        assert points(state, MINE) == where(STONES, mine)
        assert points(state, THEIRS) == where(STONES, theirs)
        assert number(state, ON_BOARD) == 1


def test_chains_are_told_apart_by_their_liberties() -> None:
    state = draw(STONES).state
    for plane, mark in zip(LIBERTIES, "123", strict=True):
        assert points(state, plane) == where(NUMBERED, mark)


@pytest.mark.parametrize("ko", get_args(Ko))
def test_a_ko_is_marked_for_whom_it_stops(ko: Ko) -> None:
    drawn = draw(KO_SHAPE, Rules(ko=ko))
    drawn.play("c a b")
    assert marked(drawn, KO) == "a"
    drawn.play("d e")
    assert marked(drawn, KO) == ""


def test_what_ko_and_superko_forbid_is_marked_and_nothing_else() -> None:
    found: dict[str, int] = {"ko": 0, "superko": 0}
    for seed, size in enumerate((2, 3, 4, 5) * 3):
        for state in random_game(gtpcore.GoState(size, gtpcore.GoRules(suicide=True)), seed):
            why = {point: state.why_illegal(point) for point in range(size * size)}
            forbidden = {point for point, reason in why.items() if reason in found}
            if not state.is_terminal:
                assert points(state, KO) == forbidden
            for point in forbidden:
                found[why[point]] += 1
    assert found["superko"] > 10


def test_the_last_five_moves_are_seen_in_their_order() -> None:
    drawn = draw(KO_SHAPE)
    drawn.play("c d e pass f g h")
    assert ["".join(marked_at(drawn, plane)) for plane in RECENT] == ["h", "g", "f", "", "e"]
    assert number(drawn.state, PASSED) == 0
    drawn.play("pass")
    assert ["".join(marked_at(drawn, plane)) for plane in RECENT] == ["", "h", "g", "f", ""]
    assert number(drawn.state, PASSED) == 1


def marked_at(drawn: Drawn, plane: int) -> list[str]:
    there = points(drawn.state, plane)
    return [name for name, point in drawn.names.items() if point in there]


def test_a_setup_stone_makes_moves_be_forgotten() -> None:
    drawn = draw(KO_SHAPE)
    drawn.play("c d")
    drawn.place(Player.WHITE, "l")
    assert not any(points(drawn.state, plane) for plane in RECENT)


def test_a_finished_game_can_be_looked_at() -> None:
    drawn = draw(STONES)
    drawn.play("pass pass")
    assert drawn.state.is_terminal and number(drawn.state, PASSED) == 1
    assert points(drawn.state, MINE) == where(STONES, "X")
    drawn.state.resume(Player.WHITE)
    assert number(drawn.state, PASSED) == 0
    assert points(drawn.state, MINE) == where(STONES, "O")


# Komi


def komi_planes(size: int, rules: Rules, komi: float) -> tuple[float, float]:
    """The komi in points and its parity, as Black sees them at the start; White the reverse."""
    state = gtpcore.GoState(size, rules.with_komi(komi))
    black = number(state, KOMI), number(state, PARITY)
    state.resume(Player.WHITE)
    assert (number(state, KOMI), number(state, PARITY)) == (-black[0], -black[1])
    return round(20 * black[0], 4), black[1]


@pytest.mark.parametrize(
    ("size", "komi", "seen", "parity"),
    [
        (9, 7.5, -7.5, -1),  # as good for White as 8: of odd leads, 9 wins and 7 does not
        (9, 6.5, -6.5, 1),  # as 6
        (9, 7, -7, 0),
        (9, 8, -8, 0),
        (9, -3.5, 3.5, 1),
        (10, 6.5, -6.5, -1),
        (10, 0.5, -0.5, -1),
        (3, 300, -10, 0),  # more than the board decides no more than 10 does
    ],
)
def test_komi_is_that_of_the_player_to_move(
    size: int, komi: float, seen: float, parity: float
) -> None:
    assert komi_planes(size, TROMP_TAYLOR, komi) == (seen, parity)


def test_komi_is_what_decides_the_game() -> None:
    state = gtpcore.GoState(9, CHINESE.with_komi(0.5))
    state.handicap = 3
    bonus = state.black_score()
    assert bonus < -0.5
    assert 20 * number(state, KOMI) == pytest.approx(bonus)
    territory = gtpcore.GoState(9, JAPANESE.with_komi(6.5))
    territory.apply_action(0)  # a stone more of Black's, which area counts and territory does not
    assert 20 * number(territory, KOMI) == pytest.approx(6.5 + 1)


# Ladders

RUNNING = """
    . . . . d . .
    . . X . . . .
    . X W a . . .
    . X b . . . .
    . . . . . . .
    . . . . . c .
    . . . . . . .
"""
AT_THE_EDGE = """
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . f . . . . .
    . c X X X X X
    e X W d . . .
"""


def running(*white: str) -> Drawn:
    drawn = draw(RUNNING)
    drawn.place(Player.WHITE, " ".join(("W", *white)))
    return drawn


def test_a_ladder_is_seen_by_both() -> None:
    drawn = running()
    assert marked(drawn, PREY) == "W"
    assert marked(drawn, LADDER) == "a"
    drawn.state.resume(Player.WHITE)
    assert marked(drawn, PREY) == "W"
    assert marked(drawn, LADDER) == ""


def test_a_ladder_under_way_is_lost() -> None:
    drawn = running()
    drawn.play("a")
    assert marked(drawn, PREY) == "W"
    drawn.play("b")
    prey = points(drawn.state, PREY)
    assert prey == {drawn.names["W"], drawn.names["b"]}


def test_a_stone_in_its_way_breaks_a_ladder() -> None:
    drawn = running("c")
    assert marked(drawn, PREY) == marked(drawn, LADDER) == ""
    drawn.play("a")
    assert marked(drawn, PREY) == ""
    assert marked(running("d"), LADDER) == "a"  # not in its way


def test_no_way_out_at_the_edge_but_by_capture() -> None:
    drawn = draw(AT_THE_EDGE)
    drawn.place(Player.WHITE, "W")
    assert marked(drawn, PREY) == "W"
    drawn.place(Player.WHITE, "c f")  # now e captures
    assert marked(drawn, PREY) == ""


# Points of view


def random_game(state: gtpcore.GoState, seed: int) -> Iterator[gtpcore.GoState]:
    """The positions of a random game of up to 120 moves, with few passes."""
    rng = random.Random(seed)
    for _ in range(120):
        yield state.clone()  # type: ignore[misc]
        if state.is_terminal:
            return
        moves = state.legal_actions()
        state.apply_action(rng.choice(moves[:-1] or moves))


def replayed(actions: list[int], size: int, first: Player, komi: float) -> Iterator[Planes]:
    state = gtpcore.GoState(size, gtpcore.GoRules(komi=komi))
    state.resume(first)
    for action in actions:
        yield state.planes()
        state.apply_action(action)


def random_actions(size: int, seed: int) -> list[int]:
    """A random game of up to 100 moves."""
    rng = random.Random(seed)
    state = gtpcore.GoState(size)
    actions: list[int] = []
    while len(actions) < 100 and not state.is_terminal:
        actions.append(rng.choice(state.legal_actions()))
        state.apply_action(actions[-1])
    return actions


def test_both_colours_see_the_same() -> None:
    for seed in range(4):
        actions = random_actions(7, seed)
        black = replayed(actions, 7, Player.BLACK, komi=3.5)
        white = replayed(actions, 7, Player.WHITE, komi=-3.5)
        for one, other in zip(black, white, strict=True):
            assert np.array_equal(one, other)


TURNS: list[Callable[[NDArray[Any]], NDArray[Any]]] = [
    *(lambda board, k=k: np.rot90(board, k) for k in range(4)),
    *(lambda board, k=k: np.rot90(board[:, ::-1], k) for k in range(4)),
]


@pytest.mark.parametrize("turn", TURNS)
def test_a_turned_game_has_turned_planes(turn: Callable[[NDArray[Any]], NDArray[Any]]) -> None:
    size, ladders = 7, 0.0
    places = np.argsort(turn(np.arange(size * size).reshape(size, size)).ravel())
    to = [*places.tolist(), size * size]
    for seed in range(3):
        actions = random_actions(size, seed)
        straight = replayed(actions, size, Player.BLACK, komi=7.5)
        turned = replayed([to[action] for action in actions], size, Player.BLACK, komi=7.5)
        for one, other in zip(straight, turned, strict=True):
            assert np.array_equal(turn(one), other)
            ladders += one[:, :, LADDER].sum()
    assert ladders > 10
