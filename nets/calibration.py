"""How large the numbers within a net become in games, so that it may play in eight bits.

The games are the net's own: each move is drawn by its policy, or at random if it has none. What is
found is written into its ONNX file, as the positions of its game are at hand when that is made, not
when it is read.
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
from nets.int8 import Peaks, peaks_met
from nets.onnx_file import read_model
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
SPREAD = 0.7
"""Moves are drawn by their probabilities to the power of this, lest all games be alike."""


def peaks_in_games(path: Path, game: str) -> Peaks:
    """What `nets.int8` needs to know of an `.onnx` file; nothing of one for other boards."""
    peaks: dict[str, float] = {}
    for positions in positions_in_games(path, game):
        for name, peak in peaks_met(read_model(path), positions).items():
            peaks[name] = max(peak, peaks.get(name, 0.0))
    return peaks


def positions_in_games(path: Path, game: str) -> Iterator[Iterator[NDArray[np.float32]]]:
    """Planes [GAMES, H, W, C] after each move, for each board that the net is for."""
    for board in BOARDS.get(game, ()):
        try:
            net = Net(path, NetSpec.of(board), precision="f32")
        except NetError:  # it is for a board of another size
            continue
        yield _positions(net, board)


def _positions(net: Net, game: Game) -> Iterator[NDArray[np.float32]]:
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
