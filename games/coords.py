"""Where points are: the one place that does arithmetic on coordinates.

| system            | lower left | upper right of 19x19 |
|-------------------|------------|----------------------|
| point (col, row)  | (0, 0)     | (18, 18)             |
| vertex (GTP)      | A1         | T19                  |
| action of Go      | 0          | 360 = row * 19 + col |
| SGF               | as         | sa                   |

Letters leave out I. Beyond Z they go on with AA, AB, ..., as GoGui has them.
"""

from collections.abc import Sequence

from games.errors import IllegalMoveError, InvalidMoveError

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
PASS = "pass"
"""A vertex that is no point."""


def column_to_letters(column: int) -> str:
    """The name of a column from 0: A to Z without I, then AA to AZ.

    >>> column_to_letters(8), column_to_letters(25)
    ('J', 'AA')
    """
    lead, last = divmod(column, len(LETTERS))
    return (LETTERS[lead - 1] if lead else "") + LETTERS[last]


def point_to_vertex(column: int, row: int) -> str:
    """The vertex of a point.

    >>> point_to_vertex(3, 0)
    'D1'
    """
    return f"{column_to_letters(column)}{row + 1}"


def vertex_to_point(text: str, width: int, height: int) -> tuple[int, int]:
    """The (column, row) that a vertex names, in any case of letters.

    Raises InvalidMoveError if `text` is no vertex or lies off a board of width x height, and
    IllegalMoveError for `pass`: that is a vertex, but no point.

    >>> vertex_to_point("d1", 7, 6)
    (3, 0)
    """
    upper = text.upper()
    if text.lower() == PASS:
        raise IllegalMoveError(f"illegal move {text!r}: expected a point of the board")
    digits = upper.lstrip(LETTERS)
    letters = upper[: len(upper) - len(digits)]
    if not letters or len(letters) > 2 or not (digits.isascii() and digits.isdigit()):
        raise InvalidMoveError(f"invalid vertex {text!r}: expected a letter and a number, as in D4")
    column = 0
    for letter in letters:
        column = column * len(LETTERS) + LETTERS.index(letter) + 1
    column, row = column - 1, int(digits.lstrip("0")[:4] or 0) - 1
    if not (column < width and 0 <= row < height):
        corner = point_to_vertex(width - 1, height - 1)
        raise InvalidMoveError(f"vertex {text!r} is off the board: expected A1 to {corner}")
    return column, row


def action_to_vertex(action: int, size: int) -> str:
    """The vertex of an action of Go, or `pass`.

    >>> action_to_vertex(3, 9), action_to_vertex(81, 9)
    ('D1', 'pass')
    """
    row, column = divmod(action, size)
    return PASS if row == size else point_to_vertex(column, row)


def vertex_to_action(text: str, size: int) -> int:
    """The action of Go that a vertex or `pass` names. Raises InvalidMoveError.

    >>> vertex_to_action("d1", 9), vertex_to_action("PASS", 9)
    (3, 81)
    """
    if text.lower() == PASS:
        return size * size
    column, row = vertex_to_point(text, size, size)
    return row * size + column


def draw(rows: Sequence[Sequence[str]]) -> str:
    """A board as text, with letters above and below and numbers at both sides.

    `rows` holds one-character cells, top row first.
    """
    width, height = len(rows[0]), len(rows)
    pad = len(str(height))
    names = [column_to_letters(c) for c in range(width)]
    cell = max(len(name) for name in names)
    header = " " * (pad + 1) + " ".join(name.rjust(cell) for name in names)
    lines = [header]
    for number, row in zip(range(height, 0, -1), rows, strict=True):
        cells = " ".join(c.rjust(cell) for c in row)
        lines.append(f"{number:>{pad}} {cells} {number}")
    lines.append(header)
    return "\n".join(lines)
