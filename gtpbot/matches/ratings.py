"""Elo ratings of several engines: the Bradley-Terry model of all their games at once.

A drawn game counts as half a win for each. Every pairing is given one drawn game more than it
played, so that who won or lost everything has a rating too. The ratings are found as in D. Hunter,
"MM algorithms for generalized Bradley-Terry models", 2004; their errors are those of maximum
likelihood, with the games from one opening taken together (White's sandwich estimator).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from gtpbot.matches.elo import Tally
from gtpbot.measure.intervals import Z95

ELO = 400 / math.log(10)
"""Elo a unit of the logarithm of strength."""
ROUNDS = 10_000
PRECISION = 1e-9


@dataclass(frozen=True)
class Rating:
    """Of one engine; the mean of all engines is 0."""

    elo: float
    error: float
    """Half of the 95 % interval."""


def ratings(engines: int, tallies: Mapping[tuple[int, int], Tally]) -> list[Rating]:
    """The ratings of the engines 0 to `engines` - 1 by what the first of each pairing scored.

    The pairings connect all engines.
    """
    strengths = _strengths(engines, tallies)
    errors = _errors(strengths, tallies)
    return [
        Rating(ELO * math.log(strength), ELO * Z95 * error)
        for strength, error in zip(strengths, errors, strict=True)
    ]


def _strengths(engines: int, tallies: Mapping[tuple[int, int], Tally]) -> list[float]:
    """The mean of their logarithms is 0."""
    points = [0.0] * engines
    for (one, other), tally in tallies.items():
        points[one] += tally.points + 0.5
        points[other] += tally.games - tally.points + 0.5
    games = {pairing: tally.games + 1 for pairing, tally in tallies.items()}
    strengths = [1.0] * engines
    for _ in range(ROUNDS):
        weights = [0.0] * engines
        for (one, other), count in games.items():
            share = count / (strengths[one] + strengths[other])
            weights[one] += share
            weights[other] += share
        better = [point / weight for point, weight in zip(points, weights, strict=True)]
        scale = math.exp(sum(map(math.log, better)) / engines)
        better = [strength / scale for strength in better]
        moved = max(abs(math.log(a / b)) for a, b in zip(better, strengths, strict=True))
        strengths = better
        if moved < PRECISION:
            break
    return strengths


def _errors(strengths: list[float], tallies: Mapping[tuple[int, int], Tally]) -> list[float]:
    """The standard errors of the logarithms of the strengths, less their mean."""
    import numpy as np

    engines = len(strengths)
    curvature, scatter = np.zeros((engines, engines)), np.zeros((engines, engines))
    for (one, other), tally in tallies.items():
        rate = strengths[one] / (strengths[one] + strengths[other])
        direction = np.zeros(engines)
        direction[one], direction[other] = 1, -1
        outer = np.outer(direction, direction)
        curvature += (tally.games + 1) * rate * (1 - rate) * outer
        scatter += (tally.squares(rate) + rate * (1 - rate)) * outer
    inverse = np.linalg.pinv(curvature, hermitian=True)
    return [float(error) for error in np.sqrt(np.diag(inverse @ scatter @ inverse))]
