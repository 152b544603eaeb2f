"""Which game of a match is which: who plays it with which colour from which opening."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["round-robin", "gauntlet"]


@dataclass(frozen=True)
class Fixture:
    """A game to play."""

    number: int
    black: int
    """The number of the engine."""
    white: int
    opening: int
    """The number of the pair of games that begin alike, with the colours exchanged."""


@dataclass(frozen=True)
class Schedule:
    """All games, in an order that does not depend on how many there are.

    So a finished match can be made longer. In turns, every pairing plays two games from the same
    opening, each engine with each colour.
    """

    engines: int
    kind: Kind = "round-robin"

    @cached_property
    def pairings(self) -> Sequence[tuple[int, int]]:
        """Who plays whom: everybody everybody, or the first engine all others."""
        if self.kind == "gauntlet":
            return [(0, other) for other in range(1, self.engines)]
        return list(combinations(range(self.engines), 2))

    def fixture(self, number: int) -> Fixture:
        """The game of this number. Raises ValueError if it is below 0."""
        if number < 0:
            raise ValueError(f"game {number}: expected a number from 0 on")
        pair, second = divmod(number, 2)
        opening, pairing = divmod(pair, len(self.pairings))
        one, other = self.pairings[pairing]
        return Fixture(number, *((other, one) if second else (one, other)), opening)

    def fixtures(self, games: int) -> Iterator[Fixture]:
        """All games, if each pairing plays so many."""
        for number in range((games + 1) // 2 * 2 * len(self.pairings)):
            fixture = self.fixture(number)
            if 2 * fixture.opening + number % 2 < games:
                yield fixture
