"""Games by search, what is learned from them, and the gate; with nets made up."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

import gtpcore
from games.coin import Coin
from games.go import Go, GoOptions
from gtpcore import State
from nets.train.experts import coin_rule, every_position
from nets.train.gate import mistakes, played, points, total
from nets.train.lockstep import uniform
from nets.train.selfplay import Episode, Searcher, play_episode, searching
from nets.train.strength import Score
from search.gumbel import Choice, Gumbel
from tests.support.fakes import FakeNet


def fake_net() -> gtpcore.Net:
    return FakeNet(Coin(), [0.5, 0.5]).native()


def take(action: int) -> Callable[[State, np.random.Generator], Choice]:
    """Always the same move, of a search that thought the position worth 0.5."""
    return lambda state, rng: Choice(action, {0: 0.25, 1: 0.75}, 0.5)


def one_by_one(coins: int) -> Episode:
    return play_episode(gtpcore.CoinState(coins), take(0), np.random.default_rng(1))


@pytest.mark.parametrize(
    ("share", "values"),
    [
        (1.0, [1, -1, 1]),  # three coins one by one: who began takes the last
        (0.0, [0.5, 0.5, 0.5]),
        (0.5, [0.75, -0.25, 0.75]),
    ],
)
def test_values_are_those_of_the_player_to_move(share: float, values: list[float]) -> None:
    batch = one_by_one(3).records(share).batch()
    assert batch.value.tolist() == values
    assert batch.policy.tolist() == [[0.25, 0.75]] * 3
    assert batch.planes.sum(axis=(1, 2, 3)).tolist() == [3, 2, 1]


def test_values_are_negated_where_the_other_player_wins() -> None:
    assert one_by_one(4).records(1.0).batch().value.tolist() == [-1, 1, -1, 1]


def test_the_start_of_an_episode_is_not_changed() -> None:
    start = gtpcore.CoinState(3)
    play_episode(start, take(0), np.random.default_rng(1))
    assert start.coins == 3


def test_a_game_by_search_is_the_same_for_the_same_seed() -> None:
    def game(seed: int) -> list[int]:
        searcher = Searcher(fake_net(), Gumbel(playouts=8))
        rng = np.random.default_rng(seed)
        return [c.action for c in play_episode(gtpcore.CoinState(), searcher, rng).choices]

    games = [tuple(game(seed)) for seed in (1, 1, 2, 3, 4)]
    assert games[0] == games[1]
    assert len(set(games)) > 1


def test_a_search_finds_what_the_net_does_not_know() -> None:
    """With enough simulations the coin game is solved from the start."""
    states = list(every_position(gtpcore.CoinState()))
    assert mistakes(searching(fake_net(), Gumbel(playouts=200)), states) == 0


def test_no_search_is_cut_short_by_its_memory() -> None:
    """Of a net that likes all moves alike each opened position takes the most of it."""
    game = Go(GoOptions(size=19))
    net = FakeNet(game).native()
    Searcher(net, Gumbel(playouts=1_000))(game.new_state())
    assert net.evaluations > 950


def test_mistakes_are_counted_where_there_is_a_better_move() -> None:
    states = list(every_position(gtpcore.CoinState()))
    assert mistakes(coin_rule, states) == 0
    winnable = sum(cast(gtpcore.CoinState, state).coins % 3 != 0 for state in states)
    assert 0 < mistakes(uniform, states) < winnable


@pytest.mark.parametrize(
    ("moves", "count"),
    [
        ((7, 3, 8, 4), 1),  # 6 would win, and 0 loses
        ((0, 1, 3), 0),  # all is lost: at once, or one move later by 6
    ],
)
def test_a_mistake_changes_the_result_and_not_only_the_length(
    moves: tuple[int, ...], count: int
) -> None:
    state = gtpcore.TicTacToeState()
    for move in moves:
        state.apply_action(move)
    assert mistakes(lowest_action, [state]) == count


def lowest_action(states: Sequence[State], rng: np.random.Generator) -> NDArray[np.intp]:
    return np.array([state.legal_actions()[0] for state in states])


def test_points() -> None:
    score = total([Score(3, 1, 0), Score(1, 1, 2)])
    assert score == Score(4, 2, 2)
    assert points(score) == 0.625


def test_a_match_at_the_gate_is_played_once(tmp_path: Path) -> None:
    file = tmp_path / "gate" / "00000.json"
    rng = np.random.default_rng(1)
    score = played(file, coin_rule, uniform, gtpcore.CoinState, 20, 2, rng)
    assert sum(score) == 40
    assert score.won > 35
    assert played(file, uniform, coin_rule, gtpcore.CoinState, 20, 2, rng) == score
