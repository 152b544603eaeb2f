"""Games in lockstep: whose results they are, and that only legal moves are drawn."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

import gtpcore
from games.base import after
from nets.threads import in_threads
from nets.train.experts import EXPERTS, coin_rule, connect4_games, every_position
from nets.train.lockstep import (
    Choose,
    deterministic,
    either,
    exact,
    legal_mask,
    one_hot,
    opened,
    play,
    sample,
    stochastic,
    uct,
    uniform,
)
from nets.train.records import Records
from nets.train.strength import match
from nets.train.value import outcomes

State = gtpcore.State
VALUES: dict[int, int] = {}
"""What `value_to_move` knows already."""


def always(action: int) -> NDArray[np.float32]:
    """A policy of Connect Four that trusts one column alone."""
    trust: NDArray[np.float32] = one_hot(np.array([action]), 7)[0]
    return trust


def stacker(action: int) -> Choose:
    """A player that drops into one column as long as it has room."""
    return deterministic(lambda planes: np.repeat(always(action)[None], len(planes), axis=0))


def test_a_won_game_is_won_for_who_won_and_lost_for_the_other() -> None:
    starts = [gtpcore.ConnectFourState() for _ in range(3)]
    moves = play(starts, (stacker(2), stacker(4)), np.random.default_rng(1))
    assert len(moves) == 3 * 7  # four discs of Black, three of White
    assert np.array_equal(moves.value, np.where(moves.player == 0, 1, -1))
    assert np.array_equal(moves.action, np.where(moves.player == 0, 2, 4))
    assert sorted(moves.game) == [0] * 7 + [1] * 7 + [2] * 7


def test_planes_are_those_before_the_move() -> None:
    moves = play([gtpcore.TicTacToeState()], (uniform, uniform), np.random.default_rng(1))
    discs = moves.planes.sum(axis=(1, 2, 3))
    assert list(discs) == list(range(len(moves)))


def test_colours_swapped_swap_the_result() -> None:
    start = gtpcore.ConnectFourState
    for one, other, expected in ((0, 6, (2, 0, 2)), (0, 0, None)):
        score = match(stacker(one), stacker(other), start, 4, 0, np.random.default_rng(1))
        swapped = match(stacker(other), stacker(one), start, 4, 0, np.random.default_rng(1))
        assert expected is None or score == expected
        assert score == swapped[::-1]
    alike = match(stacker(2), stacker(2), start, 40, 5, np.random.default_rng(1))
    assert alike.won == alike.lost > 0  # of the same openings


def test_the_better_player_scores_more() -> None:
    rng = np.random.default_rng(2)
    score = match(exact(2), uniform, gtpcore.ConnectFourState, 40, 2, rng)
    assert score.won > 30
    assert sum(score) == 40
    assert str(score) == f"{score.won} won, {score.drawn} drawn, {score.lost} lost"


def test_moves_are_drawn_as_their_weights_say() -> None:
    weights = np.tile(np.array([0.0, 1.0, 0.0, 3.0]), (40_000, 1))
    counts = np.bincount(sample(weights, np.random.default_rng(1)), minlength=4)
    assert counts[0] == counts[2] == 0
    assert counts[3] / 40_000 == pytest.approx(0.75, abs=0.01)


def test_illegal_moves_are_never_drawn_however_much_a_net_wants_them() -> None:
    state = gtpcore.ConnectFourState()
    for _ in range(6):
        state.apply_action(0)
    states = [state.clone() for _ in range(500)]
    for chooser in (stochastic, deterministic):
        choose = chooser(lambda planes: np.tile(always(0), (len(planes), 1)))
        actions = choose(states, np.random.default_rng(1))
        assert 0 not in actions
    assert not legal_mask([state])[0, 0]


def test_openings_are_not_over_and_of_all_lengths() -> None:
    states = opened(gtpcore.TicTacToeState, 300, 6, np.random.default_rng(1))
    lengths = {int((state.planes() != 0).sum()) for state in states}
    assert lengths == set(range(7))
    assert not any(state.is_terminal for state in states)


def test_two_players_in_one_move_by_share() -> None:
    def fixed(action: int) -> Choose:
        def choose(states: Sequence[State], rng: np.random.Generator) -> NDArray[np.intp]:
            return np.full(len(states), action)

        return choose

    states = [gtpcore.ConnectFourState() for _ in range(2_000)]
    actions = either(fixed(1), fixed(5), 0.25)(states, np.random.default_rng(1))
    assert np.mean(actions == 5) == pytest.approx(0.25, abs=0.03)
    assert set(actions) == {1, 5}


def test_players_that_search_find_the_best_and_draw_among_those() -> None:
    rng = np.random.default_rng(1)
    state = gtpcore.ConnectFourState()
    for column in (5, 1, 5, 1, 5):
        state.apply_action(column)
    assert set(exact(2)([state] * 20, rng)) == {5}  # or Black wins there
    state.apply_action(0)
    assert list(uct(200)([state], rng)) == [5]
    assert set(exact(None)([gtpcore.TicTacToeState()] * 60, rng)) == set(range(9))


@pytest.mark.parametrize(
    ("game", "source"),
    [(game, source) for game in EXPERTS for source in EXPERTS[game] if source != "solver"],
)
def test_an_expert_is_the_same_for_the_same_seed(game: str, source: str) -> None:
    from games.registry import GAMES

    def make() -> Records:
        start = GAMES[game]().new_state
        return EXPERTS[game][source](start, 40, np.random.default_rng(5))  # type: ignore[arg-type]

    one, other = make(), make()
    assert np.array_equal(one.bits, other.bits)
    assert np.array_equal(one.policy, other.policy)
    assert len(one) == 40


def test_the_rule_of_the_coin_game_leaves_a_multiple_of_three() -> None:
    states = [gtpcore.CoinState(pile) for pile in range(2, 22)]
    actions = coin_rule(states, np.random.default_rng(1))
    for state, action in zip(states, actions, strict=True):
        if state.coins % 3:
            assert (state.coins - 1 - action) % 3 == 0


def test_winners_of_the_coin_game_moved_by_the_rule() -> None:
    records = EXPERTS["coin"]["games"](gtpcore.CoinState, 500, np.random.default_rng(1))
    batch = records.batch()
    coins = batch.planes.sum(axis=(1, 2, 3)).astype(int)
    assert set(coins % 3) == {1, 2}
    assert np.array_equal(batch.policy.argmax(axis=1), coins % 3 - 1)
    assert (batch.value == 1).all()


def value_to_move(state: State) -> int:
    """By definition."""
    if state.is_terminal:
        return round(state.black_value) * (1 if state.current_player == 0 else -1)
    key = state.hash
    if key not in VALUES:
        VALUES[key] = max(-value_to_move(after(state, a)) for a in state.legal_actions())
    return VALUES[key]


def test_one_player_plays_in_several_threads_at_once() -> None:
    """As experts do whose shards are made side by side."""
    states, choose = [gtpcore.TicTacToeState()] * 50, exact(None)

    def chosen(seed: int) -> list[int]:
        return list(map(int, choose(states, np.random.default_rng(seed))))

    alone = [chosen(seed) for seed in range(8)]
    assert sorted(in_threads(chosen, range(8), threads=4)) == sorted(alone)


def test_exact_answers_of_tic_tac_toe() -> None:
    records = EXPERTS["tictactoe"]["exact"](gtpcore.TicTacToeState, 9999, np.random.default_rng(1))
    batch = records.batch()
    assert batch.value[0] == 0
    assert np.allclose(batch.policy[0], 1 / 9, atol=1e-3)  # every first move draws
    states = list(every_position(gtpcore.TicTacToeState()))
    assert batch.value.tolist() == [value_to_move(state) for state in states]
    fork = np.zeros((3, 3, 2))
    fork[0, 0, 0] = fork[0, 1, 0] = fork[2, 2, 1] = fork[1, 2, 1] = 1  # one move wins, at (0, 2)
    (place,) = np.flatnonzero((batch.planes == fork).all(axis=(1, 2, 3)))
    assert batch.value[place] == 1
    assert batch.policy[place].argmax() == 2


def test_who_did_not_lose_in_tic_tac_toe_made_no_mistake() -> None:
    games = EXPERTS["tictactoe"]["games"]
    batch = games(gtpcore.TicTacToeState, 300, np.random.default_rng(1)).batch()
    every = every_position(gtpcore.TicTacToeState())
    states = {state.planes().astype(np.uint8).tobytes(): state for state in every}
    for planes, policy in zip(batch.planes, batch.policy, strict=True):
        moved = after(states[planes.tobytes()], int(policy.argmax()))
        assert value_to_move(moved) <= 0
    assert set(batch.value) == {0, 1}


def test_every_position_comes_once() -> None:
    states = list(every_position(gtpcore.CoinState(9)))
    coins = [state.coins for state in states if isinstance(state, gtpcore.CoinState)]
    assert sorted(coins) == sorted([*range(1, 8), *range(1, 8), 8, 9])


def test_the_textbooks_games_begin_in_the_centre() -> None:
    batch = connect4_games(gtpcore.ConnectFourState, 60, np.random.default_rng(1)).batch()
    assert (batch.value == 1).all()
    assert (batch.planes[..., :2].sum(axis=3)[:, 0, 3] == 1).all()


def test_outcomes_are_a_few_positions_of_each_game_after_its_opening() -> None:
    rng = np.random.default_rng(1)
    records = outcomes(uniform, gtpcore.ConnectFourState, 50, 0, 3, rng)
    assert len(records) == 150  # no game is shorter than seven moves
    assert set(records.value) <= {-1, 0, 1}
    assert np.array_equal(records.policy.sum(axis=1), np.ones(150))
    assert len(outcomes(uniform, gtpcore.ConnectFourState, 5, 0, 99, rng)) > 5 * 7
    last = outcomes(coin_rule, gtpcore.CoinState, 60, 0, 1, rng).batch().planes
    assert last.sum(axis=(1, 2, 3)).min() < 3  # not the first of each game


def test_outcomes_are_the_moves_made_and_what_they_came_to_for_who_made_them() -> None:
    rng = np.random.default_rng(1)
    batch = outcomes(coin_rule, gtpcore.CoinState, 60, 5, 99, rng).batch()
    coins = batch.planes.sum(axis=(1, 2, 3)).astype(int)
    assert np.array_equal(batch.value, np.where(coins % 3, 1, -1))
    assert ((coins % 3 == 0) | (batch.policy.argmax(axis=1) == coins % 3 - 1)).all()
    assert 0 < (coins == 21).sum() < 60  # the others began with random moves


def test_one_hot_rows() -> None:
    assert one_hot(np.array([1, 0]), 3).tolist() == [[0, 1, 0], [1, 0, 0]]
