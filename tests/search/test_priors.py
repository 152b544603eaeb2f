"""The selection rules with priors against their formulas, and whose view values are from."""

import random
from collections.abc import Callable, Sequence
from math import log, sqrt
from typing import Any

import numpy as np
import pytest

import gtpcore
from games.coin import Coin, CoinOptions
from games.connect4 import ConnectFour
from games.go import Go, GoOptions
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


def assert_keeps_to(
    score: Score, search: gtpcore.Search, values: Sequence[float], playouts: int
) -> None:
    """Each playout goes to a move of the best score, but for the rounding of sums in the tree.

    The scores are of the search's own visits: of equal moves any may be taken, and that decides
    which are equal later.
    """
    search.run(1)
    counts = visits(search)
    for total in range(playouts):
        scores = [
            score(total, count, prior, value)
            for count, prior, value in zip(counts, PRIORS, values, strict=True)
        ]
        search.run(1)
        before, counts = counts, visits(search)
        (chosen,) = (move for move in range(7) if counts[move] > before[move])
        assert scores[chosen] > max(scores) - 0.01, (counts, scores)


def test_puct_visits_by_priors_alone_where_values_are_equal() -> None:
    """Prior / (1 + visits) deals out visits as d'Hondt deals out seats: 8 to 2 of 10 at 4 to 1."""
    game = Coin(CoinOptions(pile=21))
    net = FakeNet(game, (4, 1))
    search = root_search(gtpcore.Puct(1.0, 0.0), net, game.new_state())
    search.run(1 + 10)
    assert visits(search) == [8, 2]


def values_of_columns(rng: random.Random) -> list[float]:
    """From -1 to 1; many of them the same, or few."""
    steps = rng.choice((1, 4, 512))
    return [rng.randint(-steps, steps) / steps for _ in PRIORS]


many_times = pytest.mark.parametrize("number", range(30))


@many_times
def test_puct_keeps_to_its_formula(number: int, rng: random.Random) -> None:
    values, c_puct = values_of_columns(rng), rng.uniform(0.5, 3.0)
    by_spread = rng.choice((0.0, rng.uniform(0.1, 1.0)))
    net = FakeNet(ConnectFour(), PRIORS, column_value([-value for value in values]))
    search = root_search(gtpcore.Puct(c_puct, 0.0, by_spread), net)

    def score(total: int, count: int, prior: float, value: float) -> float:
        found = [each for each, n in zip(values, visits(search), strict=True) for _ in range(n)]
        c = c_puct + log((1 + total + 19652) / 19652)
        center = sum(found) / total if found else 0.0
        beside = sum((each - center) ** 2 for each in found)
        c *= 1 + by_spread * (sqrt((2 * 0.4**2 + beside) / (2 + total)) / 0.4 - 1)
        mean = value if count else sum(found) / (total + 1)
        return mean + c * prior * sqrt(max(total, 1)) / (1 + count)

    assert_keeps_to(score, search, values, 120)


@pytest.mark.parametrize("by_spread", [0.0, 0.85])
def test_deviation_is_that_of_the_values_or_of_wins_and_losses(by_spread: float) -> None:
    values = [-0.5, 0.25, 0.5, 0.75, 0.0, 1.0, -1.0]
    net = FakeNet(ConnectFour(), PRIORS, column_value([-value for value in values]))
    search = root_search(gtpcore.Puct(3.0, 0.0, by_spread), net)
    search.run(1 + 120)
    for child in search.children():
        n, value = child.visits, values[child.action]
        # Two more lie 0.4 beside the mean, or all are wins and losses.
        variance = 2 * 0.4**2 / (2 + n) if by_spread else 1 - value**2
        wanted = sqrt(variance / n) if n else 0.0
        assert child.deviation == pytest.approx(wanted, abs=0.002)


@many_times
def test_the_textbooks_formula(number: int, rng: random.Random) -> None:
    values, weight = values_of_columns(rng), rng.uniform(0.1, 0.9)
    net = FakeNet(ConnectFour(), PRIORS, column_value([-value for value in values]))
    search = root_search(gtpcore.WeightedPrior(weight), net)

    def score(_: int, count: int, prior: float, value: float) -> float:
        return weight * prior / (1 + count) + (1 - weight) * (value if count else 0.0)

    assert_keeps_to(score, search, values, 100)


@many_times
def test_mixed_ucb_keeps_to_its_formula(number: int, rng: random.Random) -> None:
    values = values_of_columns(rng)
    net = FakeNet(ConnectFour(), PRIORS, column_value([-value for value in values]))
    search = root_search(gtpcore.MixedUcb(0.7, 5.0), net)

    def score(total: int, count: int, prior: float, value: float) -> float:
        if count == 0:
            return 1e6 + prior
        # The visits of the parent count its own evaluation too.
        spread = 0.7 * sqrt(log(total + 1) / count)
        return (value + 1) / 2 + spread + 5.0 * prior / (1 + count)

    assert_keeps_to(score, search, values, 100)


def test_mixed_ucb_tries_the_likeliest_of_many_moves_first() -> None:
    """Priors of many moves lie closer to each other than those of few."""
    priors = [1 + (37 * action % 82) / 82 for action in range(82)]
    search = root_search(
        gtpcore.MixedUcb(0.7, 5.0), FakeNet(Go(GoOptions(size=9)), priors), gtpcore.GoState(9)
    )
    search.run(1 + 10)
    likeliest = sorted(range(82), key=lambda action: -priors[action])[:10]
    assert {child.action for child in search.children() if child.visits} == set(likeliest)


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
