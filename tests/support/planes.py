"""Positions as nets see them."""

import random
from typing import cast

import numpy as np
from numpy.typing import NDArray

import gtpcore
from games.base import Game
from games.go import Go, GoOptions
from games.registry import GAMES


def random_planes(game: str, count: int, seed: int) -> NDArray[np.float32]:
    """Planes [count, H, W, C] of legal positions, one of each of so many random games."""
    rng = random.Random(seed)
    return np.stack([random_state(GAMES[game](), rng).planes() for _ in range(count)])


def random_go_planes(size: int, count: int, seed: int) -> NDArray[np.float32]:
    """The same for Go on a board of `size`, with positions from the openings of few games."""
    rng = random.Random(seed)
    game = Go(GoOptions(size=size, komi=rng.choice((-3.5, 0.5, 7.5))))
    state = game.new_state()
    planes: list[NDArray[np.float32]] = []
    while len(planes) < count:
        if state.is_terminal:
            state = game.new_state()
        planes.append(state.planes())
        for _ in range(1 + size // 2):
            if not state.is_terminal:
                state.apply_action(rng.choice(state.legal_actions()))
    return np.stack(planes)


def random_state(game: Game, rng: random.Random) -> gtpcore.State:
    """A position of a random game that is not over."""
    state, actions = cast(gtpcore.State, game.new_state()), list[int]()
    while not state.is_terminal:
        actions.append(rng.choice(list(state.legal_actions())))
        state.apply_action(actions[-1])
    state = cast(gtpcore.State, game.new_state())
    for action in actions[: rng.randrange(len(actions))]:
        state.apply_action(action)
    return state
