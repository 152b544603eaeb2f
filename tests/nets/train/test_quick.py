"""Nets made to learn fast, as they play or from parts, are the nets that they were made of."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import keras
import numpy as np
import pytest

from nets.models import make
from nets.train.captured import captures
from nets.train.fit import prepare
from nets.train.quick import forgetful, frozen, quickened

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


@pytest.mark.parametrize("learner", [quickened, frozen])
def test_a_forgetful_copy_is_shown_a_part_only_while_it_learns(learner: Callable[..., Any]) -> None:
    prepare(1)
    model = make("connect4", "alphazero")
    planes = np.random.default_rng(1).random((16, *model.input_shape[1:]), np.float32)
    copies = [learner(forgetful(model, 0.25, seed)) for seed in (1, 1, 2)]
    for copy in copies:
        for plain, same in zip(model.get_weights(), copy.get_weights(), strict=True):
            np.testing.assert_array_equal(plain, same)
        np.testing.assert_allclose(model(planes)["policy"], copy(planes)["policy"], atol=1e-5)
    stems = [keras.Model(copy.input, _flat(copy).output) for copy in (learner(model), *copies)]
    whole, first, again, other = (np.asarray(stem(planes, training=True)) for stem in stems)
    second = np.asarray(stems[1](planes, training=True))
    is_shown, is_active = first > 0, whole > 0
    assert is_shown[is_active].mean() == pytest.approx(0.75, abs=0.01)
    np.testing.assert_allclose(first[is_shown], whole[is_shown] / 0.75, rtol=1e-5)
    np.testing.assert_array_equal(first, again)
    for drawn_anew in (other, second):
        assert not np.array_equal(first, drawn_anew)


def _flat(model: Any) -> Any:
    return next(layer for layer in model.layers if isinstance(layer, keras.layers.Flatten))


def test_nothing_is_hidden_of_which_no_share_is_to_be() -> None:
    model = make("connect4", "alphazero", 8, 1)
    assert forgetful(model, 0, 1) is model


def test_steps_that_draw_random_numbers_are_not_recorded() -> None:
    """Keras reads the seed of each from the GPU, which is not allowed while recording."""
    on_gpu = (SimpleNamespace(is_cuda=True), None, None)
    model = make("connect4", "alphazero", 8, 1)
    assert captures(model, on_gpu)
    assert not captures(forgetful(model, 0.2, 1), on_gpu)
