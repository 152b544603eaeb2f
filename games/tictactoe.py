"""Tic Tac Toe on 3x3.

Actions are cells, row * 3 + column with A1 = 0.
"""

from typing import cast

import gtpcore
from games.base import Game, GameOptions, GameSpec, Player, State
from games.coords import point_to_vertex, vertex_to_point
from games.errors import IllegalMoveError
from games.lines import complete_lines
from games.picture import Picture, vertices

SIZE = 3

WHITE, GREEN = "#ffffff", "#60ff60"


class TicTacToe(Game):
    """Tic Tac Toe; a draw if both play well."""

    Options = GameOptions

    def __init__(self, options: GameOptions | None = None) -> None:
        """It has no options."""
        self.options = options or GameOptions()
        self.spec = GameSpec(
            name="tictactoe",
            title="Tic Tac Toe",
            num_actions=SIZE * SIZE,
            width=SIZE,
            height=SIZE,
            max_length=SIZE * SIZE,
        )

    def new_state(self) -> gtpcore.TicTacToeState:
        """The empty board, Black to move."""
        return gtpcore.TicTacToeState()

    def action_to_string(self, state: State, action: int) -> str:
        """The vertex of the cell."""
        return point_to_vertex(action % SIZE, action // SIZE)

    def string_to_action(self, state: State, text: str) -> int:
        """A vertex; raises IllegalMoveError if its cell is taken."""
        column, row = vertex_to_point(text, SIZE, SIZE)
        cell = row * SIZE + column
        if cast(gtpcore.TicTacToeState, state).stone_at(cell) >= 0:
            raise IllegalMoveError(f"illegal move {text!r}: the cell is occupied")
        return cell

    def board(self, state: State) -> list[list[str]]:
        """`X` and `O`, top row first."""
        stone_at = cast(gtpcore.TicTacToeState, state).stone_at
        rows = range(SIZE - 1, -1, -1)
        return [["XO."[stone_at(row * SIZE + column)] for column in range(SIZE)] for row in rows]

    def picture(self, state: State) -> Picture:
        """Crosses and circles on white paper, the won line on green."""
        stone_at = cast(gtpcore.TicTacToeState, state).stone_at
        cells = [(column, row) for row in range(SIZE) for column in range(SIZE)]
        crosses, circles = (
            [cell for cell in cells if stone_at(cell[1] * SIZE + cell[0]) == player]
            for player in Player
        )
        won = complete_lines(stone_at, SIZE, SIZE, SIZE)
        paper = [cell for cell in cells if cell not in won]
        return Picture(
            colors={WHITE: vertices(paper), GREEN: vertices(won)},
            crosses=vertices(crosses),
            circles=vertices(circles),
        )
