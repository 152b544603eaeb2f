"""Nets that grow: they say what they said, and then learn more."""

import numpy as np
import pytest

from nets.models import make
from nets.train.fit import Model, prepare
from nets.train.grow import grow


def varied(model: Model) -> Model:
    """`model` with weights such as learning leaves: none is 0 or 1."""
    rng = np.random.default_rng(3)

    def learned(array: np.ndarray) -> np.ndarray:
        return array * rng.uniform(0.8, 1.2, array.shape) + rng.uniform(0, 0.02, array.shape)

    model.set_weights([learned(array) for array in model.get_weights()])
    return model


def shown(game: str, size: int) -> np.ndarray:
    """Planes for a net of a game; a board of Go has `size`."""
    height, width = (6, 7) if game == "connect4" else (size, size)
    planes = make(game, "alphazero", 8, 1).input_shape[-1]
    shown = np.random.default_rng(4).random((5, height, width, planes)).astype(np.float32)
    shown[..., 0] = 1
    return shown


@pytest.mark.parametrize(
    ("game", "role", "old", "new"),
    [
        ("go", "alphazero", (8, 1), (20, 4)),  # twice as wide and more
        ("go", "alphazero", (32, 2), (48, 2)),  # as wide as a head, which stays as it is
        ("connect4", "strong_policy", (8, 2), (13, 3)),
        ("connect4", "alphazero", (8, 2), (13, 3)),  # of dense layers
    ],
)
def test_what_has_grown_says_what_it_said(
    game: str, role: str, old: tuple[int, int], new: tuple[int, int]
) -> None:
    prepare(1)
    small, big = varied(make(game, role, *old)), make(game, role, *new)
    grow(small, big, np.random.default_rng(1))
    before, after = (net.predict_on_batch(shown(game, 7)) for net in (small, big))
    for name in before:
        np.testing.assert_allclose(after[name], before[name], rtol=1e-3, atol=1e-3)
    scales = [layer.gamma.numpy() for layer in big.layers if hasattr(layer, "gamma")]
    silent = [scale for scale in scales if not scale.any()]
    assert len(silent) == new[1] - old[1]  # one a block, which with two would never learn


def test_a_larger_kernel_says_what_the_smaller_one_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def net(kernel: int, width: int) -> Model:
        monkeypatch.setattr("nets.models.STEM_KERNEL", kernel)
        return make("connect4", "alphazero", width, 1)

    prepare(1)
    small, big = varied(net(3, 8)), net(5, 12)
    grow(small, big, np.random.default_rng(1))
    planes = shown("connect4", 6)
    before, after = (model.predict_on_batch(planes) for model in (small, big))
    for name in before:
        np.testing.assert_allclose(after[name], before[name], rtol=1e-3, atol=1e-3)
    with pytest.raises(ValueError, match="do not grow"):
        grow(big, net(3, 12), np.random.default_rng(1))


def test_copies_are_read_differently() -> None:
    """Else they would learn the same for ever."""
    small, big = make("go", "alphazero", 8, 1), make("go", "alphazero", 16, 1)
    grow(small, big, np.random.default_rng(1))
    readers = [array for array in big.get_weights() if array.shape[:-1] == (3, 3, 16)]
    assert readers
    for reader in readers:
        first = reader[:, :, :8]
        for copy in np.moveaxis(reader[:, :, 8:], 2, 0):
            assert not any(np.allclose(copy, first[:, :, number]) for number in range(8))
    kernel = big.get_weights()[0]
    made, copies = np.sort(kernel[..., :8]), np.sort(kernel[..., 8:])
    assert np.array_equal(made, copies)  # each of one, not all of the same


@pytest.mark.parametrize("new", [(4, 2), (8, 1), (4, 3)])
def test_no_net_shrinks(new: tuple[int, int]) -> None:
    small, big = make("go", "alphazero", 8, 2), make("go", "alphazero", *new)
    with pytest.raises(ValueError, match="shrink"):
        grow(small, big, np.random.default_rng(1))


def test_dense_nets_do_not_grow() -> None:
    small, big = make("tictactoe", "alphazero", 8, 2), make("tictactoe", "alphazero", 16, 2)
    with pytest.raises(ValueError, match="layers beside a tower"):
        grow(small, big, np.random.default_rng(1))


def test_nets_of_other_games_do_not_grow() -> None:
    small, big = make("connect4", "strong_policy", 8, 2), make("go", "alphazero", 16, 2)
    with pytest.raises(ValueError, match="layers beside a tower"):
        grow(small, big, np.random.default_rng(1))


@pytest.mark.parametrize("first", ["BatchNormalization", "SeparableConv2D"])
def test_a_net_of_other_layers_is_told(first: str) -> None:
    import keras

    planes = keras.Input((6, 7, 7))
    if first == "BatchNormalization":
        features = keras.layers.Conv2D(8, 3)(keras.layers.BatchNormalization()(planes))
    else:
        features = keras.layers.SeparableConv2D(8, 3)(planes)
    policy = keras.layers.Dense(7, "softmax")(keras.layers.Flatten()(features))
    stranger, big = keras.Model(planes, policy), make("connect4", "strong_policy")
    with pytest.raises(ValueError, match="layers beside a tower"):
        grow(stranger, big, np.random.default_rng(1))
