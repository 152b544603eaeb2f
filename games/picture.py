"""What is drawn on a board beyond its stones: colours, marks, labels, a line of moves.

Places are vertices, as GTP writes them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from games.coords import point_to_vertex


@dataclass(frozen=True)
class Picture:
    """One picture; what is left empty is not drawn."""

    text: str = ""
    """One line, shown below the board."""
    colors: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Places by the colour of their background, such as `#4060c0`."""
    crosses: Sequence[str] = ()
    circles: Sequence[str] = ()
    squares: Sequence[str] = ()
    triangles: Sequence[str] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    """A short text without spaces for each place."""
    values: Mapping[str, float] = field(default_factory=dict)
    """A number for each place, from -1 for White to 1 for Black."""
    moves: Sequence[tuple[str, str]] = ()
    """Moves one after the other, each the letter of its player, `B` or `W`, and its vertex."""


def vertices(points: Iterable[tuple[int, int]]) -> list[str]:
    """The vertices of points, each (column, row)."""
    return [point_to_vertex(column, row) for column, row in points]
