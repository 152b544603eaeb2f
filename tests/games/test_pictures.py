"""What windows draw on the boards of the small games."""

import pytest

import gtpcore
from games.base import Player
from games.coin import Coin
from games.connect4 import BLUE, GREEN, LIGHT_BLUE, ConnectFour
from games.go_chains import Chain, chains_of, ladders
from games.lines import complete_lines
from games.position import Position
from games.registry import GAMES
from games.tictactoe import TicTacToe
from tests.support.positions import played


def test_connect_four_shows_where_discs_land_and_the_line_that_won() -> None:
    position = played(ConnectFour(), *"DADADBD")
    picture = position.game.picture(position.state)
    assert picture.colors[GREEN] == picture.circles == ["D1", "D2", "D3", "D4"]
    assert picture.colors[LIGHT_BLUE] == []  # nothing lands any more
    assert len(picture.colors[BLUE]) == 42 - 4
    position.undo(1)
    picture = position.game.picture(position.state)
    assert picture.colors[LIGHT_BLUE] == ["A3", "B2", "C1", "D4", "E1", "F1", "G1"]
    assert picture.circles == []


def test_a_full_column_has_no_landing() -> None:
    position = played(ConnectFour(), *"AAAAAA")
    picture = position.game.picture(position.state)
    assert picture.colors[LIGHT_BLUE] == ["B1", "C1", "D1", "E1", "F1", "G1"]


def test_tic_tac_toe_has_crosses_and_circles() -> None:
    position = played(TicTacToe(), "B2", "A1", "B1", "A2")
    picture = position.game.picture(position.state)
    assert picture.crosses == ["B1", "B2"]
    assert picture.circles == ["A1", "A2"]


def test_coins_are_numbered_by_how_many_are_taken() -> None:
    position = played(Coin(), "2", "1")
    picture = position.game.picture(position.state)
    assert picture.labels == {"S1": "1", "R1": "2"}
    assert picture.text == "18 coins are left"
    assert sum(map(len, picture.colors.values())) == 21


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_a_picture_of_its_end(name: str) -> None:
    position = Position(GAMES[name]())
    while not position.state.is_terminal and len(position.moves) < 50:
        position.play(position.to_move, position.state.legal_actions()[-1])
        position.game.picture(position.state)


@pytest.mark.parametrize(
    ("points", "line"),
    [
        ([0, 1, 2], [(0, 0), (1, 0), (2, 0)]),
        ([2, 5, 8], [(0, 2), (1, 1), (2, 0)]),
        ([0, 5, 10, 15], [(0, 0), (1, 1), (2, 2), (3, 3)]),
        ([3, 4, 5], []),  # round the edge is no line
    ],
)
def test_lines_of_three_on_a_board_of_four(points: list[int], line: list[tuple[int, int]]) -> None:
    def stone_at(point: int) -> int:
        return 1 if point in points else -1

    assert complete_lines(stone_at, 4, 4, 3) == line


def test_chains_and_their_liberties() -> None:
    state = gtpcore.GoState(5)
    for point in (0, 1, 5):
        state.place(0, point)
    state.place(1, 6)
    assert state.chain_at(24) == ([], [])
    black, white = chains_of(state)
    assert black == Chain(Player.BLACK, (0, 1, 5), frozenset({2, 10}))
    assert white == Chain(Player.WHITE, (6,), frozenset({7, 11}))


def test_a_ladder_is_seen_from_both_sides() -> None:
    state = gtpcore.GoState(9)
    state.place(1, 40)  # the prey at E5
    for point in (31, 39, 48):  # E4, D5, D6: one more stone puts it into atari
        state.place(0, point)
    state.resume(0)
    found = ladders(state)
    assert found.prey == [40]
    assert found.beginnings == [41]
    state.apply_action(41)
    assert ladders(state).prey == [40]  # now in atari, its owner to move, and lost
