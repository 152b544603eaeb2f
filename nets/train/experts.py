"""Those whose moves the first nets learn: by rule, by search, or by exact solution.

An expert fills one shard at a time with positions, from a generator of that shard's own.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

import gtpcore
from games.base import after
from gtpcore import State
from nets.train.lockstep import Moves, either, exact, one_hot, opened, planes_of, play, uct, uniform
from nets.train.records import Records
from nets.train.solved import Solved, all_openings

Start = Callable[[], State]


class Expert(Protocol):
    """Makes positions to learn from."""

    def __call__(self, new_state: Start, positions: int, rng: np.random.Generator) -> Records:
        """About so many positions, of games from `new_state`."""


def won(moves: Moves, num_actions: int, least: float = 1.0) -> Records:
    """The moves of those for whom the game ended with `least` or better, as one-hot policies."""
    kept = moves[moves.value >= least]
    return Records.pack(kept.planes, one_hot(kept.action, num_actions), kept.value)


def _until(positions: int, make: Callable[[], Records]) -> Records:
    """Records of `make`, as often as it takes."""
    parts = [make()]
    while sum(map(len, parts)) < positions:
        parts.append(make())
    return Records.join(parts)[np.arange(positions)]


def coin_rule(states: Sequence[State], rng: np.random.Generator) -> NDArray[np.intp]:
    """Leaves a multiple of `max_take + 1` coins where it can, else takes any number."""
    actions = uniform(states, rng)
    for number, state in enumerate(states):
        surplus = cast(gtpcore.CoinState, state).coins % (state.num_actions + 1)
        actions[number] = surplus - 1 if surplus else actions[number]
    return actions


def coin_games(new_state: Start, positions: int, rng: np.random.Generator) -> Records:
    """Winners' moves of games by the rule, from piles of all sizes."""

    def games() -> Records:
        starts = opened(new_state, 256, 20, rng)
        return won(play(starts, (coin_rule, coin_rule), rng), starts[0].num_actions)

    return _until(positions, games)


def tictactoe_games(new_state: Start, positions: int, rng: np.random.Generator) -> Records:
    """Moves of who did not lose: alpha-beta to the end, against itself or random moves."""
    best = exact(None)

    def games() -> Records:
        starts = [new_state() for _ in range(64)]
        rivals = (best, either(best, uniform, 0.5))
        black, white = rivals if rng.random() < 0.5 else rivals[::-1]
        return won(play(starts, (black, white), rng), starts[0].num_actions, least=0.0)

    return _until(positions, games)


def tictactoe_exact(new_state: Start, positions: int, rng: np.random.Generator) -> Records:
    """So many of all 4,520 positions, or all, each with all its best moves and its value."""
    every = list(every_position(new_state()))
    states = [every[number] for number in np.sort(rng.permutation(len(every))[:positions])]
    search = gtpcore.ExactSearch(prune=True)
    reports = [search.run(state, state.legal_actions()) for state in states]
    policy = np.zeros((len(states), states[0].num_actions))
    for row, report in zip(policy, reports, strict=True):
        row[report.best] = 1 / len(report.best)
    return Records.pack(planes_of(states), policy, [report.value_to_move for report in reports])


def every_position(state: State) -> Iterator[State]:
    """All positions that are not over and can come from one, itself included, each once."""
    known = {state.hash}
    row = [state]
    while row:
        yield from row
        moved = (after(state, action) for state in row for action in state.legal_actions())
        following = {s.hash: s for s in moved if not s.is_terminal and s.hash not in known}
        known |= following.keys()
        row = list(following.values())


def connect4_games(new_state: Start, positions: int, rng: np.random.Generator) -> Records:
    """Winners' moves as the textbook has them: after a first move in the centre, each player
    makes half his moves by Monte-Carlo tree search and half by minimax of depth 3.
    """
    mixed = either(uct(1_000), exact(3), 0.5)

    def games() -> Records:
        starts = [new_state() for _ in range(32)]
        for state in starts:
            state.apply_action(state.num_actions // 2)
        return won(play(starts, (mixed, mixed), rng), starts[0].num_actions)

    return _until(positions, games)


EXPERTS: Mapping[str, Mapping[str, Expert]] = {
    "coin": {"games": coin_games},
    "tictactoe": {"exact": tictactoe_exact, "games": tictactoe_games},
    "connect4": {"solver": Solved(), "openings": all_openings, "games": connect4_games},
}
"""The experts of each game by name; the first one is the default."""

ALL_AT_ONCE = frozenset({"exact", "openings"})
"""Those who draw from all positions, for each shard anew: one shard has none twice, two may."""
