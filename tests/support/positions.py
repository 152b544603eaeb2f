"""Positions for tests: by their moves, and random ones."""

import random
from typing import cast

import gtpcore
from games.base import Game
from games.connect4 import ConnectFour
from games.position import Position, play_at_random


def after(game: Game, *actions: int) -> Position:
    """The position after `actions`, the first of them Black's."""
    position = Position(game)
    for action in actions:
        position.play(position.to_move, action)
    return position


def played(game: Game, *vertices: str) -> Position:
    """The same for moves as they are written."""
    position = Position(game)
    for vertex in vertices:
        position.play(position.to_move, game.string_to_action(position.state, vertex))
    return position


def random_position(rng: random.Random, discs: int) -> Position:
    """A game of Connect Four after so many random moves, and not over."""
    position = Position(ConnectFour())
    while not play_at_random(position, discs, rng):
        position = Position(ConnectFour())
    return position


def random_connect_four(rng: random.Random, discs: int) -> gtpcore.ConnectFourState:
    """The state of such a game."""
    return cast(gtpcore.ConnectFourState, random_position(rng, discs).state)
