"""The chains of a Go board, and which of them ladders take, as Python sees them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import gtpcore
from games.base import Player


@dataclass(frozen=True)
class Chain:
    """Stones of one player that live or die together."""

    player: Player
    points: tuple[int, ...]
    """Ascending."""
    liberties: frozenset[int]

    def hold(self, ownership: Sequence[float]) -> float:
        """How sure its points are to stay its side's, from -1 for lost to 1.

        `ownership` has whose each point will be, from -1 for White to 1 for Black.
        """
        return self.player.sign * sum(ownership[point] for point in self.points) / len(self.points)


class Ladders(NamedTuple):
    """What ladders mean for the player to move; points in ascending order."""

    prey: list[int]
    """Stones of either player that a ladder takes, even if their owner moves where it is theirs."""
    beginnings: list[int]
    """Moves that begin a ladder."""


def chains_of(state: gtpcore.GoState) -> Iterator[Chain]:
    """All chains, Black's first, in the order of their lowest points."""
    for player in Player:
        seen = set[int]()
        for stone in state.stones(player):
            if stone not in seen:
                points, liberties = state.chain_at(stone)
                seen.update(points)
                yield Chain(player, tuple(points), frozenset(liberties))


def ladders(state: gtpcore.GoState) -> Ladders:
    """The ladders of the player to move, as a net is shown them."""
    prey, beginnings = (state.planes()[:, :, plane].ravel() for plane in (-2, -1))
    return Ladders(prey.nonzero()[0].tolist(), beginnings.nonzero()[0].tolist())
