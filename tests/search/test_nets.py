"""Search with nets: rollouts, batches, memory, shared positions, and what may be wrong."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import gtpcore
from games.coin import Coin
from games.connect4 import ConnectFour
from games.go import Go, GoOptions
from games.tictactoe import TicTacToe
from nets.files import find_weights
from tests.support.fakes import FakeNet, Planes

PRIORS = (0.05, 0.1, 0.2, 0.3, 0.2, 0.1, 0.05)


def visits(search: gtpcore.Search) -> list[int]:
    counts = {child.action: child.visits for child in search.children()}
    return [counts[action] for action in sorted(counts)]


# Rollouts


def test_a_policy_rollout_plays_what_the_net_says() -> None:
    """Each always takes one coin, so who moves with an odd pile takes the last."""
    net = FakeNet(Coin(), (1, 0)).native()
    evaluator = gtpcore.NetEvaluator(rollout="policy", rollout_policy=net)
    for pile in range(2, 12):
        value = evaluator.mean_value(gtpcore.CoinState(pile, 2) if pile == 21 else _coins(pile), 5)
        assert value == _who_takes_the_last(pile), pile


def _coins(left: int) -> gtpcore.CoinState:
    """A game of 21 coins of which so many are left."""
    state = gtpcore.CoinState(21, 2)
    while state.coins > left:
        state.apply_action(min(state.coins - left, 2) - 1)
    return state


def _who_takes_the_last(pile: int) -> float:
    mover_wins = pile % 2 == 1
    black_to_move = _coins(pile).current_player == 0
    return 1.0 if mover_wins == black_to_move else -1.0


def test_a_rollout_is_cut_off_at_its_depth() -> None:
    """After three single coins of seven, the value net judges, for the player then to move."""
    fast = FakeNet(Coin(), (1, 0)).native()
    judge = FakeNet(Coin(), value=lambda planes: float(planes.sum()) / 10).native()
    state = _coins(7)
    sign = 1 if state.current_player == 1 else -1  # three moves later it is the other's turn
    cut = gtpcore.NetEvaluator(rollout="policy", rollout_policy=fast, value=judge, rollout_depth=3)
    assert cut.mean_value(state, 3) == pytest.approx(sign * 0.4)
    unjudged = gtpcore.NetEvaluator(rollout="policy", rollout_policy=fast, rollout_depth=3)
    assert unjudged.mean_value(state, 3) == 0.0
    mixed = gtpcore.NetEvaluator(
        rollout="policy", rollout_policy=fast, value=judge, rollout_depth=3, value_weight=0.25
    )
    leaf = -sign * 0.7  # the judge's word on the leaf itself
    assert mixed.mean_value(state, 3) == pytest.approx(0.25 * leaf + 0.75 * sign * 0.4)


def test_of_a_finished_game_the_result_counts_and_no_net_is_asked() -> None:
    state, fake = _coins(1), FakeNet(Coin(), value=1.0)
    state.apply_action(0)
    evaluator = gtpcore.NetEvaluator(value=fake.native(), value_weight=1.0)
    assert evaluator.mean_value(state, 1) == state.black_value
    assert fake.batches == []


def test_random_rollouts_are_those_of_uct() -> None:
    evaluator = gtpcore.NetEvaluator(rollout="random")
    state = gtpcore.TicTacToeState()
    mean = evaluator.mean_value(state, 20_000, seed=1)
    assert mean == pytest.approx(gtpcore.Evaluator().mean_value(state, 20_000, seed=2), abs=0.03)
    stepwise = gtpcore.NetEvaluator(rollout="random", rollout_depth=9)
    assert stepwise.mean_value(state, 20_000, seed=3) == pytest.approx(mean, abs=0.03)


def test_playouts_are_those_of_the_evaluator_that_makes_them() -> None:
    fast = gtpcore.GoFastPolicy(find_weights("rollout", "go").read_bytes(), temperature=0.5)
    evaluator = gtpcore.NetEvaluator(rollout="playouts", playouts=fast)
    state = gtpcore.GoState(5, gtpcore.GoRules(komi=0.5))
    state.apply_action(12)
    mean = evaluator.mean_value(state, 2000, seed=1)
    assert mean == pytest.approx(fast.mean_value(state, 2000, seed=2), abs=0.06)
    judge = FakeNet(Go(GoOptions(size=5)), value=-1.0).native()  # for White, who is to move
    mixed = gtpcore.NetEvaluator(rollout="playouts", playouts=fast, value=judge, value_weight=0.25)
    assert mixed.mean_value(state, 2000, seed=1) == pytest.approx(0.25 + 0.75 * mean, abs=1e-4)


def test_playouts_of_go_are_for_go_alone() -> None:
    fast = gtpcore.GoFastPolicy(find_weights("rollout", "go").read_bytes())
    evaluator = gtpcore.NetEvaluator(rollout="playouts", playouts=fast)
    with pytest.raises(ValueError):
        gtpcore.Search(gtpcore.TicTacToeState(), evaluator, gtpcore.Ucb1())


# Batches, memory, transpositions


def test_batches_grow_with_the_tree_and_no_playout_is_lost() -> None:
    net = FakeNet(ConnectFour(), PRIORS)
    native = net.native()
    evaluator = gtpcore.NetEvaluator(prior=native, value=native, value_weight=1.0, batch_size=16)
    search = gtpcore.Search(gtpcore.ConnectFourState(), evaluator, gtpcore.Puct(1.5))
    search.run(1000)
    assert sum(visits(search)) == 999  # the first is of the root
    assert net.batches[:3] == [1, 1, 1]
    assert max(net.batches) == 16
    assert sum(net.batches) == len(set(net.seen)) or sum(net.batches) <= 1000


@pytest.mark.parametrize(("most", "sizes"), [(1, {1}), (8, {1, 4, 8}), (16, {1, 4, 16})])
def test_leaves_wait_by_so_many_as_the_tree_can_spare(most: int, sizes: set[int]) -> None:
    net = FakeNet(Go(GoOptions(size=9)))
    native = net.native()
    evaluator = gtpcore.NetEvaluator(prior=native, value=native, value_weight=1.0, batch_size=most)
    gtpcore.Search(gtpcore.GoState(9), evaluator, gtpcore.Puct(1.5)).run(1200)
    assert sizes <= set(net.batches)
    visits = 0
    for size in net.batches:
        whole = min(known for known in sizes if size <= known)
        assert whole == 1 or visits >= 2 * whole**2, (visits, size)
        visits += size


@pytest.mark.parametrize("threads", [1, 2])
def test_shared_positions_are_asked_about_once(threads: int) -> None:
    net = FakeNet(TicTacToe(), value=0.1)
    native = net.native()
    evaluator = gtpcore.NetEvaluator(prior=native, value=native, value_weight=1.0, batch_size=4)
    search = gtpcore.Search(
        gtpcore.TicTacToeState(),
        evaluator,
        gtpcore.Puct(50.0),
        threads=threads,
        transpositions=True,
    )
    search.run(20_000)
    # 5,478 positions can be reached; 4,520 of them are not over (counted by a full search).
    assert len(set(net.seen)) <= 4520
    assert len(net.seen) <= len(set(net.seen)) * 1.1
    alone = gtpcore.Search(gtpcore.TicTacToeState(), evaluator, gtpcore.Puct(50.0))
    net.seen.clear()
    alone.run(20_000)
    assert len(net.seen) > 1.5 * len(set(net.seen))


def test_every_pile_is_solved_where_positions_are_shared() -> None:
    for max_take in (1, 2, 3, 5):
        for pile in range(max_take, 61):
            state = gtpcore.CoinState(pile, max_take)
            search = gtpcore.Search(
                state, gtpcore.Evaluator(), gtpcore.Ucb1(0.7), transpositions=True
            )
            search.run(30_000)
            assert search.root_proof == ("win" if pile % (max_take + 1) else "loss"), (
                pile,
                max_take,
            )


def test_a_tree_with_shared_positions_survives_a_game_in_little_memory() -> None:
    search = gtpcore.Search(
        gtpcore.ConnectFourState(),
        gtpcore.Evaluator(),
        gtpcore.Ucb1(0.7),
        max_bytes=1 << 18,
        transpositions=True,
        seed=5,
    )
    moves = 0
    while search.root_proof == "":
        search.run(20_000)
        assert search.num_nodes <= search.max_nodes
        before = search.children()[0]
        search.advance(before.action)
        moves += 1
        known = sum(child.visits for child in search.children())
        assert known > 0 or before.proof
    assert moves > 5


def test_a_memory_answers_for_the_net() -> None:
    net = FakeNet(Coin(), (1, 3))
    native = net.native(memory=1024)
    first = native.evaluate(gtpcore.CoinState(21, 2))
    assert native.evaluate(gtpcore.CoinState(21, 2)) == first == ([0.25, 0.75], 0.0)
    assert net.batches == [1]


# Halving


def test_where_the_way_does_not_matter_the_net_alone_remembers() -> None:
    for memory in (0, 1 << 16):
        net = FakeNet(ConnectFour(), PRIORS)
        native = net.native(memory=memory)
        evaluator = gtpcore.NetEvaluator(
            prior=native, value=native, value_weight=1.0, batch_size=1, memory=1 << 10
        )
        for _ in range(2):
            gtpcore.Search(gtpcore.ConnectFourState(), evaluator, gtpcore.Puct(1.5)).run(100)
        assert len(net.seen) == (len(set(net.seen)) if memory else 2 * 100)


def test_no_net_remembers_more_than_there_is_memory_for() -> None:
    """For so many positions even the number of bytes has more than 64 bits, the low ones 0."""
    net = FakeNet(Go(GoOptions(size=5))).native()
    with pytest.raises(MemoryError):
        gtpcore.NetEvaluator(prior=net, value=net, value_weight=1.0, memory=1 << 62)


def test_a_net_counts_what_it_is_shown() -> None:
    net = FakeNet(ConnectFour(), PRIORS)
    native = net.native(memory=1 << 16)
    state = gtpcore.ConnectFourState()
    for seed, shown in ((None, 1), (None, 1), (3, 1 + 2), (3, 1 + 2)):
        native.evaluate(state, seed)
        assert native.evaluations == shown == len(net.seen)
    evaluator = gtpcore.NetEvaluator(
        prior=native, value=native, value_weight=1.0, batch_size=8, symmetry_seed=3
    )
    gtpcore.Search(state, evaluator, gtpcore.Puct(1.5), threads=2).run(500)
    assert native.evaluations == sum(net.batches) > 250


def test_root_actions_are_visited_alike_and_others_not_at_all() -> None:
    net = FakeNet(ConnectFour(), PRIORS)
    native = net.native()
    evaluator = gtpcore.NetEvaluator(prior=native, value=native, value_weight=1.0)
    search = gtpcore.Search(gtpcore.ConnectFourState(), evaluator, gtpcore.Puct(1.5))
    search.run(1)
    search.run(40, root_actions=[0, 5, 6, 1])
    assert visits(search) == [10, 10, 0, 0, 0, 10, 10]
    with pytest.raises(gtpcore.IllegalMoveError, match="root action 7"):
        search.run(1, root_actions=[7])


def test_root_actions_that_no_search_looks_at_are_refused() -> None:
    """A1 is Black's eye; it is looked at if all else is forbidden, C3 then is not."""
    state = gtpcore.GoState(5)
    for point in (1, 5, 6):
        state.place(0, point)
    state.place(1, 24)
    all_else = [(0, action, 1) for action in state.candidates()]
    for forbidden, refused, allowed in (([], 0, 12), (all_else, 12, 0)):
        search = gtpcore.Search(state, gtpcore.Evaluator(), gtpcore.Ucb1(), forbidden=forbidden)
        for _ in range(2):
            with pytest.raises(ValueError, match=f"root action {refused} is legal, but none"):
                search.run(10, root_actions=[refused])
            search.run(10, root_actions=[allowed])
        assert {child.action for child in search.children() if child.visits} == {allowed}


# What may be wrong with a net


def faulty(answer: Any) -> gtpcore.Net:
    return gtpcore.Net(lambda planes: answer, (6, 7, 7), 7, has_policy=True, has_value=True)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "did not answer with a pair"),
        ((np.zeros((1, 6), np.float32), np.zeros(1, np.float32)), "6 numbers: expected 7"),
        (("policy", np.zeros(1, np.float32)), "policy is no contiguous array of float32"),
        ((np.full((1, 7), np.nan, np.float32), np.zeros(1, np.float32)), "NaN"),
        ((np.ones((1, 7), np.float32), np.full(1, np.inf, np.float32)), "infinite"),
    ],
)
def test_a_net_that_answers_wrongly_ends_the_search(answer: Any, message: str) -> None:
    net = faulty(answer)
    evaluator = gtpcore.NetEvaluator(prior=net, value=net, value_weight=1.0)
    search = gtpcore.Search(gtpcore.ConnectFourState(), evaluator, gtpcore.Puct(1.0), threads=2)
    for _ in range(2):
        with pytest.raises(RuntimeError, match=message):
            search.run(100)
    assert search.children() == []


def test_an_error_of_the_net_is_the_searchs() -> None:
    def broken(planes: Planes) -> tuple[Planes, Planes]:
        raise OSError("the disk is gone")

    net = gtpcore.Net(broken, (6, 7, 7), 7, has_policy=True, has_value=True)
    evaluator = gtpcore.NetEvaluator(prior=net, value=net, value_weight=1.0)
    search = gtpcore.Search(gtpcore.ConnectFourState(), evaluator, gtpcore.Puct(1.0))
    with pytest.raises(OSError, match="the disk is gone"):
        search.run(10)


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ({}, "without rollouts"),
        ({"rollout": "maybe"}, "expected none, random, policy or playouts"),
        ({"rollout": "playouts"}, "need an evaluator"),
        ({"rollout": "random", "playouts": gtpcore.Evaluator()}, "need an evaluator"),
        (
            {"rollout": "playouts", "playouts": gtpcore.Evaluator(), "rollout_depth": 3},
            "playouts are not cut off",
        ),
        ({"rollout": "policy"}, "need a net"),
        ({"value_weight": 1.0}, "without a value net"),
        ({"rollout": "random", "value_weight": -0.5}, "a value weight beyond 0 to 1"),
        ({"rollout": "random", "value_weight": float("nan")}, "a value weight beyond 0 to 1"),
        ({"value_weight": 1.5}, "a value weight beyond 0 to 1"),
        ({"rollout": "random", "batch_size": 0}, "below its least"),
    ],
)
def test_recipes_that_do_not_fit_together(recipe: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gtpcore.NetEvaluator(**recipe)


def test_a_net_for_another_game_is_refused() -> None:
    net = FakeNet(ConnectFour()).native()
    evaluator = gtpcore.NetEvaluator(prior=net, value=net, value_weight=1.0)
    with pytest.raises(ValueError, match="does not serve"):
        gtpcore.Search(gtpcore.TicTacToeState(), evaluator, gtpcore.Puct(1.0))
    with pytest.raises(ValueError, match="does not fit"):
        net.evaluate(gtpcore.TicTacToeState())
    rave = gtpcore.Rave(0.0, 3000.0)
    with pytest.raises(ValueError, match="RAVE"):
        gtpcore.Search(gtpcore.ConnectFourState(), evaluator, rave)


# Nets that several threads ask at once


def gathering(forward: Callable[[Planes], tuple[None, Planes]]) -> gtpcore.Net:
    """On one core, of the coin game, remembering nothing."""
    shape = gtpcore.CoinState().plane_shape
    return gtpcore.Net(forward, shape, 2, has_policy=False, has_value=True, memory=0, gathers=1)


def test_threads_share_batches_and_are_told_of_their_own_positions() -> None:
    batches = []

    def count_coins(planes: Planes) -> tuple[None, Planes]:
        batches.append(len(planes))
        time.sleep(0.001)  # in which others come
        return None, planes.sum(axis=(1, 2, 3)) / 21

    net = gathering(count_coins)
    piles = [1 + number % 21 for number in range(600)]
    with ThreadPoolExecutor(12) as pool:
        values = list(pool.map(lambda pile: net.evaluate(_coins(pile))[1], piles))
    assert values == pytest.approx([pile / 21 for pile in piles])
    assert sum(batches) == len(piles) > len(batches)


def test_only_who_asks_what_a_net_cannot_say_gets_its_error() -> None:
    def fear_seven(planes: Planes) -> tuple[None, Planes]:
        coins = planes.sum(axis=(1, 2, 3))
        if (coins == 7).any():
            raise LookupError("seven")
        return None, coins / 21

    net = gathering(fear_seven)

    def ask(pile: int) -> float | str:
        try:
            return float(net.evaluate(_coins(pile))[1])
        except LookupError as error:
            return str(error)

    piles = [1 + number % 21 for number in range(600)]
    with ThreadPoolExecutor(12) as pool:
        said = list(pool.map(ask, piles))
    assert said == ["seven" if pile == 7 else pytest.approx(pile / 21) for pile in piles]


def test_a_net_gathers_on_a_core_or_not_at_all() -> None:
    with pytest.raises(ValueError, match="without a core"):
        gtpcore.Net(len, (1, 1, 1), 2, has_policy=True, has_value=True, gathers=-1)


def test_playouts_by_a_fast_policy_are_games_at_any_temperature() -> None:
    """White's last stone but one is in atari; to take it is all that Black can do."""
    weights = find_weights("rollout", "go").read_bytes()
    rows = (".XXXX", "OXXXX", "XX.XX", "XXX.X", "XXXXX")
    for temperature in (1000.0, 0.5, 0.009, 0.001):
        state = gtpcore.GoState(5, gtpcore.GoRules(komi=23.5))
        for row, line in enumerate(rows):
            for column, stone in enumerate(line):
                if stone != ".":
                    state.place("XO".index(stone), row * 5 + column)
        fast = gtpcore.GoFastPolicy(weights, temperature=temperature)
        assert fast.mean_value(state, 200, seed=1) == 1.0
