"""A stage that goes on from another net, and what it keeps of that."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gtpbot.cli import main
from nets.models import make
from nets.train.errors import TrainingError
from nets.train.first_net import FirstNetParams, begin_as


def train(work: Path, *params: str) -> int:
    """Teach the fast policy of the coin game, in miniature."""
    words = [word for param in params for word in ("--param", f"fast_policy.{param}")]
    stages = ["--stage", "experts", "--stage", "fast_policy"]
    return main(["train", "coin", "--quick", "--work", str(work), *stages, *words])


def weights(work: Path) -> list[NDArray[Any]]:
    """Those of the net that was made."""
    import keras

    path = work / "fast_policy" / "fast_policy.keras"
    found: list[NDArray[Any]] = keras.saving.load_model(path, compile=False).get_weights()
    return found


def test_the_result_is_the_mean_of_what_was_known_and_what_was_learned(tmp_path: Path) -> None:
    assert train(tmp_path / "first") == 0
    net = f"net={tmp_path / 'first' / 'fast_policy' / 'fast_policy.keras'}"
    assert train(tmp_path / "second", net, "rate=0.05") == 0
    assert train(tmp_path / "third", net, "rate=0.05", "kept=0.25") == 0
    known, learned, mean = (weights(tmp_path / name) for name in ("first", "second", "third"))
    assert max(np.abs(new - old).max() for old, new in zip(known, learned, strict=True)) > 0.02
    for old, new, found in zip(known, learned, mean, strict=True):
        np.testing.assert_allclose(found, 0.25 * old + 0.75 * new, atol=1e-3)  # files have 16 bits


def test_a_net_of_your_own_may_be_sequential(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import keras
    from keras import layers

    def mine(units: int) -> str:
        path = tmp_path / f"{units}.keras"
        hidden = [layers.Dense(units, activation="relu") for _ in range(2)]
        policy = layers.Dense(2, activation="softmax", name="policy")
        keras.Sequential([keras.Input((1, 21, 1)), layers.Flatten(), *hidden, policy]).save(path)
        return f"net={path}"

    assert train(tmp_path / "one", mine(32)) == 0
    assert train(tmp_path / "other", mine(33)) == 2
    assert "expected those of a net of 1,826, as this width" in capsys.readouterr().err


def test_without_a_net_there_is_nothing_to_keep(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train(tmp_path, "kept=0.5") == 2
    expected = "fast_policy.kept: expected fast_policy.net, the net to keep of"
    assert expected in capsys.readouterr().err
    assert train(tmp_path) == 0, "a mistake must not be held against the right command"


def test_all_of_what_was_learned_is_the_result_unless_something_is_kept() -> None:
    old, new = [np.zeros(3)], [np.arange(3.0)]
    np.testing.assert_array_equal(FirstNetParams().result(old, new), new)


def test_a_net_begins_as_one_of_the_same_outputs_and_shape() -> None:
    """Nets of other outputs may have arrays of the very same shapes."""
    model, policy = make("tictactoe", "alphazero"), make("tictactoe", "strong_policy")
    with pytest.raises(TrainingError, match="'mine': expected one with policy and value, found "):
        begin_as(model, policy, "mine", 1)
    with pytest.raises(
        TrainingError,
        match=r"'mine': .* parameters: expected .* or of a smaller one: its tower would shrink",
    ):
        begin_as(make("go", "alphazero", width=8, blocks=1), make("go", "alphazero"), "mine", 1)
    other = make("tictactoe", "alphazero")
    begin_as(model, other, "mine", 1)
    assert all(map(np.array_equal, model.get_weights(), other.get_weights()))
