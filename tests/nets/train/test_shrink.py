"""Nets that shrink: they say nearly what they said, and more nearly than with the rest cut off."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gtpbot.cli import main
from nets.models import Trunk, make
from nets.train.first_net import load_to_learn
from nets.train.fit import Model, prepare
from nets.train.grow import grow
from nets.train.shrink import shrink

SHOWN = np.random.default_rng(4).integers(0, 2, (3_000, 6, 7, 7)).astype(np.float32)


def net(width: int, channels: int, monkeypatch: pytest.MonkeyPatch) -> Model:
    """A small net of Connect Four, with weights such as learning leaves: none is 0 or 1."""
    monkeypatch.setattr("nets.models.STEM_CHANNELS", channels)
    model = make("connect4", "alphazero", width, 2)
    rng = np.random.default_rng(3)

    def learned(array: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
        return array * rng.uniform(0.8, 1.2, array.shape) + rng.uniform(0, 0.02, array.shape)

    model.set_weights([learned(array) for array in model.get_weights()])
    return model


def apart(model: Model, other: Model) -> float:
    """How far policies and values are apart, on average, in positions that neither was shown."""
    planes = np.random.default_rng(5).integers(0, 2, (500, 6, 7, 7)).astype(np.float32)
    said, others = (each.predict_on_batch(planes) for each in (model, other))
    return float(sum(np.abs(said[name] - others[name]).mean() for name in said))


def silence(model: Model, layer: int, units: slice) -> None:
    """Have some units of a normalized layer say nothing."""
    norm = [each for each in model.layers if hasattr(each, "moving_mean")][layer]
    gamma, beta, mean, variance = norm.get_weights()
    gamma[units], beta[units] = 0, -1
    norm.set_weights([gamma, beta, mean, variance])


@pytest.mark.parametrize(("width", "wider"), [(8, 13), (56, 64)])  # 64 is as wide as a head
def test_what_has_grown_shrinks_to_what_it_was(
    width: int, wider: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(1)
    first, big, small = (net(units, 4, monkeypatch) for units in (width, wider, width))
    grow(first, big, np.random.default_rng(1))
    assert apart(first, small) > 0.1
    shrink(big, small, SHOWN)
    assert apart(first, small) < 0.001


def test_channels_and_units_that_say_nothing_go(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(1)
    big, small = net(12, 6, monkeypatch), net(9, 4, monkeypatch)
    silence(big, 0, slice(1, 6, 4))
    for layer in range(1, 6):  # of the stream the same, and others within each block
        silence(big, layer, slice(2, 5) if layer % 2 else slice(layer, layer + 3))
    shrink(big, small, SHOWN)
    assert apart(big, small) < 0.001
    kernels = [model.get_weights()[0] for model in (big, small)]
    np.testing.assert_array_equal(kernels[1], kernels[0][..., [0, 2, 3, 4]])


def test_the_others_make_up_for_what_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(1)
    big, small, cut = net(16, 4, monkeypatch), net(12, 4, monkeypatch), net(12, 4, monkeypatch)
    pairs = zip(big.get_weights(), cut.get_weights(), strict=True)
    cut.set_weights([array[tuple(map(slice, other.shape))] for array, other in pairs])
    shrink(big, small, SHOWN)
    assert apart(big, small) < 0.5 * apart(big, cut)


def test_only_towers_of_dense_layers_shrink() -> None:
    big, small = make("connect4", "strong_policy", 8, 2), make("connect4", "strong_policy", 4, 2)
    with pytest.raises(ValueError, match="only towers of dense layers behind one convolution"):
        shrink(big, small, SHOWN)


@pytest.mark.parametrize(("width", "channels", "blocks"), [(9, 4, 2), (8, 5, 2), (8, 4, 1)])
def test_other_nets_are_told(
    width: int, channels: int, blocks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    big = net(8, 4, monkeypatch)
    monkeypatch.setattr("nets.models.STEM_CHANNELS", channels)
    with pytest.raises(ValueError, match="its layers are others than this net's, or narrower"):
        shrink(big, make("connect4", "alphazero", width, blocks), SHOWN)


def test_a_stage_goes_on_from_a_wider_net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    big = net(12, 6, monkeypatch)
    silence(big, 0, slice(1, 6, 4))
    for layer in range(1, 6):
        silence(big, layer, slice(3))
    big.save(tmp_path / "wide.keras")
    monkeypatch.setattr("nets.models.STEM_CHANNELS", 4)
    trunk = {"connect4": Trunk("tower", 4, 1), "connect4/alphazero": Trunk("dense tower", 9, 2)}
    monkeypatch.setattr("nets.models.TRUNKS", trunk)
    params = [f"distil.net={tmp_path / 'wide.keras'}", "distil.rate=0.0000001", "distil.dropout=0"]
    words = [word for param in params for word in ("--param", param)]
    work = ["--work", str(tmp_path / "work"), "--stage", "distil"]
    assert main(["train", "connect4", "--quick", *work, *words]) == 0
    made = load_to_learn(str(tmp_path / "work" / "distil" / "distil.keras"), "connect4")
    assert made.count_params() < big.count_params()
    assert apart(big, made) < 0.1
