"""How sure a score is."""

import math

Z95 = 1.96
"""Standard deviations on each side of a 95 % interval."""


def wilson(score: float, games: int) -> tuple[float, float]:
    """The 95 % interval of a rate by Wilson's formula.

    >>> [round(bound, 3) for bound in wilson(50, 100)]
    [0.404, 0.596]
    """
    if not games:
        return 0.0, 1.0
    rate, scale = score / games, 1 + Z95 * Z95 / games
    middle = (rate + Z95 * Z95 / (2 * games)) / scale
    spread = rate * (1 - rate) / games + Z95 * Z95 / (4 * games * games)
    half = Z95 * math.sqrt(spread) / scale
    # Rounding errors must not move the bounds that are known.
    return middle - half if score > 0 else 0.0, middle + half if score < games else 1.0


def difference(one: tuple[float, int], other: tuple[float, int]) -> tuple[float, float]:
    """The 95 % interval of the difference of two rates, each as its score and games.

    Newcombe, Interval estimation for the difference between independent proportions, 1998,
    method 10.

    >>> [round(bound, 3) for bound in difference((56, 70), (48, 80))]
    [0.052, 0.334]
    """
    (low1, high1), (low2, high2) = wilson(*one), wilson(*other)
    rate1, rate2 = one[0] / one[1], other[0] / other[1]
    gap = rate1 - rate2
    return gap - math.hypot(rate1 - low1, high2 - rate2), gap + math.hypot(
        high1 - rate1, rate2 - low2
    )
