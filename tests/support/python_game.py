"""A game written in Python alone: misere Nim, where who takes the last counter loses.

It keeps to `games.base.State` and `games.base.Game` and to nothing else, as somebody's own game
would. Heaps are the columns of the board. A move takes all counters of a heap from some height up,
and is written as the lowest cell that it takes.
"""

from typing import cast

from pydantic import Field

from games.base import Game, GameOptions, GameSpec, Player, State
from games.coords import point_to_vertex, vertex_to_point
from games.errors import GameOverError, IllegalMoveError


class NimState:
    """The heaps, and who is to move. Action heap * tallest + row leaves `row` counters there."""

    def __init__(self, heaps: list[int], player: Player = Player.BLACK) -> None:
        self.heaps = heaps
        self.current_player = player
        self._tallest = max(heaps)

    @property
    def num_actions(self) -> int:
        return len(self.heaps) * self._tallest

    @property
    def is_terminal(self) -> bool:
        return not any(self.heaps)

    @property
    def black_value(self) -> float:
        return 1.0 if self.current_player == Player.BLACK else -1.0

    @property
    def hash(self) -> int:
        return hash((tuple(self.heaps), self.current_player))

    def clone(self) -> "NimState":
        copy = NimState.__new__(NimState)
        copy.heaps = list(self.heaps)
        copy.current_player = self.current_player
        copy._tallest = self._tallest
        return copy

    def legal_actions(self) -> list[int]:
        return [
            heap * self._tallest + row
            for heap, counters in enumerate(self.heaps)
            for row in range(counters)
        ]

    def is_legal(self, action: int, /) -> bool:
        heap, row = divmod(action, self._tallest)
        return 0 <= heap < len(self.heaps) and row < self.heaps[heap]

    def apply_action(self, action: int, /) -> None:
        if self.is_terminal:
            raise GameOverError(f"action {action}: the game is over: {self}")
        if not self.is_legal(action):
            raise IllegalMoveError(f"action {action} is illegal in {self}")
        heap, row = divmod(action, self._tallest)
        self.heaps[heap] = row
        self.current_player = self.current_player.opponent

    def __str__(self) -> str:
        return f"heaps {self.heaps}, {self.current_player} to move"


class NimOptions(GameOptions):
    """Options of Nim."""

    heaps: str = Field(
        "1,3,4", pattern=r"^[1-9]\d?(,[1-9]\d?)*$", description="counters in each heap"
    )


class Nim(Game):
    """Misere Nim."""

    Options = NimOptions

    def __init__(self, options: NimOptions | None = None) -> None:
        self.options = self._options = options or NimOptions()
        heaps = self._heaps = [int(heap) for heap in self._options.heaps.split(",")]
        self.spec = GameSpec(
            name="nim",
            title="Nim",
            num_actions=len(heaps) * max(heaps),
            width=len(heaps),
            height=max(heaps),
            max_length=sum(heaps),
        )

    def new_state(self) -> NimState:
        return NimState(list(self._heaps))

    def action_to_string(self, state: State, action: int) -> str:
        return point_to_vertex(*divmod(action, self.spec.height))

    def string_to_action(self, state: State, text: str) -> int:
        heap, row = vertex_to_point(text, self.spec.width, self.spec.height)
        return heap * self.spec.height + row

    def board(self, state: State) -> list[list[str]]:
        heaps = cast(NimState, state).heaps
        rows = range(self.spec.height - 1, -1, -1)
        return [["X" if row < counters else "." for counters in heaps] for row in rows]
