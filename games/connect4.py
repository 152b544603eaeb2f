"""Connect Four on 7x6, and on other sizes with lines of other lengths.

Actions are columns. A move is written as the cell where the disc lands, such as `D1`; the column
alone is understood too, as `D` or `4`.
"""

from typing import cast

from pydantic import Field, model_validator

import gtpcore
from games.base import Game, GameOptions, GameSpec, State
from games.coords import column_to_letters, point_to_vertex, vertex_to_point
from games.errors import IllegalMoveError, InvalidMoveError
from games.lines import complete_lines
from games.picture import Picture, vertices

BLUE, LIGHT_BLUE, GREEN = "#0020ff", "#60b8ff", "#40ff40"


class ConnectFourOptions(GameOptions):
    """Options of Connect Four."""

    columns: int = Field(7, ge=1, lt=2**31, description="columns of the board")
    rows: int = Field(6, ge=1, lt=2**31, description="rows; columns * (rows + 1) is at most 64")
    length: int = Field(4, ge=2, lt=2**31, description="discs in a row that win")

    @model_validator(mode="after")
    def _check(self) -> "ConnectFourOptions":
        gtpcore.ConnectFourState(self.columns, self.rows, self.length)
        return self


class ConnectFour(Game):
    """Connect Four; the first player wins on 7x6 if both play well."""

    Options = ConnectFourOptions

    def __init__(self, options: ConnectFourOptions | None = None) -> None:
        """By default 7x6 with lines of four."""
        self.options = self._options = options or ConnectFourOptions()
        self.spec = GameSpec(
            name="connect4",
            title="Connect Four",
            num_actions=self._options.columns,
            width=self._options.columns,
            height=self._options.rows,
            max_length=self._options.columns * self._options.rows,
        )

    def new_state(self) -> gtpcore.ConnectFourState:
        """The empty board, Black to move."""
        options = self._options
        return gtpcore.ConnectFourState(options.columns, options.rows, options.length)

    def action_to_string(self, state: State, action: int) -> str:
        """The cell where the disc lands."""
        return point_to_vertex(action, cast(gtpcore.ConnectFourState, state).height(action))

    def string_to_action(self, state: State, text: str) -> int:
        """The cell where the disc lands, or its column as a letter or as a number from 1.

        Raises InvalidMoveError for what is neither, IllegalMoveError for any other cell.
        """
        width = self.spec.width
        names = {column_to_letters(column): column for column in range(width)}
        names |= {str(column + 1): column for column in range(width)}
        column, row = names.get(text.upper()), None
        if column is None and (text.isdecimal() or len(text) == 1):
            cells = f"A to {column_to_letters(width - 1)}, 1 to {width}, or a cell such as D1"
            raise InvalidMoveError(f"invalid column {text!r}: expected {cells}")
        if column is None:
            column, row = vertex_to_point(text, width, self.spec.height)
        landing = cast(gtpcore.ConnectFourState, state).height(column)
        if landing == self.spec.height:
            raise IllegalMoveError(f"illegal move {text!r}: the column is full")
        if row not in (None, landing):
            lands = point_to_vertex(column, landing)
            raise IllegalMoveError(f"illegal move {text!r}: the disc lands on {lands}")
        return column

    def board(self, state: State) -> list[list[str]]:
        """`X` and `O`, top row first."""
        stone_at = cast(gtpcore.ConnectFourState, state).stone_at
        width, height = self.spec.width, self.spec.height
        rows = range(height - 1, -1, -1)
        return [["XO."[stone_at(row * width + column)] for column in range(width)] for row in rows]

    def picture(self, state: State) -> Picture:
        """A blue board, lighter where the next disc of a column lands, with the won line marked."""
        four = cast(gtpcore.ConnectFourState, state)
        width, height = self.spec.width, self.spec.height
        cells = [(column, row) for row in range(height) for column in range(width)]
        landings = [(column, four.height(column)) for column in state.legal_actions()]
        won = complete_lines(four.stone_at, width, height, four.length)
        plain = [cell for cell in cells if cell not in landings and cell not in won]
        return Picture(
            colors={BLUE: vertices(plain), LIGHT_BLUE: vertices(landings), GREEN: vertices(won)},
            circles=vertices(won),
        )
