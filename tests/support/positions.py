"""Positions for tests, given by their moves."""

from games.base import Game
from games.position import Position


def after(game: Game, *actions: int) -> Position:
    """The position after `actions`, the first of them Black's."""
    position = Position(game)
    for action in actions:
        position.play(position.to_move, action)
    return position
