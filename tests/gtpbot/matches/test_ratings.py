"""Ratings of several engines, beside a general optimizer, the direct formula, and simulation."""

import math
import random
from itertools import combinations

import pytest

from gtpbot.matches.elo import Tally, rate_of
from gtpbot.matches.ratings import ELO, ratings
from gtpbot.measure.intervals import Z95

Tallies = dict[tuple[int, int], Tally]


def simulated(elos: list[float], pairs: int, rng: random.Random) -> Tallies:
    return {
        (i, j): Tally(
            [
                tuple(float(rng.random() < rate_of(elos[i] - elos[j])) for _ in range(2))
                for _ in range(pairs)
            ]
        )
        for i, j in combinations(range(len(elos)), 2)
    }


def test_two_engines_differ_by_elos_formula() -> None:
    tally = Tally([(1, 0.5), (1, 0), (1, 1), (0, 0.5)] * 200)
    one, other = ratings(2, {(0, 1): tally})
    assert one.elo - other.elo == pytest.approx(tally.elo, abs=0.1)
    low, high = tally.elo_interval
    # Each engine's error is against the mean of both, half of the difference.
    assert 2 * one.error == pytest.approx((high - low) / 2, rel=0.01)


def test_the_error_of_few_games_is_the_sandwich_with_a_drawn_game_more() -> None:
    tally = Tally([(1, 0.5), (1, 1)])
    one, other = ratings(2, {(0, 1): tally})
    rate = (3.5 + 0.5) / (4 + 1)
    curvature = (4 + 1) * rate * (1 - rate)
    scatter = (1.5 - 2 * rate) ** 2 + (2 - 2 * rate) ** 2 + rate * (1 - rate)
    assert one.elo == pytest.approx(-other.elo) == pytest.approx(ELO * math.log(4) / 2)
    expected = ELO * Z95 * math.sqrt(scatter) / curvature / 2
    assert (one.error, other.error) == pytest.approx((expected, expected))


LUCKY = simulated([0, 0, 0, 900, 10, -900], 20, random.Random(3))
MIRRORED = {pairing: Tally([(1, 1), (1, 1), (0, 1)]) for pairing in combinations(range(3), 2)}
"""The second of three engines won and lost as much."""


@pytest.mark.parametrize(("engines", "tallies"), [(6, LUCKY), (3, MIRRORED)])
def test_each_engine_is_expected_to_score_what_it_did(engines: int, tallies: Tallies) -> None:
    rated = ratings(engines, tallies)
    missing = [0.0] * engines
    for (i, j), tally in tallies.items():
        expected = (tally.games + 1) * rate_of(rated[i].elo - rated[j].elo)
        missing[i] += tally.points + 0.5 - expected
        missing[j] -= tally.points + 0.5 - expected
    assert missing == pytest.approx([0.0] * engines, abs=1e-6)
    assert sum(rating.elo for rating in rated) == pytest.approx(0, abs=1e-6)


def test_a_general_optimizer_finds_the_same() -> None:
    from scipy.optimize import minimize  # takes a second

    tallies = simulated([100, 0, -50, -50], 30, random.Random(1))

    def unlikelihood(logs: list[float]) -> float:
        total = 0.0
        for (i, j), tally in tallies.items():
            points, games = tally.points + 0.5, tally.games + 1
            gap = logs[i] - logs[j]
            total += points * math.log1p(math.exp(-gap)) + (games - points) * math.log1p(
                math.exp(gap)
            )
        return total

    best = minimize(unlikelihood, [0.0] * 4, method="BFGS", options={"gtol": 1e-8}).x
    middle = sum(best) / 4
    expected = [ELO * (log - middle) for log in best]
    assert [rating.elo for rating in ratings(4, tallies)] == pytest.approx(expected, abs=0.01)


def test_the_intervals_cover_the_truth_as_often_as_they_say() -> None:
    truth, rng = [120.0, 0.0, -120.0], random.Random(2)
    covered = 0
    for _ in range(200):
        rated = ratings(3, simulated(truth, 50, rng))
        covered += sum(
            abs(rating.elo - elo) < rating.error for rating, elo in zip(rated, truth, strict=True)
        )
    assert 0.92 < covered / 600 < 0.98


def test_who_lost_everything_or_did_not_play_is_rated_too() -> None:
    tallies: Tallies = {(0, 1): Tally([(1, 1)] * 5), (0, 2): Tally()}
    first, second, third = ratings(3, tallies)
    assert second.elo < third.elo == pytest.approx(first.elo, abs=1e-6)
    assert all(math.isfinite(rating.error) for rating in (first, second, third))
    assert third.error > first.error > 0


def test_games_are_not_counted_anew_in_each_of_many_rounds() -> None:
    class Counted(Tally):
        counts = 0

        @property
        def games(self) -> int:
            Counted.counts += 1
            return super().games

    won = {pairing: Counted([(1, 1)] * 20) for pairing in combinations(range(6), 2)}
    best, *_ = ratings(6, won)
    assert best.elo > 1000
    assert Counted.counts < 10 * len(won)
