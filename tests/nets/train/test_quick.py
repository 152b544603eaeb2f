"""Nets made to learn fast, or as they play, are the nets that they were made of."""

from typing import Any

import numpy as np
import pytest

from nets.models import make
from nets.train.fit import prepare
from nets.train.quick import frozen, quickened

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pair() -> tuple[Any, Any]:
    """A net and its copy."""
    prepare(1)
    model = make("go", "alphazero", 8, 3)
    return model, quickened(model)


@pytest.mark.parametrize("training", [False, True])
def test_both_say_the_same(pair: tuple[Any, Any], training: bool) -> None:
    planes = np.random.default_rng(1).random((32, 5, 5, pair[0].input_shape[-1]), np.float32)
    planes[..., 0] = 1
    plain, quick = (model(planes, training=training) for model in pair)
    for name in plain:
        np.testing.assert_allclose(plain[name], quick[name], atol=1e-3, rtol=1e-3)


def test_both_remember_the_same_of_what_they_learned_from(pair: tuple[Any, Any]) -> None:
    for planes in np.random.default_rng(2).random((4, 32, 5, 5, 17), np.float32):
        for model in pair:
            model(planes, training=True)
    for plain, quick in zip(*(model.get_weights() for model in pair), strict=True):
        np.testing.assert_allclose(plain, quick, atol=1e-3, rtol=1e-2)


def test_the_copy_has_layers_of_its_own(pair: tuple[Any, Any]) -> None:
    kinds = [{type(layer).__name__ for layer in model.layers} for model in pair]
    assert {"BatchNormalization"} == kinds[0] - kinds[1]
    assert len(pair[0].variables) == len(pair[1].variables)


@pytest.mark.parametrize(("game", "height", "width"), [("go", 5, 5), ("connect4", 6, 7)])
def test_a_frozen_copy_says_the_same_while_it_learns_as_when_it_plays(
    game: str, height: int, width: int
) -> None:
    prepare(1)
    model = make(game, "alphazero", 8, 3)
    copy = frozen(model)
    planes = np.random.default_rng(1).random((32, height, width, model.input_shape[-1]), np.float32)
    planes[..., 0] = 1
    model(planes, training=True)  # so that there is something to normalize by
    copy.set_weights(model.get_weights())
    plays, learns = model(planes, training=False), copy(planes, training=True)
    for name in plays:
        np.testing.assert_allclose(plays[name], learns[name], atol=1e-4, rtol=1e-4)
    for before, after in zip(model.get_weights(), copy.get_weights(), strict=True):
        np.testing.assert_array_equal(before, after)
    assert len(copy.trainable_variables) == len(model.trainable_variables)
