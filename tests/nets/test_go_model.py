"""The net of Go as Keras has it: what its heads are told."""

import numpy as np
import pytest

from games.go import Go, GoOptions
from nets.go_model import CLOSE, KOMI_PLANE, POINTS
from nets.models import make
from nets.train.fit import Model, prepare
from nets.train.supervised import outputs
from tests.support.planes import random_go_planes


@pytest.fixture(scope="module")
def counting() -> Model:
    """A net whose score and value are made of the lead alone that it is told, where that is > 0."""
    prepare(2)
    model = make("go", "alphazero", 8, 1)
    value, score = model.get_layer("value"), before(model.get_layer("score"))
    hidden = before(value)
    assert before(score) is hidden
    for layer, kept in ((hidden, {-2: 0, -1: 1}), (score, {0: 0}), (value, {1: 0})):
        kernel, bias = (np.zeros_like(array) for array in layer.get_weights())
        for source, unit in kept.items():
            kernel[source, unit] = 1
        layer.set_weights([kernel, bias])
    return model


def before(layer: Model) -> Model:
    """The layer whose output it takes."""
    return layer.input._keras_history.operation


@pytest.mark.parametrize("size", [5, 9, 13])
def test_the_heads_are_told_the_lead_that_the_ownership_comes_to(
    counting: Model, size: int
) -> None:
    planes = random_go_planes(size, 24, seed=2)
    planes[:8, ..., KOMI_PLANE] = np.linspace(-1, 1, 8, dtype=np.float32)[:, None, None]
    said = outputs(counting, planes)
    lead = said["ownership"].sum(axis=(1, 2)) + POINTS * planes[:, 0, 0, KOMI_PLANE]
    assert lead.min() < -1 and lead.max() > 1
    ahead = lead.clip(min=0)
    assert said["score"][:, 0] == pytest.approx(ahead, abs=1e-3)
    assert said["value"] == pytest.approx(np.tanh(np.tanh(ahead / CLOSE)), abs=1e-4)


def test_the_komi_is_where_the_net_looks_for_it() -> None:
    state = Go(GoOptions(size=9, komi=7.5)).new_state()
    given = [POINTS * state.planes()[..., KOMI_PLANE]]
    state.apply_action(40)
    given.append(POINTS * state.planes()[..., KOMI_PLANE])
    assert given[0] == pytest.approx(np.full((9, 9), -7.5))
    assert given[1] == pytest.approx(np.full((9, 9), 7.5))
