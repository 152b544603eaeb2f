"""Search with nets: selection rules against their formulas, rollouts, batches, points of view."""

from collections.abc import Callable, Sequence
from math import log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gtpcore
from games.coin import Coin, CoinOptions
from games.connect4 import ConnectFour
from games.go import Go
from games.position import Position
from games.registry import GAMES
from games.tictactoe import TicTacToe
from search.agent import Limits
from search.alphago import AlphaGoAgent, AlphaGoParams
from search.alphazero import AlphaZeroAgent, AlphaZeroParams
from search.mixed_mcts import MixedMctsAgent, MixedMctsParams
from search.policy import PolicyAgent, PolicyParams
from search.policy_mcts import PolicyMctsAgent, PolicyMctsParams
from search.registry import AGENTS
from tests.support.fakes import FakeNet, Planes
from tests.support.positions import after

PRIORS = (0.05, 0.1, 0.2, 0.3, 0.2, 0.1, 0.05)


def column_value(values: Sequence[float]) -> Callable[[Planes], float]:
    """The value of a board with one disc, by its column, for the player to move."""

    def value(planes: Planes) -> float:
        discs = planes[:, :, 0] + planes[:, :, 1]
        return float(values[int(discs.sum(axis=0).argmax())]) if discs.any() else 0.0

    return value


def root_search(rule: Any, net: FakeNet, state: object | None = None, **options: Any) -> Any:
    """A search that weighs the root's moves only, by the net's word on where they lead."""
    native = net.native()
    evaluator = gtpcore.NetEvaluator(prior=native, value=native, value_weight=1.0, batch_size=1)
    root = state or gtpcore.ConnectFourState()
    return gtpcore.Search(root, evaluator, rule, max_tree_depth=1, **options)


def visits(search: gtpcore.Search) -> list[int]:
    counts = {child.action: child.visits for child in search.children()}
    return [counts[action] for action in sorted(counts)]


Score = Callable[[int, int, float, float], float]
"""The score of a move from all visits, its own, its prior, and its mean value for the mover."""


def by_hand(score: Score, values: Sequence[float], playouts: int) -> list[int]:
    """The visits of moves of constant values, from the formula alone."""
    counts = [0] * len(values)
    for total in range(playouts):
        scores = [
            score(total, count, prior, value)
            for count, prior, value in zip(counts, PRIORS, values, strict=True)
        ]
        counts[scores.index(max(scores))] += 1
    return counts


def test_puct_visits_by_priors_alone_where_values_are_equal() -> None:
    """Prior / (1 + visits) deals out visits as d'Hondt deals out seats: 8 to 2 of 10 at 4 to 1."""
    game = Coin(CoinOptions(pile=21))
    net = FakeNet(game, (4, 1))
    search = root_search(gtpcore.Puct(1.0, 0.0), net, game.new_state())
    search.run(1 + 10)
    assert visits(search) == [8, 2]


values_of_columns = st.lists(st.integers(-512, 512).map(lambda n: n / 512), min_size=7, max_size=7)


@settings(max_examples=30, deadline=None)
@given(values=values_of_columns, c_puct=st.floats(0.5, 3.0))
def test_puct_keeps_to_its_formula(values: list[float], c_puct: float) -> None:
    net = FakeNet(ConnectFour(), PRIORS, column_value([-value for value in values]))
    search = root_search(gtpcore.Puct(c_puct, 0.0), net)
    search.run(1 + 120)

    sums = [0.0]

    def score(total: int, count: int, prior: float, value: float) -> float:
        c = c_puct + log((1 + total + 19652) / 19652)
        unvisited = sums[0] / (total + 1)
        mean = value if count else unvisited
        return mean + c * prior * sqrt(max(total, 1)) / (1 + count)

    counts = [0] * 7
    for total in range(120):
        scores = [score(total, *row) for row in zip(counts, PRIORS, values, strict=True)]
        best = scores.index(max(scores))
        counts[best] += 1
        sums[0] += values[best]
    assert sum(abs(a - b) for a, b in zip(visits(search), counts, strict=True)) <= 2


@settings(max_examples=30, deadline=None)
@given(values=values_of_columns, weight=st.floats(0.1, 0.9))
def test_the_textbooks_formula(values: list[float], weight: float) -> None:
    net = FakeNet(ConnectFour(), PRIORS, column_value([-value for value in values]))
    search = root_search(gtpcore.WeightedPrior(weight), net)
    search.run(1 + 100)

    def score(_: int, count: int, prior: float, value: float) -> float:
        return weight * prior / (1 + count) + (1 - weight) * (value if count else 0.0)

    wanted = by_hand(score, values, 100)
    assert sum(abs(a - b) for a, b in zip(visits(search), wanted, strict=True)) <= 2


@settings(max_examples=30, deadline=None)
@given(values=values_of_columns)
def test_mixed_ucb_keeps_to_its_formula(values: list[float]) -> None:
    net = FakeNet(ConnectFour(), PRIORS, column_value([-value for value in values]))
    search = root_search(gtpcore.MixedUcb(0.7, 5.0), net)
    search.run(1 + 100)

    def score(total: int, count: int, prior: float, value: float) -> float:
        if count == 0:
            return 1e6 + prior
        # The visits of the parent count its own evaluation too.
        spread = 0.7 * sqrt(log(total + 1) / count)
        return (value + 1) / 2 + spread + 5.0 * prior / (1 + count)

    wanted = by_hand(score, values, 100)
    assert sum(abs(a - b) for a, b in zip(visits(search), wanted, strict=True)) <= 2


# Points of view


def test_a_net_is_asked_from_the_view_of_the_player_to_move() -> None:
    """The same net, with the colours swapped, makes the same choices."""
    threatened = FakeNet(ConnectFour(), value=lambda planes: float(planes[:, :, 3].sum()) / 20)
    native = threatened.native()
    evaluator = gtpcore.NetEvaluator(prior=native, value=native, value_weight=1.0)

    def counts(*moves: int) -> list[int]:
        state = after(ConnectFour(), *moves).state
        search = gtpcore.Search(state, evaluator, gtpcore.Puct(1.5, 0.2), seed=1)
        search.run(300)
        return visits(search)

    # Black's discs on C1, D1 and White's on C2, D2; then the same with one more disc on A and G,
    # placed so that White is to move and owns what Black owned.
    black_to_move = counts(2, 2, 3, 3)
    best = black_to_move.index(max(black_to_move))
    assert best in (1, 4)
    white_to_move = counts(0, 2, 2, 3, 3)
    assert white_to_move.index(max(white_to_move)) in (1, 4)


@pytest.mark.parametrize("to_move", [0, 1])
@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_values_are_for_the_player_to_move(to_move: int, weight: float) -> None:
    """A net that likes to move: after one's move the other likes it, so all moves look bad."""
    game = ConnectFour()
    native = FakeNet(game, value=0.5).native()
    evaluator = gtpcore.NetEvaluator(
        prior=native,
        value=native,
        value_weight=weight,
        rollout="none" if weight else "random",
        rollout_depth=None if weight else 0,
    )
    state = after(game, *[3] * to_move).state
    assert evaluator.mean_value(state, 10) == pytest.approx(0.5 if to_move == 0 else -0.5)
    search = gtpcore.Search(state, evaluator, gtpcore.Puct(1.0), max_tree_depth=1)
    search.run(50)
    assert [child.value_to_move for child in search.children()] == [-0.5] * 7


def test_planes_show_the_same_to_both_players() -> None:
    """All but the plane that says who is to move."""
    mirrored = after(ConnectFour(), 0, 6).state, after(ConnectFour(), 0, 6, 0).state
    black, white = (state.planes() for state in mirrored)  # type: ignore[attr-defined]
    assert black[0, 0, 0] == 1 and black[0, 6, 1] == 1 and (black[:, :, 6] == 1).all()
    assert white[0, 6, 0] == 1 and white[0, 0, 1] == white[1, 0, 1] == 1
    assert (white[:, :, 6] == 0).all()


def test_planes_show_threats() -> None:
    state = after(ConnectFour(), 1, 1, 2, 2, 3).state  # three of Black's in the lowest row
    planes = state.planes()  # type: ignore[attr-defined]
    theirs = {(row, column) for row, column in zip(*np.nonzero(planes[:, :, 4]), strict=True)}
    assert theirs == {(0, 0), (0, 4)}
    assert not planes[:, :, 3].any()
    landing = {(row, column) for row, column in zip(*np.nonzero(planes[:, :, 2]), strict=True)}
    assert landing == {(0, 0), (2, 1), (2, 2), (1, 3), (0, 4), (0, 5), (0, 6)}


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


def test_random_rollouts_are_those_of_uct() -> None:
    evaluator = gtpcore.NetEvaluator(rollout="random")
    state = gtpcore.TicTacToeState()
    mean = evaluator.mean_value(state, 20_000, seed=1)
    assert mean == pytest.approx(gtpcore.Evaluator().mean_value(state, 20_000, seed=2), abs=0.03)
    stepwise = gtpcore.NetEvaluator(rollout="random", rollout_depth=9)
    assert stepwise.mean_value(state, 20_000, seed=3) == pytest.approx(mean, abs=0.03)


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


def test_the_seed_alone_decides() -> None:
    def counts(seed: int) -> list[tuple[int, int]]:
        nets = {"net": FakeNet(ConnectFour(), PRIORS).native()}
        agent = AlphaZeroAgent(AlphaZeroParams(seed=seed, epsilon=0.25), nets)
        decision = agent.choose(Position(ConnectFour()), Limits(playouts=200))
        return [(c.action, c.visits) for c in decision.candidates]

    assert counts(1) == counts(1) != counts(2)


# The agents


def test_alphazero_mixes_noise_into_the_roots_priors() -> None:
    nets = {"net": FakeNet(ConnectFour(), PRIORS).native()}
    plain = AlphaZeroAgent(AlphaZeroParams(seed=1), nets)
    noisy = AlphaZeroAgent(AlphaZeroParams(seed=1, epsilon=0.5), nets)
    position = Position(ConnectFour())
    priors = {c.action: c.prior for c in plain.choose(position, Limits(playouts=50)).candidates}
    mixed = {c.action: c.prior for c in noisy.choose(position, Limits(playouts=50)).candidates}
    assert [priors[a] for a in range(7)] == pytest.approx(PRIORS)
    assert sum(mixed.values()) == pytest.approx(1)
    assert all(mixed[a] >= 0.5 * PRIORS[a] - 1e-6 for a in range(7))
    assert mixed != pytest.approx(priors)


def test_temperature_draws_by_visits() -> None:
    nets = {"net": FakeNet(ConnectFour(), PRIORS).native()}
    hot = AlphaZeroAgent(AlphaZeroParams(seed=1, temperature=1.0, reuse_tree=False), nets)
    cold = AlphaZeroAgent(AlphaZeroParams(seed=1, reuse_tree=False), nets)
    position = Position(ConnectFour())

    def chosen(agent: AlphaZeroAgent) -> set[int | None]:
        return {agent.choose(position, Limits(playouts=60)).action for _ in range(25)}

    assert len(chosen(cold)) == 1
    assert len(chosen(hot)) > 2


def test_policy_takes_the_likeliest_legal_move() -> None:
    nets = {"net": FakeNet(ConnectFour(), PRIORS).native()}
    agent = PolicyAgent(PolicyParams(), nets)
    position = Position(ConnectFour())
    assert agent.choose(position, Limits()).action == 3
    assert agent.choose(position, Limits(), frozenset({3})).action in (2, 4)
    full = after(ConnectFour(), *[3] * 6)
    assert agent.choose(full, Limits()).action in (2, 4)


def test_policy_draws_by_its_probabilities() -> None:
    nets = {"net": FakeNet(ConnectFour(), (0, 0, 1, 3, 0, 0, 0)).native()}
    agent = PolicyAgent(PolicyParams(mode="stochastic", seed=1), nets)
    moves = [agent.choose(Position(ConnectFour()), Limits()).action for _ in range(400)]
    assert set(moves) == {2, 3}
    assert 60 <= moves.count(2) <= 140


@pytest.mark.parametrize("name", ["policy-mcts", "mixed-mcts", "alphago", "alphazero"])
@pytest.mark.parametrize("game", ["coin", "tictactoe", "connect4"])
def test_agents_with_nets_find_a_win_in_one(name: str, game: str) -> None:
    opening = {"coin": [1] * 9, "tictactoe": [0, 3, 1, 4], "connect4": [3, 0, 3, 0, 3, 0]}
    winning = {"coin": 1 + 1, "tictactoe": 2, "connect4": 3}
    position = after(GAMES[game](), *opening[game])
    net = FakeNet(position.game).native()
    nets = {"net": net, "value_net": net, "rollout_net": net}
    agent = AGENTS[name](AGENTS[name].Params(seed=1), nets)
    decision = agent.choose(position, Limits(playouts=400))
    if game == "coin":
        assert decision.action is not None
        assert (3 - (decision.action + 1)) % 3 == 0 or decision.value_to_move in (-1.0, None)
    else:
        assert decision.action == winning[game]
        assert decision.value_to_move == 1


def test_alphago_is_made_of_its_parameters() -> None:
    game = ConnectFour()
    strong, judge, fast = (FakeNet(game, PRIORS) for _ in range(3))
    nets = {"net": strong.native(), "value_net": judge.native(), "rollout_net": fast.native()}
    agent = AlphaGoAgent(
        AlphaGoParams(seed=1, max_tree_depth=1, num_rollouts=30, batch_size=1, depth=2), nets
    )
    decision = agent.choose(Position(game), Limits())
    assert decision.playouts == 30
    assert strong.batches == [1]  # the root alone has priors
    assert judge.batches and fast.batches
    fast.batches.clear()
    random = AlphaGoAgent(AlphaGoParams(seed=1, policy_rollout=False), nets)
    random.choose(Position(game), Limits(playouts=20))
    assert fast.batches == []


def test_mixed_mcts_follows_advice_and_policy_mcts_asks_for_rollouts_only() -> None:
    game = ConnectFour()
    net = FakeNet(game, (1000, 1, 1, 1, 1, 1, 1))
    mixed = MixedMctsAgent(MixedMctsParams(seed=1, prior_weight=1e6), {"net": net.native()})
    assert mixed.choose(Position(game), Limits(playouts=100)).action == 0
    rolled = PolicyMctsAgent(PolicyMctsParams(seed=1), {"net": net.native()})
    decision = rolled.choose(Position(game), Limits(playouts=100))
    assert all(c.prior == pytest.approx(1 / 7) for c in decision.candidates)


def test_no_agent_with_nets_plays_what_has_no_planes() -> None:
    for name in ("policy", "policy-mcts", "mixed-mcts", "alphago", "alphazero"):
        assert not AGENTS[name].plays(Go())
        assert AGENTS[name].plays(ConnectFour())


# Halving


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
        ({"rollout": "maybe"}, "expected none, random or policy"),
        ({"rollout": "policy"}, "need a net"),
        ({"value_weight": 1.0}, "without a value net"),
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
    rave = gtpcore.Rave()
    with pytest.raises(ValueError, match="RAVE"):
        gtpcore.Search(gtpcore.ConnectFourState(), evaluator, rave)
