"""When an agent gives a lost game up: in Go not early, nor for what one search says."""

from typing import ClassVar

import gtpcore
from games.base import Player, State
from games.position import Move

GAMES_IN_MIND = 32
"""Lost games, of either player, that one who plays several at a time keeps apart."""


class Patience:
    """How often in a row each player found each game lost."""

    TURNS_TO_RESIGN: ClassVar[int] = 3
    """In Go, how many of a player's choices in a row must find the game lost."""

    def __init__(self) -> None:
        """Of no game it is known yet how lost it is."""
        self._lost: dict[tuple[Player, tuple[Move, ...]], int] = {}

    def is_over(self, state: State, moves: tuple[Move, ...], is_lost: bool) -> bool:
        """True if who is to move in `state`, after `moves`, should resign.

        `is_lost` is what the search for this choice found. In Go who gives a handicap begins with a
        game that looks lost, and the search may see late what a move of the opponent was worth.
        """
        turns = self._turns_lost(Player(state.current_player), moves, is_lost)
        if not isinstance(state, gtpcore.GoState):
            return is_lost
        is_late = 20 * len(moves) >= (4 + state.handicap) * state.size**2
        return is_late and turns >= self.TURNS_TO_RESIGN

    def _turns_lost(self, player: Player, moves: tuple[Move, ...], is_lost: bool) -> int:
        """How many choices of `player` in a row, this one among them, found the game lost.

        Other players and other games may be asked about between, and one position more than once.
        """
        of_game = {key: turns for key, turns in self._lost.items() if _begins(key, player, moves)}
        turns = of_game.get((player, moves)) or 1 + max(of_game.values(), default=0)
        for key in of_game:
            del self._lost[key]
        if not is_lost:
            return 0
        if len(self._lost) >= GAMES_IN_MIND:
            del self._lost[next(iter(self._lost))]
        self._lost[player, moves] = turns
        return turns


def _begins(key: tuple[Player, tuple[Move, ...]], player: Player, moves: tuple[Move, ...]) -> bool:
    """True if `key` is of the same player, and of a game that `moves` go on from."""
    return key[0] == player and key[1] == moves[: len(key[1])]
