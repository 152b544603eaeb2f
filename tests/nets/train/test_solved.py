"""Positions of Connect Four with answers of the solver."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import gtpcore
from nets.train.doubts import PLAIN, SELDOM, Doubt, odd_players
from nets.train.lockstep import planes_of, uniform
from nets.train.records import Records
from nets.train.solved import DELAY, Solved, all_openings, preferences, solve

ILLEGAL = gtpcore.ConnectFourSolver.NO_SCORE
CHEAP = Solved(common=26, rarity=0.4)


def after(moves: str) -> gtpcore.ConnectFourState:
    state = gtpcore.ConnectFourState()
    for move in moves:
        state.apply_action(int(move) - 1)
    return state


def shares(*scores: int) -> list[float]:
    row = np.array([scores], np.int8)
    found: list[float] = preferences(row, row != ILLEGAL)[0].tolist()
    return found


def test_only_moves_that_keep_the_outcome_are_wanted() -> None:
    later = float(np.exp(-2 / DELAY))
    win = 1 / (1 + later)
    assert shares(3, 1, 0, -2, ILLEGAL) == pytest.approx([win, 1 - win, 0, 0, 0])
    assert shares(0, -1, 0, ILLEGAL, -9) == pytest.approx([0.5, 0, 0.5, 0, 0])


def test_a_late_loss_is_wanted_more_than_a_soon_one() -> None:
    late, soon, illegal = shares(-2, -5, ILLEGAL)
    assert late == pytest.approx(soon * np.exp(3 / DELAY))
    assert illegal == 0


def test_answers_of_late_positions() -> None:
    """With scores as the solver has them: a win by one of three moves, and a loss by any move."""
    won, lost = after("136625432711523777527337"), after("255235465151743522746644")
    scores = gtpcore.ConnectFourSolver().solve_moves(won, exact=True)
    assert scores == {0: 0, 1: 0, 2: -1, 3: 6, 4: 5, 5: 6}
    batch = solve([won, lost], exact=True).batch()
    assert batch.value.tolist() == [1, -1]
    assert np.flatnonzero(batch.policy[0]).tolist() == [3, 4, 5]
    assert batch.policy[0, 3] == batch.policy[0, 5] > batch.policy[0, 4]
    assert np.allclose(batch.policy[1], [1 / 6] * 4 + [0] + [1 / 6] * 2, atol=1e-3)


def test_without_scores_all_moves_that_keep_the_outcome_are_alike() -> None:
    batch = solve([after("136625432711523777527337")], exact=False).batch()
    assert batch.policy[0] == pytest.approx([0, 0, 0, 1 / 3, 1 / 3, 1 / 3, 0], abs=1e-3)


def test_mirrored_positions_have_mirrored_answers() -> None:
    moves = "445232155536674112"
    mirrored = "".join(str(8 - int(move)) for move in moves)
    one, other = (solve([after(m)], exact=True).batch() for m in (moves, mirrored))
    assert np.allclose(one.policy, other.policy[:, ::-1])
    assert np.array_equal(one.value, other.value)
    assert np.array_equal(one.planes, other.planes[:, :, ::-1])


def test_positions_are_different_and_the_same_for_the_same_seed() -> None:
    def make() -> Records:
        return CHEAP(gtpcore.ConnectFourState, 150, np.random.default_rng(4))

    one, other = make(), make()
    assert len(np.unique(one.keys("connect4"))) == len(one) == 150
    assert np.array_equal(one.bits, other.bits)
    assert np.array_equal(one.policy, other.policy)


def test_openings_are_all_those_of_few_discs_and_some_with_one_more() -> None:
    """Up to mirroring, 1, 4 and 25 positions have 0 to 2 discs."""
    found = all_openings(gtpcore.ConnectFourState, 100, np.random.default_rng(4))
    discs = found.batch().planes[:, :, :, :2].sum(axis=(1, 2, 3))
    assert np.bincount(discs.astype(int)).tolist() == [1, 4, 25, 70]
    assert len(np.unique(found.keys("connect4"))) == 100


def test_positions_of_no_interest_are_left_out() -> None:
    """Here all but those where the middle column has an odd number of discs."""

    def odd(states: Sequence[gtpcore.ConnectFourState]) -> NDArray[np.float64]:
        return middle(planes_of(states)) % 2

    def middle(planes: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(planes[:, :, 3, :2].sum(axis=(1, 2)), np.float64)

    found = replace(CHEAP, interest=odd)(
        gtpcore.ConnectFourState, 40, np.random.default_rng(4)
    ).batch()
    assert len(found.planes) == 40
    assert (middle(found.planes) % 2 == 1).all()


def test_positions_with_few_discs_may_be_left_out() -> None:
    found = replace(CHEAP, least_discs=20, players=[uniform])(
        gtpcore.ConnectFourState, 40, np.random.default_rng(4)
    )
    discs = found.batch().planes[:, :, :, :2].sum(axis=(1, 2, 3))
    assert len(found) == 40
    assert discs.min() >= 20


def test_a_net_doubts_where_it_contradicts_its_mirror_image_and_is_unsure() -> None:
    """It would have the disc in the left column, of the image too: or half so, or in both."""
    left, right = np.eye(7, dtype=np.float32)[[0, 6]]
    values = np.array([0, 0.5, -0.9, -0.95, 1, 0], np.float32)
    policies = np.stack([*[left] * 5, (left + right) / 2])
    doubt = Doubt(lambda planes: (policies, values))
    states = [gtpcore.ConnectFourState() for _ in values]
    expected = [1, 1, 2 * 0.1 / PLAIN, 2 * 0.05 / PLAIN, SELDOM, SELDOM]
    assert doubt(states) == pytest.approx(expected, abs=1e-4)


def test_a_value_of_both_images_counts() -> None:
    """The image is won and the position lost, so nobody knows."""
    value = iter([1.0, -1.0])
    left = np.eye(7, dtype=np.float32)[:1]
    doubt = Doubt(lambda planes: (left, np.array([next(value)], np.float32)))
    assert doubt([gtpcore.ConnectFourState()]) == pytest.approx([1])


def test_odd_games_are_of_random_movers_of_who_sees_little_and_of_a_net() -> None:
    """How often each of them wins at once in the last column, where the net never would move."""
    states, rng = [after("717273")] * 1000, np.random.default_rng(3)
    first, no_value = np.tile(np.eye(7, dtype=np.float32)[0], (1000, 1)), np.zeros(1000, np.float32)
    players = odd_players(lambda planes: (first[: len(planes)], no_value))
    shares = [np.mean(choose(states, rng) == 6) for choose in players]
    assert shares == pytest.approx([1 / 7, 1 / 7, 0.7 + 0.3 / 7, 0.5 / 7], abs=0.04)
