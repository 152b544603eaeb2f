"""How much stronger one engine is than another, and how sure that is.

Elo's logistic model: who is stronger by d scores 1 / (1 + 10^(-d / 400)) of the points.

Two games from the same opening are not independent: what is good for Black helps each engine once.
So a pair of games counts as one sample, with 0 to 2 points, the pentanomial model of fishtest; see
M. Van den Bergh, "A practical introduction to the GSPRT", and `gtpbot/matches/sprt.py`.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gtpbot.measure.intervals import Z95, wilson


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


@dataclass(frozen=True)
class Tally:
    """What one engine scored against another, or against all others."""

    blocks: Sequence[Sequence[float]] = ()
    """The points (1, 0.5, 0) in the games from each opening: two games, or one so far."""

    @property
    def points(self) -> Sequence[float]:
        """Of all games."""
        return [points for block in self.blocks for points in block]

    @property
    def games(self) -> int:
        """How many were played."""
        return len(self.points)

    @property
    def wins_draws_losses(self) -> tuple[int, int, int]:
        """How the games ended."""
        count = Counter(self.points)
        return count[1], count[0.5], count[0]

    @property
    def rate(self) -> float:
        """The share of the points; a half of none."""
        return sum(self.points) / self.games if self.games else 0.5

    @property
    def deviation(self) -> float:
        """The standard error of the rate; infinite from one opening.

        Few openings often went alike by luck, which is no proof that all do: one opening that one
        engine won altogether is added to what they differ by.
        """
        blocks, games = len(self.blocks), self.games
        if blocks < 2:
            return math.inf
        rate = self.rate
        squares = sum((sum(block) - len(block) * rate) ** 2 for block in self.blocks)
        unseen = (games / blocks / 2) ** 2
        return math.sqrt((squares + unseen) * blocks / (blocks - 1)) / games

    @property
    def pairs(self) -> tuple[int, int, int, int, int]:
        """The pairs of games with 0, 1/2, 1, 3/2 and 2 points."""
        count = Counter(2 * sum(block) for block in self.blocks if len(block) == 2)
        return count[0], count[1], count[2], count[3], count[4]

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the rate; the exact one where one engine won all.

        Of one opening, which tells nothing of how openings differ, it is Wilson's.
        """
        if self.games and self.rate in (0, 1):
            surely = 0.025 ** (1 / self.games)  # Clopper and Pearson's
            return (surely, 1.0) if self.rate == 1 else (0.0, 1 - surely)
        if len(self.blocks) < 2:
            return wilson(sum(self.points), self.games)
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
    return Tally([block for tally in tallies for block in tally.blocks])


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
