"""Labels that later positions of a game correct: worked out by hand, and on made-up games."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from nets.train.go_games import GoGame
from nets.train.go_records import GoGames
from nets.train.go_trace import traced
from tests.support.go_games import packed, random_game


def game(shares: list[float], values: list[float], scores: list[float] | None = None) -> GoGame:
    """Three moves, each so likely in its label that the likeliest is 200 / 255."""
    made_up = random_game(5, 3, seed=1, labels=2)
    others = (made_up.moves.astype(int) + 1) % 25
    return replace(
        made_up,
        top_moves=np.stack([others, made_up.moves], axis=1).astype(np.uint16),
        top_probs=np.array([[200, round(200 * share)] for share in shares], np.uint8),
        black_value=np.array(values, np.float16),
        black_score=np.array(values if scores is None else scores, np.float16),
    )


def values(games: GoGames, trace: float) -> NDArray[np.float16]:
    return traced(games, trace).black_value


def test_a_value_is_the_mean_of_those_that_follow_by_likely_moves() -> None:
    found = values(packed([game([1, 0.5, 0], [0.1, -0.3, 0.9])]), 0.8)
    # Weights: 1, 0.8 and 0.8 * 0.4 from the first on; 1 and 0.4 from the second.
    first = (0.1 - 0.8 * 0.3 + 0.32 * 0.9) / (1 + 0.8 + 0.32)
    assert found == pytest.approx([first, (-0.3 + 0.4 * 0.9) / 1.4, 0.9], abs=1e-3)


def test_a_move_that_no_label_has_ends_it() -> None:
    found = values(packed([game([0, 1, 1], [0.5, -0.5, 0.25])]), 1.0)
    assert found == pytest.approx([0.5, -0.125, 0.25], abs=1e-3)


def test_scores_reach_back_likewise() -> None:
    games = packed([game([1, 1, 1], [0, 0, 0], scores=[3, 6, -3])])
    assert traced(games, 1.0).black_score == pytest.approx([2, 1.5, -3], abs=1e-2)


def test_one_game_says_nothing_of_the_one_before() -> None:
    one, other = game([1, 1, 1], [0.1, 0.2, 0.3]), game([1, 1, 1], [-0.9, -0.9, -0.9])
    both = values(packed([one, other]), 0.9)
    assert (both[:3] == values(packed([one]), 0.9)).all()
    assert (both[3:] == values(packed([other]), 0.9)).all()


def test_games_of_any_lengths_are_each_traced_to_their_ends() -> None:
    rng = np.random.default_rng(1)
    games = []
    for length in (3, 20, 1, 7, 20):
        made_up = random_game(5, length, seed=length, labels=2)
        top_moves = np.stack([made_up.moves, (made_up.moves + 1) % 25], axis=1)
        labels = rng.uniform(-1, 1, length).astype(np.float16)
        likely = np.array([[200, 55]] * length, np.uint8)
        games.append(replace(made_up, top_moves=top_moves, top_probs=likely, black_value=labels))
    found = np.split(values(packed(games), 0.5), np.cumsum([len(game.moves) for game in games]))
    for one, means in zip(games, found, strict=False):
        for place in range(len(one.moves)):
            later = one.black_value[place:].astype(float)
            expected = np.average(later, weights=0.5 ** np.arange(len(later)))
            assert means[place] == pytest.approx(expected, abs=1e-3)


def test_what_has_no_label_gets_none_and_is_reached_across() -> None:
    found = values(packed([game([1, 1, 1], [0.5, np.nan, -0.5])]), 0.5)
    assert np.isnan(found[1])
    assert found[[0, 2]] == pytest.approx([(0.5 - 0.25 * 0.5) / 1.25, -0.5], abs=1e-3)


@pytest.mark.parametrize(("labels", "trace"), [(0, 0.8), (12, 0.0)])
def test_without_likely_moves_or_reach_nothing_changes(labels: int, trace: float) -> None:
    games = packed([random_game(5, 12, seed, labels) for seed in range(3)])
    after = traced(games, trace)
    assert (after.black_value == games.black_value).all()
    assert (after.black_score == games.black_score).all()


def test_means_stay_among_their_labels() -> None:
    for seed in range(20):
        games = packed([random_game(5, 12, seed + part) for part in range(3)])
        for ends in zip(games.start[:-1], games.start[1:], strict=True):
            before = games.black_value[slice(*ends)]
            after = values(games, 0.8)[slice(*ends)]
            assert (after <= before.max()).all() and (after >= before.min()).all()
