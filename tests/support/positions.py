"""Positions for tests: by their moves, and random ones."""

import random

import gtpcore
from games.base import Game
from games.position import Position


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


def random_connect_four(rng: random.Random, discs: int) -> gtpcore.ConnectFourState:
    """After so many random moves, and not over."""
    while True:
        state = gtpcore.ConnectFourState()
        for _ in range(discs):
            if not state.is_terminal:
                state.apply_action(rng.choice(state.legal_actions()))
        if not state.is_terminal:
            return state
