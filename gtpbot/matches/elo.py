"""How much stronger one engine is than another, and how sure that is.

Elo's logistic model: who is stronger by d scores 1 / (1 + 10^(-d / 400)) of the points.

Two games from the same opening are not independent: what is good for Black helps each engine once.
So a pair of games counts as one sample, with 0 to 2 points, the pentanomial model of fishtest; see
M. Van den Bergh, "A practical introduction to the GSPRT", and `gtpbot/matches/sprt.py`.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from gtpbot.measure.intervals import Z95, wilson

Block: TypeAlias = tuple[float, ...]
"""The points (1, 0.5, 0) in the games from one opening: two games, or one so far."""


def elo_of(rate: float) -> float:
    """The difference in strength, in Elo, of who scores this share of the points.

    >>> elo_of(0.5), round(elo_of(0.76), 1), elo_of(1.0)
    (0.0, 200.2, inf)
    """
    if not 0 < rate < 1:
        return math.inf if rate >= 1 else -math.inf
    return 400 * math.log10(rate / (1 - rate)) + 0.0


def rate_of(elo: float) -> float:
    """The share of the points of who is stronger by so much.

    >>> round(rate_of(200), 3)
    0.76
    """
    return 1 / (1 + 10 ** (-elo / 400))


class Tally:
    """What one engine scored against another, or against all others."""

    def __init__(self, blocks: Iterable[Block] | Mapping[Block, int] = ()) -> None:
        """Of the points from each opening, or of how many openings went so."""
        self.blocks = Counter(blocks)
        """How many openings went so: a match of thousands of games has few kinds of them."""

    @property
    def points(self) -> float:
        """Of all games together."""
        return sum(sum(block) * count for block, count in self.blocks.items())

    @property
    def games(self) -> int:
        """How many were played."""
        return sum(len(block) * count for block, count in self.blocks.items())

    @property
    def wins_draws_losses(self) -> tuple[int, int, int]:
        """How the games ended."""
        win, draw, loss = (
            sum(block.count(points) * count for block, count in self.blocks.items())
            for points in (1, 0.5, 0)
        )
        return win, draw, loss

    @property
    def rate(self) -> float:
        """The share of the points; a half of none."""
        return self.points / self.games if self.games else 0.5

    @property
    def deviation(self) -> float:
        """The standard error of the rate; infinite from one opening.

        Few openings often went alike by luck, which is no proof that all do: one opening that one
        engine won altogether is added to what they differ by.
        """
        blocks, games = self.blocks.total(), self.games
        if blocks < 2:
            return math.inf
        squares = self.squares(self.rate)
        unseen = (games / blocks / 2) ** 2
        return math.sqrt((squares + unseen) * blocks / (blocks - 1)) / games

    def squares(self, rate: float) -> float:
        """By how much the points from each opening differ from those of `rate`, squared."""
        return sum(
            count * (sum(block) - len(block) * rate) ** 2 for block, count in self.blocks.items()
        )

    @property
    def pairs(self) -> tuple[int, int, int, int, int]:
        """The pairs of games with 0, 1/2, 1, 3/2 and 2 points."""
        found = [0] * 5
        for block, count in self.blocks.items():
            if len(block) == 2:
                found[round(2 * sum(block))] += count
        none, half, one, more, two = found
        return none, half, one, more, two

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the rate; the exact one where one engine won all.

        Of one opening, which tells nothing of how openings differ, it is Wilson's.
        """
        if self.games and self.rate in (0, 1):
            surely = 0.025 ** (1 / self.games)  # Clopper and Pearson's
            return (surely, 1.0) if self.rate == 1 else (0.0, 1 - surely)
        if self.blocks.total() < 2:
            return wilson(self.points, self.games)
        half = Z95 * self.deviation
        return max(0.0, self.rate - half), min(1.0, self.rate + half)

    @property
    def elo(self) -> float:
        """The estimated difference in strength."""
        return elo_of(self.rate)

    @property
    def elo_interval(self) -> tuple[float, float]:
        """Its 95 % interval."""
        low, high = self.interval
        return elo_of(low), elo_of(high)

    @property
    def superiority(self) -> float:
        """The likelihood of superiority, 0 to 1: how sure it is that the engine is stronger."""
        wins, _, losses = self.wins_draws_losses
        if not wins + losses:
            return 0.5
        error = self.deviation
        if math.isinf(error):
            error = math.sqrt(wins + losses) / (2 * self.games)
        return (1 + math.erf((self.rate - 0.5) / error / math.sqrt(2))) / 2


def joined(tallies: Iterable[Tally]) -> Tally:
    """Several tallies of one engine as one."""
    return Tally(sum((tally.blocks for tally in tallies), Counter()))


def shown(tally: Tally) -> str:
    """Elo and its error.

    >>> shown(Tally([(1, 0.5), (1, 0), (0.5, 0.5), (1, 1)] * 10)), shown(Tally([(1, 1)]))
    ('+137 ± 57', 'above -291')
    """
    low, high = tally.elo_interval
    if math.isinf(low) or math.isinf(high):
        return _one_sided(low, high)
    return f"{tally.elo:+.0f} ± {(high - low) / 2:.0f}"


def _one_sided(low: float, high: float) -> str:
    if math.isinf(low) and math.isinf(high):
        return "unknown"
    return f"below {high:+.0f}" if math.isinf(low) else f"above {low:+.0f}"
