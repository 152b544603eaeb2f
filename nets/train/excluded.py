"""Positions that must never be learned from, as others measure with them."""

import numpy as np
from numpy.typing import NDArray

from games.base import Game
from gtpcore import State
from nets.train.errors import TrainingError
from nets.train.keys import position_keys
from nets.train.lockstep import planes_of, start_of
from nets.train.pipeline import Run


def excluded_keys(run: Run) -> NDArray[np.uint64]:
    """The keys of the positions in the file that a run excludes; none without a file.

    Each line begins with the moves that lead to a position: a character each, such as `4453`, or
    with commas where moves have more, as `B2,A1`, or `B2,` of one. Raises TrainingError.
    """
    if not run.excluded:
        return np.zeros(0, np.uint64)
    file = f"--exclude {run.excluded}"
    try:
        lines = run.excluded.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise TrainingError(f"{file}: expected text in UTF-8: {error}") from None
    states = [
        _replayed(run.game, line.split()[0], f"{file}, line {number}")
        for number, line in enumerate(lines, 1)
        if line.strip()
    ]
    if not states:
        raise TrainingError(f"{file}: expected positions, such as 4453 in a line")
    return position_keys(run.game.spec.name, planes_of(states))


def refuse_excluded(run: Run) -> None:
    """Raise TrainingError if a run excludes positions, where whole games are learned from."""
    if run.excluded is not None:
        raise TrainingError(
            f"--exclude {run.excluded}: is for positions of other games than Go, which holds out "
            "whole games of --from DIR: set games.held_out"
        )


def _replayed(game: Game, moves: str, place: str) -> State:
    state = start_of(game)()
    try:
        for move in filter(None, moves.split(",")) if "," in moves else moves:
            state.apply_action(game.string_to_action(state, move))
    except ValueError as error:
        raise TrainingError(f"{place}: position {moves!r}: {error}") from None
    return state
