"""Boards drawn for people: coordinates, the last move in brackets, colours where there are any."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from games.base import Game, State
from games.coords import column_to_letters, vertex_to_point
from games.errors import IllegalMoveError, InvalidMoveError
from games.go import Go
from games.handicap import fixed_handicap, max_fixed_handicap

Point = tuple[int, int]

WIDEST = 25
"""Columns beside each other; what is wider, as a long row of coins, goes on below."""
RESET = "\x1b[0m"
WOOD = "\x1b[48;5;179m"
BLACK, WHITE, RED, BROWN = (f"\x1b[38;5;{colour}m" for colour in (16, 231, 160, 94))


@dataclass(frozen=True)
class Style:
    """How boards are drawn."""

    unicode: bool = False
    colours: bool = False

    def inked(self, text: str, ink: str) -> str:
        """The text in a colour, if there are any."""
        return f"{ink}{text}" if self.colours else text

    def stone(self, cell: str) -> str:
        """What stands for `X`, Black, or `O`, White; in colours both have the same form."""
        solid = cell == "X" or self.colours
        form = ("●" if solid else "○") if self.unicode else cell
        return self.inked(form, BLACK if cell == "X" else WHITE)


@dataclass(frozen=True)
class _Picture:
    game: Game
    rows: Sequence[Sequence[str]]
    """The top row first."""
    last: Point | None
    style: Style

    def block(self, begin: int) -> Iterator[str]:
        """The lines of the columns from `begin` on."""
        columns = range(begin, min(begin + WIDEST, self.game.spec.width))
        names = [column_to_letters(column) for column in columns]
        step = 1 + max(map(len, names))
        pad = len(str(len(self.rows)))
        heading = " " * pad + "".join(name.rjust(step) for name in names)
        yield heading
        for number in range(len(self.rows), 0, -1):
            cells = "".join(self.cell((column, number - 1), step) for column in columns)
            is_last = (columns[-1], number - 1) == self.last
            end = self.style.inked(")", RED) if is_last else " "
            wood, reset = (WOOD, RESET) if self.style.colours else ("", "")
            yield f"{number:>{pad}}{wood}{cells}{end}{reset}{number}"
        yield heading

    def cell(self, point: Point, step: int) -> str:
        """A point of the board, after what joins it to the one on its left."""
        column, row = point
        cell = self.rows[len(self.rows) - 1 - row][column]
        form = (
            self.style.stone(cell) if cell in "XO" else self.style.inked(self.empty(point), BROWN)
        )
        return self.joint(point, step - 1) + form

    def joint(self, point: Point, length: int) -> str:
        """What is on the left of a point: a bracket of the last move, a line, or nothing."""
        column, row = point
        if point == self.last:
            return self.style.inked("(".rjust(length), RED)
        if (column - 1, row) == self.last and column % WIDEST:
            return self.style.inked(")".ljust(length), RED)
        is_line = self.has_lines and column > 0
        return self.style.inked(("─" if is_line else " ") * length, BROWN)

    @property
    def has_lines(self) -> bool:
        """True where stones lie on crossings of lines."""
        return self.style.unicode and isinstance(self.game, Go)

    def empty(self, point: Point) -> str:
        """A point without a stone."""
        is_star = isinstance(self.game, Go) and point in _stars(self.game.spec.width)
        if not self.has_lines:
            return "+" if is_star else "·" if self.style.unicode else "."
        column, row = (_side(number, self.game.spec.width) for number in point)
        return "╋" if is_star else ("└┴┘", "├┼┤", "┌┬┐")[row][column]


def draw_board(game: Game, state: State, last: str, style: Style) -> str:
    """The board as lines of text; `last` is the vertex of the last move, or no vertex at all."""
    picture = _Picture(game, game.board(state), _point(game, last), style)
    blocks = range(0, game.spec.width, WIDEST)
    return "\n".join(line for begin in blocks for line in picture.block(begin))


def _point(game: Game, vertex: str) -> Point | None:
    try:
        return vertex_to_point(vertex, game.spec.width, game.spec.height)
    except (IllegalMoveError, InvalidMoveError):  # a pass, or no move at all
        return None


def _side(number: int, size: int) -> int:
    """0 at the lower end, 2 at the upper one, 1 between."""
    return 0 if number == 0 else 2 if number == size - 1 else 1


def _stars(size: int) -> set[Point]:
    """Where handicap stones go, by which people find their way."""
    most = max_fixed_handicap(size)
    return {divmod(point, size)[::-1] for point in fixed_handicap(size, most)} if most else set()
