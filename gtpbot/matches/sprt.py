"""When a match may stop: the sequential probability ratio test on pairs of games.

H0 says that the first engine is stronger by elo0, H1 by elo1. The likelihood ratio is that of the
GSPRT on the pentanomial distribution of pairs of games: each hypothesis may choose the
distribution of the five outcomes that explains the pairs best, provided that its mean is the score
the hypothesis predicts. See M. Van den Bergh, "A practical introduction to the GSPRT", 2020, from
which fishtest computes its figures. The bounds are Wald's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gtpbot.matches.elo import rate_of

Verdict: TypeAlias = Literal["H0", "H1"]

UNSEEN = 1e-3
"""What an outcome counts that did not occur yet, as fishtest has it, so that none is impossible."""
PAIR_RATES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Shares of the points of a pair of games."""


@dataclass(frozen=True)
class Sprt:
    """A test of elo1 against elo0."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """How often H1 is accepted though H0 holds."""
    beta: float = 0.05
    """How often H0 is accepted though H1 holds."""

    @property
    def bounds(self) -> tuple[float, float]:
        """H0 is accepted at the first of these log-likelihood ratios, H1 at the second."""
        return (
            math.log(self.beta / (1 - self.alpha)),
            math.log((1 - self.beta) / self.alpha),
        )

    def ratio(self, pairs: Sequence[int]) -> float:
        """The log-likelihood ratio of H1 to H0, by the pairs with 0, 1/2, 1, 3/2 and 2 points."""
        if not sum(pairs):
            return 0.0
        counts = [count or UNSEEN for count in pairs]
        total = sum(counts)
        shares = [count / total for count in counts]
        fit0, fit1 = (fitted(shares, rate_of(elo)) for elo in (self.elo0, self.elo1))
        terms = zip(counts, fit0, fit1, strict=True)
        return sum(count * math.log(one / zero) for count, zero, one in terms)

    def verdict(self, pairs: Sequence[int]) -> Verdict | None:
        """The accepted hypothesis; None while more games are needed."""
        low, high = self.bounds
        ratio = self.ratio(pairs)
        return "H0" if ratio <= low else "H1" if ratio >= high else None


def fitted(shares: Sequence[float], mean: float) -> list[float]:
    """The distribution over PAIR_RATES with this mean, between 0 and 1, that fits `shares` best.

    It is share / (1 + x (rate - mean)), with the x that makes it a distribution; x is unique, as
    the sum of share * (rate - mean) / (1 + x (rate - mean)) falls with x.
    """
    offsets = [rate - mean for rate in PAIR_RATES]
    low, high = -1 / offsets[-1], -1 / offsets[0]
    for _ in range(200):
        x = (low + high) / 2
        terms = zip(shares, offsets, strict=True)
        if sum(share * offset / (1 + x * offset) for share, offset in terms) > 0:
            low = x
        else:
            high = x
    return [share / (1 + x * offset) for share, offset in zip(shares, offsets, strict=True)]
