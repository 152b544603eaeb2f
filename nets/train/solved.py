"""Positions of Connect Four with exact answers: what games of all strengths lead to, solved.

What helps a net most is how many positions there are, and how various. So the games are played by
everybody from random movers to searches, and no move that was made counts, but what the solver
says of all moves. The openings are known (`connect4_openings.py`), and all of the first ones can be
learned from. Positions with somewhat more discs take the solver long, and scores longer than mere
outcomes: the fewer discs, the fewer of them are kept, and the outcomes have to do.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gtpcore
from gtpcore import ConnectFourState
from nets.threads import go_on
from nets.train.connect4_openings import SOLVED_DISCS, openings_by_discs, solved_openings
from nets.train.keys import position_keys
from nets.train.lockstep import Choose, either, exact, planes_of, uct, uniform
from nets.train.records import Records

RANDOM_SHARES = (1.0, 0.5, 0.2, 0.05)
"""How often the players that search move at random."""
MOST_DISCS = 11
"""Of the openings that can be learned from: one move before those whose scores are known."""
MEMORY_MB = 32
"""The solver's: few positions are alike, so a table that stays in the cache is the quicker one."""
DELAY = 3.0
"""A win that takes so many moves more is chosen 1 / e as often, and so with sooner losses."""

Interest = Callable[[Sequence[ConnectFourState]], NDArray[np.floating[Any]]]
"""[B]: what share of such positions is worth to be solved, from 0 to 1."""


def alike(states: Sequence[ConnectFourState]) -> NDArray[np.float64]:
    """All of them."""
    return np.ones(len(states))


def all_strengths() -> list[Choose]:
    """From a random mover to one that searches."""
    strong = either(uct(300), exact(3), 0.5)
    return [either(strong, uniform, share) for share in RANDOM_SHARES]


@dataclass(frozen=True)
class Solved:
    """The expert."""

    scored: int = 22
    """From this many discs on the solver tells how soon a move wins or loses."""
    common: int = 18
    """From this many discs on all positions are kept alike, as are the openings; those between
    are rarer."""
    rarity: float = 0.55
    """How many positions are kept with one disc less, for each one kept."""
    kept: float = 0.3
    """The share of the positions visited that is kept of those that are not rarer."""
    least_discs: int = 0
    """Positions with fewer are left to others."""
    players: Sequence[Choose] = field(default_factory=all_strengths)
    """Who plays against himself, one of each kind of game."""
    games: int = 32
    """Of each kind at once."""
    interest: Interest = alike
    """In the positions that were visited."""

    def __call__(
        self, new_state: Callable[[], object], positions: int, rng: np.random.Generator
    ) -> Records:
        """So many positions, no two of them alike or mirrored."""
        found: dict[int, tuple[int, ConnectFourState]] = {}
        while len(found) < positions:
            for choose in self.players:
                go_on()
                for discs, states in visited(choose, self.games, rng):
                    few = self._chosen(discs, states, rng)
                    found.update(zip(_keys(few), ((discs, state) for state in few), strict=True))
        chosen = rng.permutation(len(found))[:positions]
        listed = list(found.values())
        return self._answers([listed[number] for number in chosen])

    def _answers(self, found: Sequence[tuple[int, ConnectFourState]]) -> Records:
        """Positions, by their discs, with their answers."""
        parts = []
        for exact_scores in (True, False):
            same = [state for discs, state in found if (discs >= self.scored) == exact_scores]
            parts += [solve(same, exact_scores)] if same else []
        return Records.join(parts)

    def _chosen(
        self, discs: int, states: Sequence[ConnectFourState], rng: np.random.Generator
    ) -> list[ConnectFourState]:
        """Those of visited positions with so many discs that are kept."""
        if discs < self.least_discs:
            return []
        lacking = self.common - discs if discs >= SOLVED_DISCS else 0
        shares = self.kept * self.rarity ** max(0, lacking) * self.interest(states)
        return [
            state
            for state, share, lot in zip(states, shares, rng.random(len(states)), strict=True)
            if lot < share
        ]


def all_openings(
    new_state: Callable[[], object], positions: int, rng: np.random.Generator
) -> Records:
    """So many positions, mirror images once: all of few discs, some of MOST_DISCS or fewer."""
    found: list[ConnectFourState] = []
    for every in islice(openings_by_discs(), MOST_DISCS + 1):
        chosen = np.sort(rng.permutation(len(every))[: positions - len(found)])
        found += [every[number] for number in chosen]
    return solve(found, exact=False)


def visited(
    choose: Choose, games: int, rng: np.random.Generator
) -> Iterator[tuple[int, list[ConnectFourState]]]:
    """The positions of some games that are not over after 0, 1, 2... moves."""
    states, discs = [ConnectFourState() for _ in range(games)], 0
    while states:
        yield discs, [_copy(state) for state in states]
        for state, action in zip(states, choose(states, rng), strict=True):
            state.apply_action(int(action))
        states, discs = [state for state in states if not state.is_terminal], discs + 1


def solve(states: Sequence[ConnectFourState], exact: bool) -> Records:
    """Positions that are not over, each with its value and how good which move is.

    If not exact, all moves that keep the outcome are equally good.
    """
    solver = gtpcore.ConnectFourSolver(max_bytes=MEMORY_MB << 20, book=solved_openings())
    scores = solver.label(states, exact=exact)
    legal = scores != gtpcore.ConnectFourSolver.NO_SCORE
    best = np.where(legal, scores, -99).max(axis=1)
    return Records.pack(planes_of(states), preferences(scores, legal), np.sign(best))


def preferences(scores: NDArray[np.int8], legal: NDArray[np.bool_]) -> NDArray[np.float64]:
    """[N, 7]: probabilities of moves of scores [N, 7], which tell outcomes and how soon.

    Only moves that keep the outcome have any; of these, quick wins and slow losses have more.
    """
    best = np.where(legal, scores, -99).max(axis=1, keepdims=True)
    keeps = legal & (np.sign(scores) == np.sign(best))
    weights = np.where(keeps, np.exp((scores.astype(float) - best) / DELAY), 0)
    shares: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return shares


def _keys(states: Sequence[ConnectFourState]) -> list[int]:
    keys: list[int] = position_keys("connect4", planes_of(states)).tolist() if states else []
    return keys


def _copy(state: ConnectFourState) -> ConnectFourState:
    copy = state.clone()
    assert isinstance(copy, ConnectFourState)
    return copy
