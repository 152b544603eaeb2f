"""The nets of Go that ship, on games that none learned from: `tests/data/go_held_out`.

These are 46 games of the kind that they learned from, held out by the training: shards as
`nets/train/go_records.py` has them, labelled by their teachers in every position. The moves are
those of the first one, KataGo's b6c96, and so are the values but those on 9x9, which a stronger
one, b10c384h6nbttflrs, told.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from games.go import Go, GoOptions
from nets.files import load
from nets.spec import NetSpec
from nets.train.go_records import GoGames
from search.board_net import usual_net

HELD_OUT = Path(__file__).parents[1] / "data" / "go_held_out"
BATCH = 64

FIRST_CHOICES = {9: 0.73, 13: 0.67, 19: 0.57}
"""How often the net's first choice must be the teacher's, by board size."""
VALUE_ERRORS = {9: 0.105, 13: 0.035, 19: 0.045}
"""The most that the mean square of the error of its value may be."""

Predict = Callable[[NDArray[np.float32]], Mapping[str, NDArray[np.float32]]]


def marks(predict: Predict, games: GoGames) -> tuple[float, float]:
    """The share of first choices that are the label's, and the mean square error of the value."""
    found, errors = [], []
    for start in range(0, len(games), BATCH):
        batch = games.batch(np.arange(start, min(start + BATCH, len(games))))
        said = predict(batch.planes)
        found.append(said["policy"].argmax(axis=1) == batch.policy.argmax(axis=1))
        errors.append((said["value"][:, 0] - batch.value) ** 2)
    return float(np.concatenate(found).mean()), float(np.concatenate(errors).mean())


LARGER = [pytest.param(size, marks=pytest.mark.slow) for size in (13, 19)]


@pytest.fixture(scope="module", params=[9, *LARGER])
def games(request: pytest.FixtureRequest) -> GoGames:
    return GoGames.load(HELD_OUT / f"{request.param:02}.npz")


def test_the_net_knows_what_the_teacher_would_play(games: GoGames) -> None:
    game = Go(GoOptions(size=games.size))
    net = load(usual_net(game), NetSpec.of(game))
    first_choices, value_error = marks(net.predict, games)
    assert first_choices >= FIRST_CHOICES[games.size]
    assert value_error <= VALUE_ERRORS[games.size]


def test_the_sample_is_what_it_is_said_to_be(games: GoGames) -> None:
    labels = games.batch(np.arange(len(games)))
    assert 1_500 < len(games) < 2_500
    assert (games.top_moves.shape[1], np.isnan(games.black_value).sum()) == (12, 0)
    assert labels.has_score.all() and labels.has_ownership.all()


def test_marks_are_those_of_the_labels(games: GoGames) -> None:
    """Who always says the first move of the board, and that nobody is ahead."""

    def first_point(planes: NDArray[np.float32]) -> Mapping[str, NDArray[np.float32]]:
        policy = np.zeros((len(planes), games.size**2 + 1), np.float32)
        policy[:, 0] = 1
        return {"policy": policy, "value": np.zeros((len(planes), 1), np.float32)}

    labels = games.batch(np.arange(len(games)))
    first_choices, value_error = marks(first_point, games)
    assert first_choices == pytest.approx((labels.policy.argmax(axis=1) == 0).mean())
    assert value_error == pytest.approx((labels.value**2).mean(), rel=1e-5)
