"""Go positions as drawings.

Top row first, a character a point, blanks between them as one likes: `X` Black, `O` White, `x` and
`o` stones too, but dead ones; `.` is empty, and any other letter names an empty point.

    . X O .
    X a X O
    . X O .
    . . . .
"""

from dataclasses import dataclass

import gtpcore
from games.base import Player
from games.go import Go, GoOptions
from games.go_rules import TROMP_TAYLOR, Rules, parse_rules
from games.position import Position

STONES = {"X": Player.BLACK, "x": Player.BLACK, "O": Player.WHITE, "o": Player.WHITE}
PASS = "pass"

SETTLED = """
    . X . X O . O . O
    X X X X O O O O O
    X X X X O O O O O
    X . . X O . . . O
    X . . X O . . . O
    X . . X O . . . O
    X X X X O O O O O
    X X X X O O O O O
    X . X X O O O . O
"""
"""All that lives has two eyes; White has 9 points more by area."""


def rows(drawing: str) -> list[str]:
    """The rows of a drawing, top row first."""
    lines = ["".join(line.split()) for line in drawing.strip().splitlines()]
    assert {len(line) for line in lines} == {len(lines)}, f"not square:\n{drawing}"
    return lines


def without_names(drawing: str) -> str:
    """The drawing of the same stones, none of them dead, with no points named."""
    return "\n".join("".join("XO."[shown(mark)] for mark in row) for row in rows(drawing))


def shown(mark: str) -> int:
    """What a mark stands for: a player, or -1."""
    return STONES.get(mark, -1)


def show(state: gtpcore.GoState) -> str:
    """A state, as `without_names` draws it."""
    size = state.size
    cells = ["XO."[state.stone_at(point)] for point in range(size * size)]
    return "\n".join("".join(cells[row * size :][:size]) for row in reversed(range(size)))


@dataclass
class Drawn:
    """The state that a drawing shows, and its points by their letters."""

    state: gtpcore.GoState
    names: dict[str, int]
    dead: list[int]

    def action(self, name: str) -> int:
        """The action that a letter or `pass` names."""
        return self.state.size**2 if name == PASS else self.names[name]

    def place(self, player: Player, names: str) -> None:
        """Put setup stones, as `a b`; history begins here, with the same player to move."""
        for name in names.split():
            self.state.place(player, self.names[name])

    def play(self, moves: str) -> None:
        """Play points by turns, as `a b pass c`."""
        for name in moves.split():
            self.state.apply_action(self.action(name))

    def why_illegal(self, name: str) -> str:
        """Why the named point may not be played now; empty if it may."""
        why = self.state.why_illegal(self.action(name))
        assert self.state.is_legal(self.action(name)) == (not why)
        return why

    def shows(self, drawing: str) -> bool:
        """Whether the board is that of `drawing`."""
        assert show(self.state) == without_names(drawing)
        return True


def draw(drawing: str, rules: Rules = TROMP_TAYLOR, to_move: Player = Player.BLACK) -> Drawn:
    """A position under `rules`, with their usual komi, and without history."""
    lines = rows(drawing)
    state = gtpcore.GoState(len(lines), rules.with_komi(rules.komi))
    drawn = Drawn(state, {}, [])
    for point, mark in enumerate("".join(reversed(lines))):
        if mark in STONES:
            state.place(STONES[mark], point)
            drawn.dead += [point] if mark.islower() else []
        elif mark != ".":
            assert mark not in drawn.names, f"two points {mark}:\n{drawing}"
            drawn.names[mark] = point
    state.resume(to_move)
    return drawn


def position_of(
    drawing: str, rules: str | Rules, komi: float, to_move: Player = Player.BLACK
) -> Position:
    """A game that begins as drawn."""
    named = parse_rules(rules) if isinstance(rules, str) else rules
    own = named.model_copy(update={"komi": komi})
    state = draw(drawing, own, to_move).state
    return Position(Go(GoOptions(size=state.size, rules=own)), state)
