"""Which stones are alive at the end of a game of Go, judged by who will own their points.

A chain is dead if its own side seldom keeps its points. Two opposing chains are in seki if they
live, share a liberty, and neither has a liberty that is its side's own. A seki whose eyes playouts
never lose is not told from ordinary life: under territory scoring such eyes count, as they should
not.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import gtpcore
from games.base import Player
from games.go_chains import Chain, chains_of

PLAYOUTS = 500
DEAD_BELOW = -0.4
"""A chain whose points are its side's less than this, from -1 to 1, is dead."""
OWN_ABOVE = 0.5
"""A liberty that is a side's more than this, from -1 to 1, is its own."""
LOST_BELOW = -0.5
"""A chain whose points a net says are its side's less than this, from -1 to 1, is lost."""


class Status(NamedTuple):
    """The points of all stones, ascending, by what becomes of them."""

    alive: list[int]
    seki: list[int]
    dead: list[int]


@dataclass(frozen=True)
class _Chain(Chain):
    kept: float
    """As `hold` says."""
    own_liberties: int

    def shares_liberty(self, others: Iterable["_Chain"]) -> bool:
        return any(
            other.player != self.player and self.liberties & other.liberties for other in others
        )


def owners_of(
    state: gtpcore.GoState, judged: Sequence[float] | None = None, playouts: int = PLAYOUTS
) -> Sequence[float]:
    """Whose each point will be, from -1 for White to 1 for Black, by playouts.

    What a net has `judged` counts as well, and as much where it is sure: it sees who lives where
    playouts blunder; but it learned from games that count as they stand, so that it does not know
    what becomes of dead stones that nobody captures. Where it knows of a chain that it is lost, it
    alone counts: playouts miss how to kill more often than a net makes that up.
    """
    played = state.ownership(playouts, seed=0)
    if judged is None:
        return played
    lost = {
        point
        for chain in chains_of(state)
        if chain.hold(judged) < LOST_BELOW
        for point in chain.points
    }
    return [
        other if point in lost else (one + abs(other) * other) / (1 + abs(other))
        for point, (one, other) in enumerate(zip(played, judged, strict=True))
    ]


def judge(state: gtpcore.GoState, judged: Sequence[float] | None = None) -> Status:
    """The status of every stone; the same for the same position, whoever is to move.

    `judged` has whose each point will be as a net says; see `owners_of`.
    """
    chains = list(_chains(state, owners_of(state, judged)))
    dead = [chain for chain in chains if chain.kept < DEAD_BELOW]
    homeless = [chain for chain in chains if chain not in dead and not chain.own_liberties]
    seki = [chain for chain in homeless if chain.shares_liberty(homeless)]
    alive = [chain for chain in chains if chain not in dead and chain not in seki]
    return Status(_points(alive), _points(seki), _points(dead))


def as_they_stand(state: gtpcore.GoState) -> Status:
    """The status of every stone where the rules have none removed."""
    return Status(sorted(point for player in Player for point in state.stones(player)), [], [])


def agreed_score(state: gtpcore.GoState, judged: Sequence[float] | None = None) -> float:
    """Black's points less White's if both pass and, where the rules have it, agree on `judge`."""
    if not state.rules.remove_dead:
        return state.black_score()
    status = judge(state, judged)
    return state.black_score(status.dead, status.seki)


def _points(chains: Iterable[_Chain]) -> list[int]:
    return sorted(point for chain in chains for point in chain.points)


def _chains(state: gtpcore.GoState, ownership: Sequence[float]) -> Iterator[_Chain]:
    for chain in chains_of(state):
        own = sum(chain.player.sign * ownership[point] > OWN_ABOVE for point in chain.liberties)
        kept = chain.hold(ownership)
        yield _Chain(chain.player, chain.points, chain.liberties, kept, own)
