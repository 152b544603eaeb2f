"""Playouts end in each result as often as random play must."""

import random
from collections import Counter

import pytest

import gtpcore
from tests.support.positions import random_connect_four

PLAYOUTS = 20_000
TOLERANCE = 18.4
"""Chi-square with two degrees of freedom: right playouts exceed it once in 10,000 times."""

Odds = dict[float, float]
"""How likely each value for Black is."""


def exact_odds(state: gtpcore.State, known: dict[int, Odds]) -> Odds:
    """Worked out move by move; `known` remembers by hash."""
    if state.is_terminal:
        return {state.black_value: 1.0}
    if state.hash not in known:
        total: Odds = {}
        legal = state.legal_actions()
        for action in legal:
            after = state.clone()
            after.apply_action(action)
            for value, chance in exact_odds(after, known).items():
                total[value] = total.get(value, 0) + chance / len(legal)
        known[state.hash] = total
    return known[state.hash]


def late_connect_four(seed: int) -> gtpcore.State:
    """A position with twelve free cells, from a random game."""
    return random_connect_four(random.Random(seed), 30)


def after(state: gtpcore.State, *actions: int) -> gtpcore.State:
    for action in actions:
        state.apply_action(action)
    return state


STATES = {
    "tictactoe": gtpcore.TicTacToeState(),
    "tictactoe, a win in one": after(gtpcore.TicTacToeState(), 0, 3, 1, 4),
    "tictactoe, White to move": after(gtpcore.TicTacToeState(), 4),
    "connect4 3x3": gtpcore.ConnectFourState(3, 3, 3),
    "connect4 5x3": gtpcore.ConnectFourState(5, 3, 3),
    "connect4 late": late_connect_four(1),
    "connect4 late, too": late_connect_four(2),
    "coin": gtpcore.CoinState(8, 3),
}


@pytest.mark.parametrize("name", STATES)
def test_results_are_as_likely_as_they_should_be(name: str) -> None:
    state = STATES[name]
    before = str(state)
    counts = Counter(state.playout(seed) for seed in range(PLAYOUTS))
    assert str(state) == before
    odds = exact_odds(state, {})
    assert set(counts) <= set(odds)
    expected = {value: chance * PLAYOUTS for value, chance in odds.items()}
    chi_square = sum((counts[value] - mean) ** 2 / mean for value, mean in expected.items())
    assert chi_square < TOLERANCE, (counts, expected)


def test_the_odds_of_tictactoe_are_the_known_ones() -> None:
    odds = exact_odds(gtpcore.TicTacToeState(), {})
    assert odds[1] == pytest.approx(0.58492, abs=1e-5)
    assert odds[-1] == pytest.approx(0.28810, abs=1e-5)
    assert odds[0] == pytest.approx(0.12698, abs=1e-5)


@pytest.mark.parametrize("name", STATES)
def test_a_seed_repeats_a_playout(name: str) -> None:
    state = STATES[name]
    values = [state.playout(seed) for seed in range(50)]
    assert values == [state.playout(seed) for seed in range(50)]
    assert len(set(values)) > 1


def test_a_finished_game_keeps_its_value() -> None:
    state = after(gtpcore.TicTacToeState(), 0, 3, 1, 4, 2)
    assert {state.playout(seed) for seed in range(10)} == {1.0}
