"""The optimizer of nets that are taught."""

from collections.abc import Sequence

import numpy as np
import pytest

from nets.models import make
from nets.train.fit import prepare
from nets.train.muon import muon
from nets.train.supervised import compile_model


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


def test_several_steps_are_those_of_both_papers() -> None:
    """Of matrices that step together and of others, each by itself, with momenta and decay."""
    prepare(1)
    import keras

    rng = np.random.default_rng(7)
    shapes = [(9, 12), (5,), (3, 3, 1, 12), (4, 20), (40, 8)]
    begun = [rng.normal(size=shape) for shape in shapes]
    gradients = [[rng.normal(size=shape) * 3**n for n, shape in enumerate(shapes)] for _ in "123"]
    variables = [keras.Variable(array.astype(np.float32)) for array in begun]
    optimizer = muon(0.1, weight_decay=0.5)
    optimizer.build(variables)
    for each in gradients:
        tensors = [keras.ops.convert_to_tensor(array.astype(np.float32)) for array in each]
        optimizer.apply(tensors, variables)
    for number, expected in enumerate(begun):
        way = by_adamw if shapes[number] in ((5,), (4, 20)) else by_muon
        expected = way(expected, [each[number] for each in gradients])
        found = np.asarray(keras.ops.convert_to_numpy(variables[number]))
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "precision, least, most", [("float32", 0, 1e-5), ("mixed_bfloat16", 1e-3, 0.1)]
)
def test_a_net_steps_in_the_arithmetic_that_it_learns_in(
    precision: str, least: float, most: float
) -> None:
    """As a share of the step; the variable itself has all its digits in both."""
    prepare(1)
    import keras

    model = compile_model(make("coin", "fast_policy", 32, 2, precision), 0.1, 1_000)
    rng = np.random.default_rng(8)
    variables = model.trainable_variables
    gradients = [rng.normal(size=variable.shape).astype(np.float32) for variable in variables]
    place = next(n for n, variable in enumerate(variables) if variable.shape == (32, 32))
    before = np.asarray(keras.ops.convert_to_numpy(variables[place]))
    model.optimizer.apply([*map(keras.ops.convert_to_tensor, gradients)], variables)
    after = np.asarray(keras.ops.convert_to_numpy(variables[place]))
    expected = by_muon(before, [gradients[place]], decay=0.01)
    assert least <= np.linalg.norm(after - expected) / np.linalg.norm(expected - before) < most


def by_muon(weights: np.ndarray, gradients: Sequence[np.ndarray], decay: float = 0.5) -> np.ndarray:
    """With Nesterov's momentum of 0.95, and five steps of Newton and Schulz."""
    momentum = np.zeros_like(weights)
    for gradient in gradients:
        momentum = 0.95 * momentum + gradient
        step = (0.95 * momentum + gradient).reshape(-1, weights.shape[-1])
        step /= np.linalg.norm(step)
        for _ in range(5):
            squares = step @ step.T
            step = 3.4445 * step + (-4.7750 * squares + 2.0315 * squares @ squares) @ step
        step *= 0.2 * np.sqrt(max(step.shape))
        weights = weights * (1 - 0.1 * decay) - 0.1 * step.reshape(weights.shape)
    return weights


def by_adamw(weights: np.ndarray, gradients: Sequence[np.ndarray]) -> np.ndarray:
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for number, gradient in enumerate(gradients, 1):
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        step = mean / (1 - 0.9**number) / (np.sqrt(square / (1 - 0.999**number)) + 1e-7)
        weights = weights * (1 - 0.1 * 1e-4) - 0.1 * step
    return weights
