"""Whether a net is better than the best so far: pairs of games, and mistakes where all is known."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from games.begun_folders import read_json, write_json
from gtpcore import State
from nets.train.lockstep import Choose
from nets.train.strength import Score, match
from search.oracle import SearchOracle


def played(
    file: Path,
    one: Choose,
    other: Choose,
    new_state: Callable[[], State],
    pairs: int,
    opening: int,
    rng: np.random.Generator,
) -> Score:
    """The score of `one` in pairs of games, as `match` has it; kept in a file, not played twice."""
    if not file.exists():
        write_json(file, match(one, other, new_state, 2 * pairs, opening, rng)._asdict())
    return Score(**read_json(file))


def total(scores: Sequence[Score]) -> Score:
    """The sum of several."""
    return Score(*(sum(column) for column in zip(*scores, strict=True)))


def points(score: Score) -> float:
    """The share of points: a win is one, a draw half of one."""
    return (score.won + score.drawn / 2) / sum(score)


def mistakes(player: Choose, states: Sequence[State]) -> int:
    """In how many of some positions, none of them over, another move keeps a better result."""
    oracle, actions = SearchOracle(), player(states, np.random.default_rng(0))
    return sum(
        oracle.is_mistake(state, int(action)) for state, action in zip(states, actions, strict=True)
    )
