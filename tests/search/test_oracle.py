"""The oracles: true outcomes of positions, and which moves are mistakes."""

import random

import pytest

import gtpcore
from games.connect4 import ConnectFour
from games.go import Go
from games.tictactoe import TicTacToe
from search.oracle import ConnectFourOracle, SearchOracle, oracle_of


def played(state: gtpcore.State, *actions: int) -> gtpcore.State:
    for action in actions:
        state.apply_action(action)
    return state


@pytest.mark.parametrize("coins", range(2, 22))
def test_the_coin_game_is_lost_with_a_multiple_of_three(coins: int) -> None:
    oracle, state = SearchOracle(), gtpcore.CoinState(coins)
    assert oracle.outcome(state) == (1 if coins % 3 else -1)
    wrong = [action + 1 for action in state.legal_actions() if oracle.is_mistake(state, action)]
    legal = [action + 1 for action in state.legal_actions()]
    assert wrong == ([take for take in legal if take != coins % 3] if coins % 3 else [])


def test_against_a_corner_only_the_centre_holds_the_draw() -> None:
    oracle = SearchOracle()
    start = TicTacToe().new_state()
    assert [oracle.outcome_of(start, action) for action in range(9)] == [0] * 9
    corner = played(start, 0)
    outcomes = {action: oracle.outcome_of(corner, action) for action in range(1, 9)}
    assert outcomes == {action: 0 if action == 4 else -1 for action in range(1, 9)}
    assert [a for a in range(1, 9) if not oracle.is_mistake(corner, a)] == [4]


def test_a_draw_where_a_win_is_there_is_a_mistake() -> None:
    state = played(gtpcore.TicTacToeState(), 4, 1, 0)  # 8 would complete the diagonal
    state = played(state, 3)
    oracle = SearchOracle()
    assert oracle.outcome_of(state, 8) == 1
    assert not oracle.is_mistake(state, 8)
    assert oracle.outcome_of(state, 5) == oracle.outcome_of(state, 7) == 0
    assert oracle.is_mistake(state, 5)


def test_a_finished_game_is_lost_for_who_would_move() -> None:
    black_won = played(gtpcore.TicTacToeState(), 0, 3, 1, 4, 2)
    white_won = played(gtpcore.TicTacToeState(), 0, 3, 1, 4, 8, 5)
    assert SearchOracle().outcome(black_won) == SearchOracle().outcome(white_won) == -1


def test_the_solver_and_the_search_agree_on_connect_four(rng: random.Random) -> None:
    by_solver, by_search, judged = ConnectFourOracle(), SearchOracle(), 0
    for _ in range(150):
        state = ConnectFour().new_state()
        while not state.is_terminal and judged < 200:
            state.apply_action(rng.choice(state.legal_actions()))
            if sum(state.height(column) for column in range(7)) >= 32:
                assert by_solver.outcome(state) == by_search.outcome(state)
                for action in state.legal_actions():
                    assert by_solver.is_mistake(state, action) == by_search.is_mistake(
                        state, action
                    )
                judged += 1
    assert judged > 20


def test_go_is_not_solved() -> None:
    with pytest.raises(ValueError, match="Go is not solved: expected one of coin, tictactoe"):
        oracle_of(Go())
