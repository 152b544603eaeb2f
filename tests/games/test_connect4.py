"""Connect Four: how moves are written, the sizes there are, and what a line is on each of them."""

import itertools
import random

import pytest
from pydantic import ValidationError

import gtpcore
from games.connect4 import ConnectFour, ConnectFourOptions
from games.errors import GameOverError, IllegalMoveError, InvalidMoveError
from games.position import Position
from tests.support.positions import played


def after(moves: str) -> Position:
    """The usual game after the discs in these columns."""
    return played(ConnectFour(), *moves)


@pytest.mark.parametrize("text", ["D", "d", "4", "D2", "d2"])
def test_a_move_is_the_cell_where_the_disc_lands_or_its_column(text: str) -> None:
    position = after("D")
    assert position.game.string_to_action(position.state, text) == 3


@pytest.mark.parametrize("text", ["D1", "D3", "d6"])
def test_another_cell_of_the_column_is_illegal(text: str) -> None:
    position = after("D")
    with pytest.raises(IllegalMoveError, match=f"'{text}': the disc lands on D2"):
        position.game.string_to_action(position.state, text)


def test_no_cell_of_a_full_column_is_legal() -> None:
    position = after("DDDDDD")
    for text in ("D6", "D", "4"):
        with pytest.raises(IllegalMoveError, match=f"'{text}': the column is full"):
            position.game.string_to_action(position.state, text)
    with pytest.raises(IllegalMoveError, match="action 3 is illegal"):
        position.play(position.to_move, 3)


@pytest.mark.parametrize("text", ["H", "8", "0"])
def test_who_names_no_column_is_told_how_columns_are_named(text: str) -> None:
    position = after("")
    with pytest.raises(InvalidMoveError, match="expected A to G, 1 to 7, or a cell such as D1"):
        position.game.string_to_action(position.state, text)


@pytest.mark.parametrize("text", ["H", "8", "0", "H1", "D7", "I", "DD", "-1", "4.0"])
def test_what_is_no_column_and_no_cell(text: str) -> None:
    position = after("")
    with pytest.raises(InvalidMoveError, match=f"'{text}'"):
        position.game.string_to_action(position.state, text)


def test_a_pass_is_a_move_but_none_of_this_game() -> None:
    position = after("")
    with pytest.raises(IllegalMoveError, match="'PASS': expected a point of the board"):
        position.game.string_to_action(position.state, "PASS")


def test_a_line_ends_the_game() -> None:
    position = after("DEDEDED")
    assert position.state.is_terminal
    assert position.state.black_value == 1
    assert position.game.render(position.state).splitlines()[3] == "4 . . . X . . . 4"
    with pytest.raises(GameOverError, match=r"^the game is over$"):
        position.play(position.to_move, 0)


@pytest.mark.parametrize(
    ("columns", "rows", "length"),
    [(0, 6, 4), (7, 0, 4), (8, 8, 4), (33, 1, 4), (7, 6, 1), (7, 6, 8), (1, 64, 4), (10**9, 9, 4)],
)
def test_sizes_that_do_not_fit_are_refused(columns: int, rows: int, length: int) -> None:
    with pytest.raises(ValueError, match=f"{columns} columns, {rows} rows and lines of {length}"):
        gtpcore.ConnectFourState(columns, rows, length)
    with pytest.raises(ValidationError):
        ConnectFourOptions(columns=columns, rows=rows, length=length)


SIZES = [
    (1, 63, 4),
    (32, 1, 2),
    (31, 1, 31),
    (2, 31, 3),
    (3, 20, 3),
    (4, 15, 4),
    (16, 3, 3),
    (9, 6, 5),
    (8, 7, 4),
    (6, 7, 2),
    (7, 6, 7),
]


def has_line(board: list[list[str]], disc: str, length: int) -> bool:
    """By looking along every direction from every cell."""
    cells = {(x, y) for y, row in enumerate(board) for x, cell in enumerate(row) if cell == disc}
    directions = [(1, 0), (0, 1), (1, 1), (1, -1)]
    return any(
        all((x + i * dx, y + i * dy) in cells for i in range(length))
        for (x, y), (dx, dy) in itertools.product(cells, directions)
    )


@pytest.mark.parametrize(("columns", "rows", "length"), SIZES)
def test_games_of_other_sizes_end_with_the_first_line(
    columns: int, rows: int, length: int, rng: random.Random
) -> None:
    game = ConnectFour(ConnectFourOptions(columns=columns, rows=rows, length=length))
    for _ in range(4):
        state = game.new_state()
        moves = 0
        while not state.is_terminal:
            state.apply_action(rng.choice(state.legal_actions()))
            moves += 1
            lines = {disc: has_line(game.board(state), disc, length) for disc in "XO"}
            assert state.is_terminal == (any(lines.values()) or moves == columns * rows)
        assert state.black_value == lines["X"] - lines["O"]


def test_the_heuristic_sees_a_win_in_one_for_the_player_to_move() -> None:
    black_wins_next = after("DEDEDE").state
    white_wins_next = after("DEDEGEA").state
    assert isinstance(black_wins_next, gtpcore.ConnectFourState)
    assert isinstance(white_wins_next, gtpcore.ConnectFourState)
    assert black_wins_next.black_heuristic > 0.9
    assert white_wins_next.black_heuristic < -0.9


def test_the_heuristic_prefers_the_middle_and_is_the_same_in_the_mirror() -> None:
    values = []
    for column in "ABCDEFG":
        state = after(column).state
        assert isinstance(state, gtpcore.ConnectFourState)
        values.append(state.black_heuristic)
    assert values[:4] == sorted(values[:4])
    assert values[0] < values[3]
    assert values == values[::-1]


def test_the_heuristic_is_fair_to_both_colours() -> None:
    """Black in the middle and White outside, and the other way round."""
    black_better, white_better = after("DA").state, after("AD").state
    assert isinstance(black_better, gtpcore.ConnectFourState)
    assert isinstance(white_better, gtpcore.ConnectFourState)
    assert black_better.black_heuristic == -white_better.black_heuristic > 0
