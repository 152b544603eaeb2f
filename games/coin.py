"""The coin game: 21 coins, each turn takes 1 or 2, who takes the last coin wins.

On a board the coins lie in one row; the removable ones are at its right end. The move that takes
two coins is written as the farther of the two points, or just as `2`.
"""

from typing import cast

from pydantic import Field, model_validator

import gtpcore
from games.base import Game, GameOptions, GameSpec, State
from games.coords import point_to_vertex, vertex_to_point
from games.errors import IllegalMoveError, InvalidMoveError
from games.picture import Picture, vertices

FELT, GOLD, BRIGHT_GOLD = "#008040", "#ffd000", "#ffff90"


class CoinOptions(GameOptions):
    """Options of the coin game."""

    pile: int = Field(21, ge=1, le=650, description="coins at the start; A to ZZ on the row")
    max_take: int = Field(2, ge=1, le=626, description="the most coins that a turn may take")

    @model_validator(mode="after")
    def _check_take(self) -> "CoinOptions":
        if self.max_take > self.pile:
            raise ValueError(f"max_take is {self.max_take}: expected at most the pile, {self.pile}")
        return self


class Coin(Game):
    """The coin game; the first player wins unless the pile is a multiple of max_take + 1."""

    Options = CoinOptions

    def __init__(self, options: CoinOptions | None = None) -> None:
        """By default 21 coins, take 1 or 2."""
        self.options = self._options = options or CoinOptions()
        self.spec = GameSpec(
            name="coin",
            title="Coin Game",
            num_actions=self._options.max_take,
            width=self._options.pile,
            height=1,
            max_length=self._options.pile,
        )

    def new_state(self) -> gtpcore.CoinState:
        """The full pile, Black to move."""
        return gtpcore.CoinState(self._options.pile, self._options.max_take)

    def action_to_string(self, state: State, action: int) -> str:
        """The point of the leftmost coin taken."""
        return point_to_vertex(cast(gtpcore.CoinState, state).coins - 1 - action, 0)

    def string_to_action(self, state: State, text: str) -> int:
        """A point of the row, or the number of coins to take.

        Raises IllegalMoveError for a point whose coin is gone, or out of reach.
        """
        coins, most = cast(gtpcore.CoinState, state).coins, self.spec.num_actions
        if text.isascii() and text.isdigit():
            action = int(text.lstrip("0")[:6] or 0) - 1
            if not 0 <= action < most:
                raise InvalidMoveError(f"invalid move {text!r}: expected 1 to {most} coins")
            return action
        action = coins - 1 - vertex_to_point(text, self.spec.width, 1)[0]
        if not 0 <= action < most:
            raise IllegalMoveError(f"illegal move {text!r}: expected one of the last {most} coins")
        return action

    def board(self, state: State) -> list[list[str]]:
        """One row: `X` for a coin, `.` where one was taken."""
        coins = cast(gtpcore.CoinState, state).coins
        return [["X"] * coins + ["."] * (self.spec.width - coins)]

    def picture(self, state: State) -> Picture:
        """Golden coins on green felt, those that may be taken brighter, numbered by how many."""
        coins = cast(gtpcore.CoinState, state).coins
        place = vertices((column, 0) for column in range(self.spec.width))
        takes = {place[coins - 1 - action]: str(action + 1) for action in state.legal_actions()}
        kept = coins - len(takes)
        colors = {GOLD: place[:kept], BRIGHT_GOLD: place[kept:coins], FELT: place[coins:]}
        return Picture(text=f"{coins} coins are left", colors=colors, labels=takes)
