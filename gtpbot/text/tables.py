"""Tables of text, also of letters that take two columns of a terminal, as Chinese ones do."""

from collections.abc import Sequence
from itertools import accumulate
from unicodedata import combining, east_asian_width


def aligned(rows: Sequence[Sequence[str]], sides: str) -> str:
    """The rows with their columns aligned to the left or right, as `sides` has `<` or `>` for each.

    >>> print(aligned([("figure", "value"), ("one", "1"), ("ten", "10")], "<>"))
    figure  value
    one         1
    ten        10
    """
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    lines = [[_padded(*cell) for cell in zip(row, sides, widths, strict=True)] for row in rows]
    return "\n".join("  ".join(cells).rstrip() for cells in lines)


def width(text: str) -> int:
    """The columns of a terminal that a text takes."""
    return sum(map(_columns, text))


def cut(text: str, columns: int) -> str:
    """As much of the beginning of a text as fits into so many columns.

    >>> cut("Go", 9), cut("囲碁の", 5)
    ('Go', '囲碁')
    """
    ends = accumulate(map(_columns, text))
    return text[: sum(end <= columns for end in ends)]


def _columns(letter: str) -> int:
    if combining(letter):
        return 0
    return 2 if east_asian_width(letter) in "WF" else 1


def _padded(cell: str, side: str, columns: int) -> str:
    space = " " * (columns - width(cell))
    return cell + space if side == "<" else space + cell
