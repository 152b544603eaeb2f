"""Go, on boards of 2x2 to 25x25.

Actions are points, row * size + column with A1 = 0, and then the pass.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, cast

from pydantic import Field, field_validator

import gtpcore
from games.base import Game, GameOptions, GameSpec, Player, State
from games.coords import action_to_vertex, vertex_to_action
from games.errors import IllegalMoveError
from games.go_rules import CHINESE, Rules, parse_rules, preset_name


class GoOptions(GameOptions):
    """Options of Go."""

    size: int = Field(19, ge=2, le=25, description="points a side")
    rules: Rules = Field(CHINESE, description="a preset such as japanese, or KataGo's JSON")
    komi: float | None = Field(
        None,
        multiple_of=0.5,
        ge=-1000,
        le=1000,
        description="points for White, a multiple of 0.5; none: that of the rules",
    )

    @field_validator("rules", mode="before")
    @classmethod
    def _parse(cls, value: object) -> object:
        return parse_rules(value) if isinstance(value, str) else value


class Go(Game):
    """Go; the same face for every size and all rules."""

    Options = GoOptions

    def __init__(self, options: GoOptions | None = None) -> None:
        """By default 19x19 under Chinese rules."""
        self.options = self._options = options or GoOptions()
        size = self._options.size
        self.spec = GameSpec(
            name="go",
            title="Go",
            num_actions=size * size + 1,
            width=size,
            height=size,
            max_length=10 * size * size,
            any_player_may_move=True,
        )

    @property
    def rules(self) -> Rules:
        """The rules, with their usual komi, which need not be the one in force."""
        return self._options.rules

    @property
    def komi(self) -> float:
        """The komi in force."""
        komi = self._options.rules.komi if self._options.komi is None else self._options.komi
        return komi + 0.0  # of -0 this makes 0

    @property
    def given_komi(self) -> float | None:
        """The komi if it was given by itself; None if it is the usual one of the rules."""
        return self._options.komi

    @property
    def core_rules(self) -> gtpcore.GoRules:
        """The rules for the native board, with the komi in force."""
        return self._options.rules.with_komi(self.komi)

    @property
    def described(self) -> str:
        """With the size, the rules and the komi: `Go 9x9, japanese rules, komi 6.5`."""
        size, rules = self._options.size, self._options.rules
        name = preset_name(rules) or rules.to_kata_json()
        return f"{self.spec.title} {size}x{size}, {name} rules, komi {self.komi:g}"

    def new_state(self) -> gtpcore.GoState:
        """The empty board, Black to move."""
        return gtpcore.GoState(self._options.size, self.core_rules)

    def place(self, state: gtpcore.GoState, stones: Iterable[tuple[Player, int]]) -> None:
        """Put stones on the board of `state`. Raises IllegalMoveError, which names the stone."""
        for player, point in stones:
            try:
                state.place(player, point)
            except IllegalMoveError as error:
                vertex = self.action_to_string(state, point)
                raise IllegalMoveError(f"{player} {vertex}: {error}") from None

    def action_to_string(self, state: State, action: int) -> str:
        """A vertex, or `pass`."""
        return action_to_vertex(action, self._options.size)

    def line_to_strings(self, state: State, actions: Sequence[int]) -> list[str]:
        """As they are, unchecked: a move is written the same whatever came before.

        They are legal if a search found them, as positions of Go are not shared.
        """
        return [self._names[action] for action in actions]

    @cached_property
    def _names(self) -> list[str]:
        """Of all actions; a line of analysis names thousands."""
        size = self._options.size
        return [action_to_vertex(action, size) for action in range(size * size + 1)]

    def string_to_action(self, state: State, text: str) -> int:
        """A vertex, or `pass`, in any case of letters."""
        return vertex_to_action(text, self._options.size)

    def board(self, state: State) -> list[list[str]]:
        """Stones as `X` and `O`."""
        go, size = cast(gtpcore.GoState, state), self._options.size
        return [
            ["XO."[go.stone_at(row * size + column)] for column in range(size)]
            for row in reversed(range(size))
        ]

    def heading(self, state: State) -> Mapping[str, Any]:
        """Captures and komi."""
        go = cast(gtpcore.GoState, state)
        return {
            "Black captured": go.captures(Player.BLACK),
            "White captured": go.captures(Player.WHITE),
            "Komi": self.komi,
        }
