"""Elo, its error and the test, beside the figures that fishtest published.

The published figures are those of Stockfish's tests, as its commit messages quote them: the pairs
of games by their points, and what fishtest computed of them. Later figures of its sequential test
(from April 2021 on) are of normalized Elo, which is another measure.
"""

import math
import random
from collections.abc import Sequence
from statistics import NormalDist

import pytest

from gtpbot.matches.elo import Tally, elo_of, joined, rate_of, shown
from gtpbot.matches.sprt import PAIR_RATES, UNSEEN, Sprt, fitted
from gtpbot.measure.intervals import wilson

OUTCOMES = ((0, 0), (0, 0.5), (0.5, 0.5), (1, 0.5), (1, 1))

PUBLISHED_RATIOS = [
    ("c489df6f5", (57, 1047, 5710, 1159, 63), -1, 0.2, 2.94),
    ("508906165", (61, 1226, 6644, 1387, 50), -0.25, 1.25, 2.96),
    ("508906165", (13, 1176, 17184, 1178, 21), 0.25, 1.25, -3.0),
    ("406979ea1", (291, 5309, 22211, 5360, 293), -1.25, -0.25, 2.95),
    ("e64b95727", (207, 3259, 13460, 3407, 215), -0.5, 1.5, 2.97),
    ("84f3e8679", (571, 4082, 8434, 3861, 520), -6, -4, 2.94),
    ("dd1adce74", (2567, 13420, 24118, 13319, 2564), -2, 0, 2.94),
    ("3dca13a95", (4, 149, 1191, 251, 5), 0.25, 1.75, 2.98),
    ("f63d112c7", (863, 6282, 12251, 6283, 892), -1, 3, -2.93),
]
"""Commit, pairs with 0 to 2 points, elo0, elo1, the log-likelihood ratio."""

PUBLISHED_ELOS = [
    ("f030a1c59", (27, 5831, 18366, 5750, 26), -0.48, 1.2, 22.2),
    ("78532af9d", (123, 4580, 10875, 4305, 117), -2.49, 1.7, 0.2),
    ("472e726bf", (24, 5718, 18379, 5853, 26), 0.80, 1.2, 90.0),
    ("154e7afed", (96, 1426, 13277, 30130, 5071), 141.66, 1.2, 100.0),
    ("85f8ee619", (31, 686, 2804, 1355, 124), 29.78, 3.4, 100.0),
]
"""Commit, pairs with 0 to 2 points, Elo, its error at 95 %, the likelihood of superiority in %."""


def tally(pairs: Sequence[int]) -> Tally:
    return Tally(
        [block for block, count in zip(OUTCOMES, pairs, strict=True) for _ in range(count)]
    )


@pytest.mark.parametrize(("commit", "pairs", "elo0", "elo1", "ratio"), PUBLISHED_RATIOS)
def test_ratios_are_those_of_fishtest(
    commit: str, pairs: tuple[int, ...], elo0: float, elo1: float, ratio: float
) -> None:
    assert Sprt(elo0, elo1).ratio(pairs) == pytest.approx(ratio, abs=0.0051)


@pytest.mark.parametrize(("commit", "pairs", "elo", "error", "superiority"), PUBLISHED_ELOS)
def test_elo_and_its_error_are_those_of_fishtest(
    commit: str, pairs: tuple[int, ...], elo: float, error: float, superiority: float
) -> None:
    ours = tally(pairs)
    assert ours.pairs == pairs
    low, high = ours.elo_interval
    assert ours.elo == pytest.approx(elo, abs=0.0051)
    assert (high - low) / 2 == pytest.approx(error, abs=0.051)
    assert 100 * ours.superiority == pytest.approx(superiority, abs=0.051)


@pytest.mark.parametrize("pairs", [(3, 10, 20, 15, 6), (0, 2, 0, 9, 1), (12, 0, 0, 0, 9)])
@pytest.mark.parametrize("elo", [-40.0, 0.0, 25.0])
def test_the_fit_is_the_likeliest_distribution_with_its_mean(
    pairs: tuple[int, ...], elo: float
) -> None:
    """A general optimizer finds no better one."""
    from scipy.optimize import minimize  # takes a second

    counts = [count or UNSEEN for count in pairs]
    shares = [count / sum(counts) for count in counts]
    fit = fitted(shares, rate_of(elo))
    assert sum(fit) == pytest.approx(1)
    assert sum(p * rate for p, rate in zip(fit, PAIR_RATES, strict=True)) == pytest.approx(
        rate_of(elo)
    )
    best = minimize(
        lambda p: -sum(share * math.log(q) for share, q in zip(shares, p, strict=True)),
        fit_start(rate_of(elo)),
        method="SLSQP",
        bounds=[(1e-9, 1)] * 5,
        constraints=[
            {"type": "eq", "fun": lambda p: sum(p) - 1},
            {
                "type": "eq",
                "fun": lambda p: (
                    sum(q * r for q, r in zip(p, PAIR_RATES, strict=True)) - rate_of(elo)
                ),
            },
        ],
        options={"ftol": 1e-12, "maxiter": 500},
    )
    ours = -sum(share * math.log(q) for share, q in zip(shares, fit, strict=True))
    assert ours == pytest.approx(best.fun, abs=1e-6)


def fit_start(mean: float) -> list[float]:
    """Some distribution with about this mean."""
    return [(1 - mean) ** 2, 2 * mean * (1 - mean), 0.01, 0.01, mean**2]


def test_the_bounds_are_walds() -> None:
    assert Sprt(0, 5).bounds == pytest.approx((-2.944, 2.944), abs=1e-3)
    assert Sprt(0, 5, 0.01, 0.1).bounds == pytest.approx((-2.293, 4.500), abs=1e-3)


def test_the_test_decides_at_its_bounds() -> None:
    sprt = Sprt(0, 10)
    assert sprt.verdict((0, 0, 0, 0, 0)) is None
    assert sprt.verdict((10, 20, 40, 20, 10)) is None
    assert sprt.verdict((10, 20, 40, 20, 400)) == "H1"
    assert sprt.verdict((100, 20, 40, 20, 10)) == "H0"


def test_single_games_have_the_error_of_the_trinomial_distribution() -> None:
    single = Tally([(1,)] * 3000 + [(0.5,)] * 2000 + [(0,)] * 1000)
    assert single.wins_draws_losses == (3000, 2000, 1000)
    assert single.rate == pytest.approx(2 / 3)
    variance = (3 * (1 / 3) ** 2 + 2 * (1 / 6) ** 2 + 1 * (2 / 3) ** 2) / 6
    assert single.deviation == pytest.approx(math.sqrt(variance / 6000), rel=1e-3)
    few = Tally([(1,)] * 9 + [(0.5,)] * 6 + [(0,)] * 3)
    z = (2 / 3 - 1 / 2) / math.sqrt((variance * 18 + 0.25) / 17 / 18)
    assert few.superiority == pytest.approx(NormalDist().cdf(z))
    assert single.elo == pytest.approx(120.41, abs=0.01)


def test_pairs_that_balance_each_other_are_surer_than_single_games() -> None:
    balanced = Tally([(1, 0)] * 490 + [(1, 1)] * 10)
    singles = Tally([(1,)] * 510 + [(0,)] * 490)
    assert balanced.rate == singles.rate == 0.51
    assert balanced.deviation < singles.deviation / 4


def test_what_is_known_of_few_games() -> None:
    assert (Tally().rate, Tally().interval, Tally().superiority) == (0.5, (0, 1), 0.5)
    assert shown(Tally()) == "unknown"
    won = Tally([(1, 1)] * 5)
    assert won.elo == math.inf and won.elo_interval[0] == pytest.approx(140, abs=1)
    assert shown(won) == "above +140"
    assert shown(Tally([(0, 0)] * 5)) == "below -140"
    assert won.superiority > 0.99


@pytest.mark.parametrize("pairs", range(1, 9))
def test_who_won_all_by_luck_is_seldom_said_to_be_better(pairs: int) -> None:
    low, _ = Tally([(1, 1)] * pairs).interval
    by_luck = 2 * 0.5 ** (2 * pairs)
    assert by_luck <= 0.05 or low <= 0.5


def test_one_opening_tells_nothing_of_how_openings_differ() -> None:
    pair = Tally([(1, 0.5)])
    assert pair.deviation == math.inf
    assert pair.interval == wilson(1.5, 2)
    assert pair.superiority == pytest.approx(NormalDist().cdf(0.25 / (1 / 4)))


def test_three_games_prove_little() -> None:
    assert Tally([(1, 1), (0.5,)]).superiority < 0.9
    assert Tally([(1, 0), (1, 0)]).elo_interval[0] < -100
    assert Tally([(1, 0), (1, 0)]).superiority == 0.5


@pytest.mark.parametrize("pairs", [2, 3, 5, 10, 30])
@pytest.mark.parametrize("shares", [(5, 10, 70, 10, 5), (1, 2, 12, 25, 60), (10, 10, 30, 20, 30)])
def test_the_interval_holds_the_truth_as_often_as_it_says(
    pairs: int, shares: Sequence[int], rng: random.Random
) -> None:
    truth = sum(share * sum(block) for share, block in zip(shares, OUTCOMES, strict=True)) / 200
    samples = [Tally(rng.choices(OUTCOMES, shares, k=pairs)).interval for _ in range(1000)]
    misses = sum(not low <= truth <= high for low, high in samples)
    assert misses < 85, f"{misses} of 1000 intervals miss {truth}"


def test_elo() -> None:
    assert elo_of(rate_of(-137.0)) == pytest.approx(-137)
    assert (elo_of(0), elo_of(1)) == (-math.inf, math.inf)


def test_tallies_are_joined() -> None:
    both = joined([Tally([(1, 0)]), Tally([(0.5,)])])
    assert (both.games, both.wins_draws_losses) == (3, (1, 1, 1))
