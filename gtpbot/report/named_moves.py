"""Moves that an analysis is to leave out or to look at alone, as clients name them."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from games.base import Player
from games.errors import IllegalMoveError
from games.position import Position
from search.agent import Ban, Limits


@dataclass(frozen=True)
class NamedMoves:
    """Moves of one player, in the next `plies` moves of both."""

    player: Player
    vertices: tuple[str, ...]
    plies: int

    def avoided(self, position: Position) -> list[Ban]:
        """That these are not looked at. Raises InvalidMoveError."""
        return self._banned(position, self._actions(position))

    def allowed(self, position: Position) -> list[Ban]:
        """That no others are. Raises InvalidMoveError."""
        named, every = self._actions(position), range(position.game.spec.num_actions)
        return self._banned(position, [action for action in every if action not in named])

    def _banned(self, position: Position, actions: Iterable[int]) -> list[Ban]:
        """For as long as clients say, who mean the whole game by numbers that no search takes."""
        plies = min(self.plies, position.game.spec.max_length)
        return [Ban(self.player, action, plies) for action in actions]

    def _actions(self, position: Position) -> list[int]:
        """Those of the moves that can be meant here: a full column of Connect Four has none."""
        actions = []
        for text in self.vertices:
            with suppress(IllegalMoveError):
                actions.append(position.game.string_to_action(position.state, text))
        return actions


def leaves_nothing(position: Position, bans: Iterable[Ban]) -> bool:
    """True if every legal move is banned."""
    banned = Limits(bans=tuple(bans)).banned(position.to_move)
    return bool(banned) and banned.issuperset(position.state.legal_actions())
