"""How moves of Tic Tac Toe are read."""

import pytest

from games.errors import GameOverError, IllegalMoveError, InvalidMoveError
from games.position import Position
from games.tictactoe import TicTacToe
from tests.support.positions import played


def after(*vertices: str) -> Position:
    return played(TicTacToe(), *vertices)


@pytest.mark.parametrize("text", ["B2", "b2"])
def test_a_cell_is_taken_once(text: str) -> None:
    position = after("B2")
    with pytest.raises(IllegalMoveError, match=f"'{text}': the cell is occupied"):
        position.game.string_to_action(position.state, text)
    with pytest.raises(IllegalMoveError, match="action 4 is illegal"):
        position.play(position.to_move, 4)


def test_what_is_no_cell() -> None:
    for text in ("D1", "A4", "5"):
        with pytest.raises(InvalidMoveError, match=f"'{text}'"):
            after().game.string_to_action(after().state, text)


def test_nobody_moves_in_a_game_that_is_over() -> None:
    won = after("A1", "B1", "A2", "B2", "A3")
    with pytest.raises(GameOverError, match=r"^the game is over$"):
        won.play(won.to_move, 8)
