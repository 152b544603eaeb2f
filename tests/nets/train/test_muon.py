"""The optimizer of nets of Go."""

import numpy as np
import pytest

from nets.train.fit import prepare
from nets.train.muon import muon


def stepped(shape: tuple[int, ...], gradient: np.ndarray, rate: float = 0.1) -> np.ndarray:
    """How a variable that was 0 changes by one step along a gradient."""
    prepare(1)
    import keras

    variable = keras.Variable(np.zeros(shape, np.float32))
    optimizer = muon(rate, weight_decay=0.0)
    optimizer.build([variable])
    optimizer.apply([keras.ops.convert_to_tensor(gradient.astype(np.float32))], [variable])
    return np.asarray(keras.ops.convert_to_numpy(variable))


@pytest.mark.parametrize("shape", [(3, 3, 10, 12), (30, 9), (9, 40)])
def test_a_step_is_alike_in_all_directions(shape: tuple[int, ...]) -> None:
    """However unlike the gradient is; and as long as one of Adam's usually is, 0.2 rates."""
    rng = np.random.default_rng(5)
    columns = shape[-1]
    scales = np.logspace(0, 1.5, columns)
    gradient = (rng.normal(size=(np.prod(shape[:-1]), columns)) * scales).reshape(shape)
    step = -stepped(shape, gradient).reshape(-1, columns)
    sizes = np.linalg.svd(step, compute_uv=False)
    assert sizes.max() / sizes.min() < 2 < np.linalg.cond(gradient.reshape(-1, columns))
    assert np.sqrt(np.mean(step**2)) == pytest.approx(0.02, rel=0.5)
    assert (step * gradient.reshape(-1, columns)).sum() > 0  # downhill


@pytest.mark.parametrize("shape", [(12,), (64, 1), (4, 20), ()])
def test_what_is_no_matrix_steps_as_by_adam(shape: tuple[int, ...]) -> None:
    """The first step of Adam is one rate along the sign of the gradient."""
    gradient = np.random.default_rng(6).normal(size=shape)
    assert stepped(shape, gradient) == pytest.approx(-0.1 * np.sign(gradient), rel=1e-2)
