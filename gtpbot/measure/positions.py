"""Positions of Connect Four to test with: as lines of text, and made at random.

A line is `MOVES` or `MOVES SCORE`: the columns played, 1 to 7, and the exact score for the player
to move, as `gtpcore.ConnectFourSolver` has it (positive wins, 0 draws, negative loses).
"""

import random
import re
from dataclasses import dataclass
from pathlib import Path

import gtpcore
from games.connect4 import ConnectFour
from games.position import Position, play_at_random, played
from gtpbot.options import OptionsError
from search.solver import BOOK

CELLS = 42
ATTEMPTS = 1000
"""Random games for each position wanted, before the search is given up."""

KINDS = {"any": range(CELLS + 1), "easy": range(14), "medium": range(14, 28), "hard": range(28, 43)}
"""Kinds of positions by how many moves are left if both play well."""


@dataclass(frozen=True)
class Line:
    """One position."""

    moves: str
    score: int | None = None

    def __str__(self) -> str:
        """As it is written."""
        return self.moves if self.score is None else f"{self.moves} {self.score}"

    def position(self) -> Position:
        """The game in which it came about. Raises ValueError if the moves are illegal."""
        return played(ConnectFour(), (int(column) - 1 for column in self.moves))


def read_positions(path: Path) -> list[Line]:
    """The positions of a file. Raises OptionsError, which names the line, if they are no such."""
    try:
        texts = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise OptionsError(f"cannot read the positions: {error}") from None
    return [_read(text, f"{path}, line {number}") for number, text in enumerate(texts, 1)]


def _read(text: str, where: str) -> Line:
    match = re.fullmatch(r"([1-7]+)(?:\s+(-?\d{1,2}))?\s*", text, re.ASCII)
    if not match:
        raise OptionsError(f"{where}: {text[:60]!r}: expected columns from 1 to 7, and a score")
    line = Line(match[1], None if match[2] is None else int(match[2]))
    try:
        over = line.position().state.is_terminal
    except ValueError as error:
        raise OptionsError(f"{where}: {line.moves}: {error}") from None
    if over:
        raise OptionsError(f"{where}: {line.moves}: the game is over: expected a player to move")
    return line


def make_positions(count: int, discs: range, kind: str, seed: int) -> list[Line]:
    """Positions with so many discs, no two of them alike or mirror images, of random games.

    Those of a kind other than `any` come with their scores. Raises OptionsError if there are none.
    """
    rng = random.Random(seed)
    solver = gtpcore.ConnectFourSolver(book=BOOK.read_bytes())
    found: dict[int, Line] = {}
    for _ in range(ATTEMPTS * count):
        if len(found) == count:
            break
        line = _random_line(rng, rng.choice(discs))
        if line and _key(line) not in found and (line := _of_kind(line, kind, solver)):
            found[_key(line)] = line
    if len(found) < count:
        some = f"{len(found)} of {count} positions of kind {kind} with {discs[0]} to {discs[-1]}"
        raise OptionsError(f"found only {some} discs: expected a kind that is common there")
    return list(found.values())


def _random_line(rng: random.Random, discs: int) -> Line | None:
    """A position after so many random moves; None if the game ended before."""
    position = Position(ConnectFour())
    if not play_at_random(position, discs, rng):
        return None
    return Line("".join(str(action + 1) for action in position.actions))


def _key(line: Line) -> int:
    """The same for a position and its mirror image."""
    mirrored = Line("".join(str(8 - int(column)) for column in line.moves))
    return min(line.position().state.hash, mirrored.position().state.hash)


def _of_kind(line: Line, kind: str, solver: gtpcore.ConnectFourSolver) -> Line | None:
    """The line with its score, where the kind asks for one; None if it is of another kind."""
    if kind == "any":
        return line
    state = line.position().state
    assert isinstance(state, gtpcore.ConnectFourState)
    score = solver.solve(state, exact=True)
    assert score is not None, "there was no limit"
    return Line(line.moves, score) if moves_left(len(line.moves), score) in KINDS[kind] else None


def moves_left(discs: int, score: int) -> int:
    """How many moves the game lasts if both play well.

    >>> moves_left(0, 2), moves_left(1, -2), moves_left(7, 0), moves_left(6, 18)
    (39, 38, 35, 1)
    """
    if score == 0:
        return CELLS - discs
    winner_has = discs // 2 if score > 0 else (discs + 1) // 2
    left = 22 - abs(score) - winner_has
    return 2 * left - 1 if score > 0 else 2 * left
