"""The root by Gumbel and sequential halving, with all numbers worked out by hand."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pytest

import gtpcore
from games.coin import Coin
from games.connect4 import ConnectFour
from search.gumbel import Choice, Gumbel, completed_values, decide, improved_logits, phases, softmax
from tests.support.fakes import FakeNet, Planes


@dataclass
class Child:
    """A move of a root, as `gtpcore.ChildReport` has it."""

    action: int
    visits: int
    value_to_move: float
    prior: float
    proof: str = ""


def children(*listed: Child) -> Sequence[gtpcore.ChildReport]:
    return cast(Sequence[gtpcore.ChildReport], listed)


def coins_left(planes: Planes) -> int:
    return int(planes.sum())


def search_of(state: gtpcore.State, fake: FakeNet, batch_size: int = 1) -> gtpcore.Search:
    net = fake.native()
    evaluator = gtpcore.NetEvaluator(prior=net, value=net, value_weight=1.0, batch_size=batch_size)
    return gtpcore.Search(state, evaluator, gtpcore.Puct(1.25))


def coins(left: int) -> gtpcore.CoinState:
    """The game with its usual pile, of which so many are left."""
    state = gtpcore.CoinState()
    while state.coins > left:
        state.apply_action(min(2, state.coins - left) - 1)
    return state


def choice_in_coin(options: Gumbel, noise: Mapping[int, float] | None = None) -> Choice:
    """A root worth 0.1; the next positions are worth -0.5 (20 coins) and 0.25 (19) to the rival."""
    values = {20: -0.5, 19: 0.25}
    fake = FakeNet(Coin(), [0.75, 0.25], lambda planes: values.get(coins_left(planes), 0.0))
    return decide(search_of(coins(21), fake), 0.1, options, noise)


@pytest.mark.parametrize(
    ("playouts", "considered", "expected"),
    [
        (32, 16, [(16, 16), (8, 8), (4, 4), (2, 4)]),
        (200, 16, [(16, 48), (8, 48), (4, 52), (2, 52)]),
        (16, 4, [(4, 8), (2, 8)]),
        (32, 7, [(7, 7), (3, 12), (2, 12)]),
        (20, 16, [(16, 16), (4, 4)]),  # too few are left for all eight
        (3, 4, [(3, 3)]),
        (5, 1, [(1, 5)]),
    ],
)
def test_phases(playouts: int, considered: int, expected: list[tuple[int, int]]) -> None:
    assert list(phases(playouts, considered)) == expected


def test_the_values_of_moves_without_visits_are_completed() -> None:
    """(v + N * sum(prior * q) / sum(prior)) / (1 + N), over moves with visits."""
    listed = children(
        Child(0, 3, 0.5, 0.6), Child(1, 1, -0.5, 0.2), Child(2, 0, 0.0, 0.1), Child(3, 0, 0, 0.1)
    )
    mixed = (-0.2 + 4 * (0.6 * 0.5 - 0.2 * 0.5) / 0.8) / 5
    assert mixed == pytest.approx(0.16)
    assert completed_values(listed, -0.2) == pytest.approx({0: 0.5, 1: -0.5, 2: 0.16, 3: 0.16})


def test_without_visits_all_are_worth_what_the_net_says() -> None:
    listed = children(Child(4, 0, 0.0, 0.7), Child(6, 0, 0.0, 0.3))
    assert completed_values(listed, 0.25) == {4: 0.25, 6: 0.25}
    assert softmax(improved_logits(listed, 0.25, Gumbel())) == pytest.approx({4: 0.7, 6: 0.3})


def test_what_is_proven_counts_for_more_than_what_was_found_on_average() -> None:
    listed = children(Child(0, 3, 0.5, 0.6, "loss"), Child(1, 0, 0.0, 0.2, "draw"))
    assert completed_values(listed, 0.9) == {0: -1.0, 1: 0.0}


def test_the_improved_policy() -> None:
    """log(prior) + (c_visit + max visits) * c_scale * q, with q from 0 to 1."""
    listed = children(Child(0, 3, 0.5, 0.75), Child(1, 1, -0.5, 0.25))
    logits = improved_logits(listed, 0.0, Gumbel(c_visit=5, c_scale=0.25))
    assert logits == pytest.approx({0: math.log(0.75) + 1.5, 1: math.log(0.25) + 0.5})
    assert softmax(logits)[0] == pytest.approx(3 * math.e / (3 * math.e + 1))


def test_no_move_is_chosen_that_was_not_looked_at() -> None:
    """Those that noise let through seem lost; all others are thought to be worth more."""
    fake = FakeNet(ConnectFour(), [1 / 7] * 7, 1.0)
    noise = {action: 10.0 * (action in (2, 4)) for action in range(7)}
    options = Gumbel(playouts=2, considered=2)
    choice = decide(search_of(ConnectFour().new_state(), fake), 1.0, options, noise)
    assert choice.action in (2, 4)
    assert max(choice.policy, key=lambda action: choice.policy[action]) not in (2, 4)


def test_a_choice_between_two_moves_with_a_visit_each() -> None:
    choice = choice_in_coin(Gumbel(playouts=2, c_visit=1))
    first = 3 * math.exp(0.75)  # how much likelier: the priors, and 2 * (0.75 - 0.375)
    share = first / (first + 1)
    assert choice.action == 0
    assert choice.policy == pytest.approx({0: share, 1: 1 - share})
    assert choice.value_to_move == pytest.approx(0.5 * share - 0.25 * (1 - share), abs=1e-6)


def test_a_move_that_is_not_considered_has_the_mixed_value() -> None:
    choice = choice_in_coin(Gumbel(playouts=1, considered=1, c_visit=1))
    first = 3 * math.exp(2 * (0.5 - (0.1 + 0.5) / 2) / 2)
    assert choice.policy[0] == pytest.approx(first / (first + 1))


def test_noise_says_which_moves_are_considered_but_not_what_is_learned() -> None:
    options = Gumbel(playouts=1, considered=1, c_visit=1)
    choice = choice_in_coin(options, {0: 0.0, 1: 5.0})
    assert choice.action == 1
    second = math.exp(2 * (-0.25 - (0.1 - 0.25) / 2) / 2) / 3
    assert choice.policy[1] == pytest.approx(second / (second + 1))
    assert choice_in_coin(options, {0: 4.0, 1: 5.0}).action == 0  # 4 + log(3) > 5


def test_noise_counts_in_the_choice_too() -> None:
    options = Gumbel(playouts=2, c_visit=1)
    gap = math.log(3) + 0.75
    assert choice_in_coin(options, {0: 0.0, 1: gap - 0.01}).action == 0
    assert choice_in_coin(options, {0: 0.0, 1: gap + 0.01}).action == 1


def test_the_player_to_move_changes_nothing() -> None:
    """White with 12 coins left chooses as Black does."""
    fake = FakeNet(Coin(), [0.75, 0.25], lambda planes: math.sin(coins_left(planes)))
    black, white = coins(15), coins(12)
    for _ in range(3):
        black.apply_action(0)
    assert (black.current_player, white.current_player) == (0, 1)
    one, other = (decide(search_of(s, fake), 0.1, Gumbel(playouts=16)) for s in (black, white))
    assert one == other


def test_halving_keeps_the_moves_of_the_best_scores() -> None:
    """Of seven columns four are considered; two of them stay for the second phase."""
    worth = {0: 0.2, 1: 0.4, 2: -0.6, 3: 0.0}

    def value(planes: Planes) -> float:
        """Of the position after one disc: the other player's, so the worth of the move negated."""
        columns = np.flatnonzero(planes[0, :, 1])
        return -worth[int(columns[0])] if planes[..., :2].sum() == 1 else 0.0

    fake = FakeNet(ConnectFour(), [0.2, 0.2, 0.2, 0.2, 0.1, 0.05, 0.05], value)
    search = search_of(gtpcore.ConnectFourState(), fake)
    choice = decide(search, 0.0, Gumbel(playouts=8, considered=4))
    visits = {child.action: child.visits for child in search.children()}
    assert visits == {0: 3, 1: 3, 2: 1, 3: 1, 4: 0, 5: 0, 6: 0}
    assert choice.action == 1
    assert sum(choice.policy.values()) == pytest.approx(1)


def test_moves_of_a_phase_are_valued_together() -> None:
    """The root alone, seven moves, three of them, and one."""
    fake = FakeNet(ConnectFour())
    decide(search_of(gtpcore.ConnectFourState(), fake, 8), 0.0, Gumbel(playouts=11, considered=7))
    assert fake.batches == [1, 7, 3, 1]


def test_a_sure_win_is_chosen_and_told() -> None:
    fake = FakeNet(Coin(), [0.99, 0.01], 0.9)
    search = search_of(coins(2), fake)
    choice = decide(search, -0.5, Gumbel(playouts=4), {0: 99.0, 1: 0.0})
    assert choice.action == 1
    assert choice.value_to_move == 1
    assert choice.policy[1] > 0.99


def test_what_is_proven_of_the_root_is_its_value_whatever_the_policy() -> None:
    search = search_of(coins(2), FakeNet(Coin(), [0.99, 0.01], 0.9))
    choice = decide(search, -0.5, Gumbel(playouts=4, c_scale=0))
    assert choice.policy == pytest.approx({0: 0.99, 1: 0.01})
    assert choice.value_to_move == 1


def test_one_legal_move() -> None:
    choice = decide(search_of(coins(1), FakeNet(Coin())), 0.3, Gumbel(playouts=4))
    assert choice == Choice(0, {0: 1.0}, 1.0)


def test_a_net_that_trusts_illegal_moves_alone_does_no_harm() -> None:
    state = gtpcore.ConnectFourState()
    for _ in range(6):
        state.apply_action(3)
    priors: list[Any] = [0, 0, 0, 1, 0, 0, 0]
    choice = decide(search_of(state, FakeNet(ConnectFour(), priors)), 0.0, Gumbel(playouts=8))
    assert sorted(choice.policy) == [0, 1, 2, 4, 5, 6]
