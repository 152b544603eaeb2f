"""Go once more, slow and plain: every question is answered from a list of the points.

No chain, liberty, hash or ko point is ever stored. Simple ko is told by what it is for: a move may
not restore the board that the opponent just made a move on. It shares nothing with the native board
but the numbers of points and players.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from games.base import Player
from games.go_rules import Rules

EMPTY = -1
Cells = tuple[int, ...]
"""The stone on each point: a player, or EMPTY."""


@cache
def neighbours(point: int, size: int) -> tuple[int, ...]:
    """The two to four points beside one."""
    row, column = divmod(point, size)
    beside = [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
    return tuple(r * size + c for r, c in beside if 0 <= r < size and 0 <= c < size)


def region(cells: Cells, point: int, size: int) -> set[int]:
    """All points of the same content that hang together with `point`."""
    found, todo = {point}, [point]
    while todo:
        for near in neighbours(todo.pop(), size):
            if cells[near] == cells[point] and near not in found:
                found.add(near)
                todo.append(near)
    return found


def borders(cells: Cells, points: Iterable[int], size: int) -> set[int]:
    """What there is beside some points, themselves aside."""
    inside = set(points)
    return {cells[near] for p in inside for near in neighbours(p, size) if near not in inside}


def without(cells: Cells, points: Iterable[int]) -> Cells:
    """The board with some points empty."""
    gone = set(points)
    return tuple(EMPTY if point in gone else stone for point, stone in enumerate(cells))


def take(cells: Cells, player: int, size: int) -> Cells:
    """The board without the chains of `player` that have no liberty."""
    caught: set[int] = set()
    for point, stone in enumerate(cells):
        if stone == player and point not in caught:
            chain = region(cells, point, size)
            if EMPTY not in borders(cells, chain, size):
                caught |= chain
    return without(cells, caught)


@dataclass
class ReferenceGo:
    """A game in progress. Points are row * size + column; the pass is size * size."""

    size: int
    rules: Rules
    cells: Cells = ()
    to_move: Player = Player.BLACK
    passes: int = 0
    captures: list[int] = field(default_factory=lambda: [0, 0])
    handicap: int = 0
    moved_on: tuple[Cells, Player] | None = None
    """The board that the last move was made on, and by whom; None after a pass."""
    situations: set[tuple[Cells, Player]] = field(default_factory=set)
    """Every board that was there, with who was to move."""

    def __post_init__(self) -> None:
        self.cells = self.cells or (EMPTY,) * self.size**2

    def after(self, point: int) -> Cells:
        """The board after the player to move plays an empty point."""
        placed = (*self.cells[:point], int(self.to_move), *self.cells[point + 1 :])
        return take(take(placed, self.to_move.opponent, self.size), self.to_move, self.size)

    def why_illegal(self, action: int) -> str:
        """The reason in one word; empty for a legal move."""
        if self.passes >= 2:
            return "the game is over"
        if action == self.size**2:
            return ""
        if self.cells[action] != EMPTY:
            return "occupied"
        after = self.after(action)
        if after[action] == EMPTY and (after == self.cells or not self.rules.suicide):
            return "suicide"
        if self.moved_on == (after, self.to_move.opponent):
            return "ko"
        return "superko" if self.repeats(after) else ""

    def repeats(self, after: Cells) -> bool:
        """Whether superko forbids `after`."""
        if self.rules.ko == "simple":
            return False
        next_player = {self.to_move.opponent}
        players = next_player if self.rules.ko == "situational" else set(Player)
        return any((after, player) in self.situations for player in players)

    def legal_actions(self) -> list[int]:
        return [action for action in range(self.size**2 + 1) if not self.why_illegal(action)]

    def apply_action(self, action: int) -> None:
        """Play a legal action."""
        before, mover = self.cells, self.to_move
        self.situations.add((before, mover))
        if action == self.size**2:
            self.passes, self.moved_on = self.passes + 1, None
        else:
            self.cells, self.passes, self.moved_on = self.after(action), 0, (before, mover)
            self._count_captures(before, mover)
        self.to_move = mover.opponent
        self.situations.add((self.cells, self.to_move))

    def _count_captures(self, before: Cells, mover: Player) -> None:
        self.captures[mover] += before.count(mover.opponent) - self.cells.count(mover.opponent)
        self.captures[mover.opponent] += before.count(mover) + 1 - self.cells.count(mover)

    def resume(self, player: Player) -> None:
        """Let `player` move next, after the end too."""
        self.to_move = player
        self.passes = self.passes if self.passes < 2 else 0

    def place(self, player: Player, point: int) -> bool:
        """Put a stone and begin history here; False, and no change, if it may not be there."""
        placed = (*self.cells[:point], int(player), *self.cells[point + 1 :])
        smothered = any(take(placed, side, self.size) != placed for side in Player)
        if self.cells[point] != EMPTY or smothered:
            return False
        self.cells, self.passes, self.moved_on = placed, 0, None
        self.situations = set()
        return True

    def black_score(self, komi: float, dead: Iterable[int] = ()) -> float:
        """Black's points less White's, with the chains of the dead points taken off."""
        gone = {p for d in dead if self.cells[d] != EMPTY for p in region(self.cells, d, self.size)}
        left = without(self.cells, gone)
        score = self._points(left, Player.BLACK) - self._points(left, Player.WHITE)
        if self.rules.scoring == "territory":
            prisoners = [self.captures[p] + sum(self.cells[g] != p for g in gone) for p in Player]
            return score + prisoners[0] - prisoners[1] - komi
        stones = self.handicap if self.handicap > 1 else 0  # one is no handicap
        bonus = {"none": 0, "n": stones, "n-1": max(stones - 1, 0)}
        return score - bonus[self.rules.handicap_bonus] - komi

    def _points(self, cells: Cells, player: Player) -> int:
        """The empty points that only `player` reaches; under area scoring stones too."""
        empties = [point for point, stone in enumerate(cells) if stone == EMPTY]
        reached = [borders(cells, region(cells, p, self.size), self.size) for p in empties]
        surrounded = sum(sides == {player} for sides in reached)
        return surrounded + (cells.count(player) if self.rules.scoring == "area" else 0)
