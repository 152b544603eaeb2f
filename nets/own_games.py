"""Games that a net plays against itself, by which it is known when its ONNX file is made.

Each move is drawn by its policy, or at random if it has none. What the file needs to say of such
positions is written into it, as they are at hand then, not when the file is read.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

import gtpcore
from games.base import Game
from games.connect4 import ConnectFour
from games.go import Go, GoOptions
from nets.runtime import Net
from nets.spec import NetError, NetSpec

BOARDS: dict[str, Sequence[Game]] = {
    "connect4": (ConnectFour(),),
    "go": (Go(GoOptions(size=9)), Go(GoOptions(size=19))),
}
"""The games whose nets have wide convolutions, and the boards they are watched on."""
GAMES = 8
"""Played at a time."""
MOVES = 60
"""Made in each; a game that ends is followed by another."""
TOGETHER = 15
"""Moves whose positions are a batch."""
SPREAD = 0.7
"""Moves are drawn by their probabilities to the power of this, lest all games be alike."""


def positions_met(path: Path, game: str) -> list[NDArray[np.float32]]:
    """Batches of planes [TOGETHER * GAMES, H, W, C], on each board that an `.onnx` file is for."""
    batches: list[NDArray[np.float32]] = []
    for board in BOARDS.get(game, ()):
        try:
            net = Net(path, NetSpec.of(board), precision="f32")
        except NetError:  # it is for a board of another size
            continue
        met = list(_positions(net, board))
        batches += [np.concatenate(met[i : i + TOGETHER]) for i in range(0, MOVES, TOGETHER)]
    return batches


def _positions(net: Net, game: Game) -> Iterator[NDArray[np.float32]]:
    """Planes [GAMES, H, W, C] before each of MOVES moves."""
    rng = np.random.default_rng(0)
    states = [_start(game) for _ in range(GAMES)]
    for _ in range(MOVES):
        planes = np.stack([state.planes() for state in states])
        yield planes
        policy, _ = net(planes)
        for number, state in enumerate(states):
            state.apply_action(_drawn(state, None if policy is None else policy[number], rng))
            if state.is_terminal:
                states[number] = _start(game)


def _start(game: Game) -> gtpcore.State:
    return cast(gtpcore.State, game.new_state())


def _drawn(
    state: gtpcore.State, policy: NDArray[np.float32] | None, rng: np.random.Generator
) -> int:
    actions = state.candidates()
    if policy is None:
        return int(rng.choice(actions))
    weights = policy[actions].astype(np.float64) ** SPREAD + 1e-9
    return int(rng.choice(actions, p=weights / weights.sum()))
