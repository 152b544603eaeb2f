"""Boards drawn for people."""

import re

import pytest

from games.base import Game
from games.coin import Coin, CoinOptions
from games.connect4 import ConnectFour
from games.go import Go, GoOptions
from games.position import Position
from games.registry import GAMES
from games.tictactoe import TicTacToe
from gtpbot.people.board_art import BLACK, BROWN, RED, RESET, WHITE, WOOD, Style, draw_board
from tests.support.positions import played

GO = """\
  A B C D E F G H J
9 ┌─┬─┬─┬─┬─┬─┬─┬─┐ 9
8 ├─┼─┼─┼─┼─┼─┼─┼─┤ 8
7 ├─┼─╋─┼─╋─┼─╋─┼─┤ 7
6 ├─┼─┼─┼─┼─┼─┼─┼─┤ 6
5 ├─┼─╋─┼─●─┼─╋─┼─┤ 5
4 ├─┼─┼─┼─┼─┼─┼─┼─┤ 4
3 ├─┼─╋─┼─╋─┼─╋─┼─┤ 3
2 ├─┼─┼─┼─┼─┼─┼─┼─┤ 2
1 └─┴─┴─┴─┴─┴─┴─┴(○)1
  A B C D E F G H J"""

GO_IN_ASCII = """\
   A B C D E F G H J K
10 . . . . . . . . . . 10
 9 . . . . . . . . . . 9
 8 . . + . . . . + . . 8
 7 . . . . . . . . . . 7
 6 . . . . . . . . . . 6
 5 . . . . . . . . . . 5
 4 . . . . . . . . . . 4
 3 . . X . . . .(O). . 3
 2 . . . . . . . . . . 2
 1 . . . . . . . . . . 1
   A B C D E F G H J K"""

NOUGHTS = """\
  A B C
3 ● · · 3
2 · · · 2
1 ·(○)· 1
  A B C"""

FOUR = """\
  A B C D E F G
6 . . . . . . . 6
5 . . . . . . . 5
4 . . . . . . . 4
3 . . . . . . . 3
2 . . .(O). . . 2
1 . . . X . . . 1
  A B C D E F G"""

COINS = """\
  A B C D E F G H J K L M N O P Q R S T U V W X Y Z
1 X X X X X X X X X X X X X X X X X X X X X X X X X 1
  A B C D E F G H J K L M N O P Q R S T U V W X Y Z
  AA AB AC
1 (.) .  . 1
  AA AB AC"""

LAST_OF_A_ROW = """\
  A B C D E F G H J K L M N O P Q R S T U V W X Y Z
1 X X X X X X X X X X X X X X X X X X X X X X X X(.)1
  A B C D E F G H J K L M N O P Q R S T U V W X Y Z
  AA AB AC
1  .  .  . 1
  AA AB AC"""


@pytest.mark.parametrize(
    ("game", "moves", "style", "expected"),
    [
        (Go(GoOptions(size=9)), ["E5", "J1"], Style(unicode=True), GO),
        (Go(GoOptions(size=10)), ["C3", "H3"], Style(), GO_IN_ASCII),
        (TicTacToe(), ["A3", "B1"], Style(unicode=True), NOUGHTS),
        (ConnectFour(), ["D", "D2"], Style(), FOUR),
        (Coin(CoinOptions(pile=28, max_take=4)), ["AA1"], Style(), COINS),
        (Coin(CoinOptions(pile=28, max_take=4)), ["Z1"], Style(), LAST_OF_A_ROW),
    ],
)
def test_drawings(game: Game, moves: list[str], style: Style, expected: str) -> None:
    position = played(game, *moves)
    assert draw_board(game, position.state, moves[-1], style) == expected


@pytest.mark.parametrize("name", GAMES)
def test_colours_change_no_form_but_that_of_white_stones(name: str) -> None:
    game = GAMES[name]()
    position = Position(game)
    for _ in range(2):
        position.play(position.to_move, position.state.legal_actions()[0])
    coloured = draw_board(game, position.state, "A1", Style(unicode=True, colours=True))
    assert "\x1b[" in coloured
    assert all(line.count("\x1b[48") == line.count("\x1b[0m") for line in coloured.splitlines())
    plain = draw_board(game, position.state, "A1", Style(unicode=True))
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain.replace("○", "●")


def test_each_has_a_colour_of_its_own() -> None:
    position = played(TicTacToe(), "A1", "B1")
    for last, cells in (
        ("B1", f"{BROWN} {BLACK}●{RED}({WHITE}●{RED}){BROWN}· "),
        ("C1", f"{BROWN} {BLACK}●{BROWN} {WHITE}●{RED}({BROWN}·{RED})"),
    ):
        style = Style(unicode=True, colours=True)
        *_, row, _ = draw_board(position.game, position.state, last, style).splitlines()
        assert row == f"1{WOOD}{cells}{RESET}1"


@pytest.mark.parametrize("last", ["", "pass"])
def test_no_bracket_without_a_last_point(last: str) -> None:
    assert "(" not in draw_board(Go(), Go().new_state(), last, Style())
