"""Nets in eight bits: the steps they are made of, and that they still know what they knew."""

import json
import platform
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from games.connect4 import ConnectFour
from games.go import Go, GoOptions
from nets.convert import describe
from nets.files import find
from nets.int8 import (
    INPUT_STEPS,
    LEAST_CHANNELS,
    WEIGHT_STEPS,
    in_steps,
    peaks_met,
    quantized,
    span_of,
    usable,
)
from nets.onnx_file import facts, read_model
from nets.own_games import GAMES, MOVES, positions_met
from nets.runtime import INTEGER_MACHINES, Net, Precision, quickest_first
from nets.spec import NetError, NetSpec
from tests.support.planes import random_go_planes, random_planes
from tests.support.tiny_nets import write_net

CONNECT4 = NetSpec.of(ConnectFour())
BOTH = {"policy": (7, "Softmax"), "value": (1, "Tanh")}
Floats = NDArray[np.float32]

NAME = "the weights"


@pytest.fixture
def weights() -> Floats:
    """[out, in, 3, 3], of quite different size for each channel that comes out."""
    rng = np.random.default_rng(1)
    sizes = np.array([0.1, 1, 10], np.float32).reshape(3, 1, 1, 1)
    return sizes * rng.normal(size=(3, LEAST_CHANNELS, 3, 3)).astype(np.float32)


@pytest.fixture
def planes() -> Floats:
    rng = np.random.default_rng(2)
    return rng.normal(size=(2, LEAST_CHANNELS, 5, 5)).astype(np.float32)


def convolution(weights: Floats, activation: str = "relu") -> Any:
    """An `openvino.Model`: the activation, then the convolution."""
    from openvino import Model
    from openvino import opset13 as ops

    planes = ops.parameter([-1, *weights.shape[1:2], 5, 5], weights.dtype)
    kernel = ops.constant(weights)
    kernel.set_friendly_name(NAME)
    given = getattr(ops, activation)(planes)
    border, steps = [1, 1], [1, 1]
    op = ops.convolution(given, kernel, steps, border, border, steps)
    return Model([op], [planes])


def run(model: Any, planes: Floats) -> Floats:
    from openvino import Core

    compiled = Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    said: Floats = compiled(planes)[0]
    return said


def nearest(numbers: Floats, low: Any, high: Any, steps: int) -> Floats:
    """Each the nearest of so many numbers from `low` to `high`."""
    step = (high - low) / (steps - 1)
    rounded: Floats = np.round((np.clip(numbers, low, high) - low) / step) * step + low
    return rounded.astype(np.float32)


def test_a_peak_is_the_greatest_number_that_came_in(weights: Floats, planes: Floats) -> None:
    peaks = peaks_met(convolution(weights), [planes, 2 * planes, planes])
    assert peaks == {NAME: pytest.approx(2 * planes.max())}


def test_numbers_become_steps(weights: Floats, planes: Floats) -> None:
    model, peak = convolution(weights), planes.max()
    by_hand = convolution(in_steps(weights))
    expected = run(by_hand, nearest(planes, 0, peak, INPUT_STEPS))
    said = run(quantized(model, {NAME: float(peak)}), planes)
    scale = abs(expected).max(axis=(0, 2, 3), keepdims=True)
    # Where a number lies between two steps, either is right.
    assert (abs(said - expected) / scale).max() < 0.001
    assert (abs(run(model, planes) - expected) / scale).max() > 0.002


def test_weights_become_steps_that_keep_the_sum_of_a_window(weights: Floats) -> None:
    span = span_of(weights)
    step = span / (WEIGHT_STEPS // 2)
    steps = in_steps(weights) / step
    assert abs(steps - steps.round()).max() < 1e-3
    assert abs(steps).max() == pytest.approx(WEIGHT_STEPS // 2)
    assert (abs(in_steps(weights) - weights) < 1.001 * step).all()
    sums = abs((steps - weights / step).sum(axis=(2, 3)))
    assert sums.max() < 0.501
    usual = nearest(weights, -span, span, WEIGHT_STEPS)
    assert abs(((usual - weights) / step).sum(axis=(2, 3))).max() > 1
    assert (abs(in_steps(weights) - usual) < 0.001 * step).mean() > 0.8
    np.testing.assert_allclose(in_steps(usual), usual, rtol=1e-5, atol=1e-7)


def test_weights_that_are_all_0_stay_so() -> None:
    nothing = np.zeros((2, LEAST_CHANNELS, 3, 3), np.float32)
    np.testing.assert_array_equal(in_steps(nothing), nothing)


def test_a_number_above_the_peak_becomes_the_peak(planes: Floats) -> None:
    one = np.zeros((1, LEAST_CHANNELS, 3, 3), np.float32)
    one[0, 0, 1, 1] = 3
    said = run(quantized(convolution(one), {NAME: 0.5}), planes)
    assert planes.max() > 0.5
    np.testing.assert_allclose(said[:, 0], 3 * planes[:, 0].clip(0, 0.5), atol=0.01)


@pytest.mark.parametrize(
    "peaks", [{}, {NAME: 0.0}, {NAME: -1.0}, {NAME: 1e39}, {NAME: float("nan")}, {"another": 1.0}]
)
def test_peaks_without_a_meaning_are_of_no_use(weights: Floats, peaks: dict[str, float]) -> None:
    assert usable(convolution(weights), peaks) == {}
    assert usable(convolution(weights), {**peaks, NAME: 2.0})[NAME] == 2


def test_arithmetic_of_sixteen_bits_is_left_alone(weights: Floats) -> None:
    assert usable(convolution(weights.astype(np.float16)), {NAME: 2.0}) == {}


def test_without_a_peak_all_stays_as_it_is(weights: Floats, planes: Floats) -> None:
    model = convolution(weights)
    np.testing.assert_array_equal(run(quantized(model, {}), planes), run(model, planes))


def test_what_may_be_negative_is_left_alone(weights: Floats, planes: Floats) -> None:
    assert peaks_met(convolution(weights, "tanh"), [planes]) == {}


def test_facts_take_the_place_of_all_that_a_file_told(tmp_path: Path) -> None:
    path = write_net(tmp_path / "n.onnx", CONNECT4, BOTH, facts={"peaks": "{}", "role": "value"})
    describe(path, {"peaks": '{"a": 1}', "game": "connect4"})
    assert facts(path) == {"peaks": '{"a": 1}', "game": "connect4"}


@pytest.mark.skipif(
    platform.machine().lower() not in INTEGER_MACHINES, reason="it takes a processor with such bits"
)
@pytest.mark.parametrize("role", ["strong_policy", "value"])
def test_a_net_in_eight_bits_knows_what_it_knew(role: str) -> None:
    path = find(role, "connect4").with_suffix(".onnx")
    planes = random_planes("connect4", 200, seed=3)
    said, roughly = (Net(path, CONNECT4, precision).predict(planes) for precision in ("f32", "i8"))
    if role == "value":
        assert 1e-5 < abs(said["value"] - roughly["value"]).mean() < 0.03
    else:
        exact, rough = said["policy"], roughly["policy"]
        assert (exact.argmax(axis=1) == rough.argmax(axis=1)).mean() > 0.93
        assert 1e-6 < abs(exact - rough).mean() < 0.01


def test_eight_bits_are_for_processors_on_which_they_were_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    with pytest.raises(NetError, match="precision i8: this processor has no such arithmetic"):
        Net(find("value", "connect4").with_suffix(".onnx"), CONNECT4, "i8")


@pytest.mark.parametrize(
    ("processor_has", "has_peaks"), [("amx_bf16", True), ("none", True), ("none", False)]
)
def test_a_large_net_is_played_in_the_quickest_arithmetic_there_is(
    processor_has: str, has_peaks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And that is not the exact one by another name."""
    path, processor = tmp_path / "n.onnx", tmp_path / "cpuinfo"
    shutil.copy(find("value", "connect4").with_suffix(".onnx"), path)
    if not has_peaks:
        describe(path, {})
    processor.write_text(processor_has)
    monkeypatch.setattr("nets.runtime.PROCESSOR", processor)

    def is_there(precision: Precision) -> bool:
        try:
            return Net(path, CONNECT4, precision).precision == precision
        except NetError:
            return False

    net, planes = Net(path, CONNECT4), random_planes("connect4", 20, seed=5)
    assert net.precision == next(filter(is_there, quickest_first()), "f32")
    said, exact = (each.predict(planes)["value"] for each in (net, Net(path, CONNECT4, "f32")))
    assert np.array_equal(said, exact) == (net.precision == "f32")


@pytest.mark.skipif(
    platform.machine().lower() not in INTEGER_MACHINES, reason="it takes a processor with such bits"
)
def test_a_net_of_go_in_eight_bits_leans_to_no_side() -> None:
    """The sum of all errors of the rounding is not on the side of who moves, nor of the other."""
    path, spec = find("alphazero", "go").with_suffix(".onnx"), NetSpec.of(Go(GoOptions(size=19)))
    planes = random_go_planes(19, 60, seed=4)
    said, roughly = (Net(path, spec, precision).predict(planes) for precision in ("f32", "i8"))
    more = {name: roughly[name] - said[name] for name in ("value", "score")}
    assert abs(more["value"].mean()) < 0.005
    assert abs(more["score"].mean()) < 0.3
    assert 0.01 < abs(more["score"]).mean() < 0.6


def test_the_nets_that_ship_tell_the_peaks_that_are_met_in_games() -> None:
    path = find("strong_policy", "connect4").with_suffix(".onnx")
    told = json.loads(facts(path)["peaks"])
    assert len(told) == 6
    met = peaks_met(read_model(path), positions_met(path, "connect4"))
    assert met.keys() == told.keys()
    assert all(0.5 < met[name] / told[name] < 2 for name in told)
    assert min(met, key=met.__getitem__) == min(told, key=told.__getitem__)  # each its own


def test_a_net_is_watched_on_the_boards_that_it_is_for() -> None:
    path = find("strong_policy", "connect4").with_suffix(".onnx")
    assert positions_met(path, "tictactoe") == []
    assert positions_met(path, "go") == []
    met = positions_met(find("alphazero", "go").with_suffix(".onnx"), "go")
    assert {batch.shape[1:3] for batch in met} == {(9, 9), (19, 19)}
    assert sum(map(len, met)) == 2 * GAMES * MOVES


@pytest.mark.parametrize("told", [{}, {"peaks": '{"another": 1}'}])
def test_a_file_that_tells_no_peaks_stays_exact(tmp_path: Path, told: dict[str, str]) -> None:
    path = write_net(tmp_path / "n.onnx", CONNECT4, BOTH, facts=told)
    assert Net(path, CONNECT4).precision == "f32"
    with pytest.raises(NetError, match=r"precision i8: .*; expected auto"):
        Net(path, CONNECT4, "i8")


@pytest.mark.parametrize(
    "text",
    ["4.5", "[1]", "{", '{"a": "b"}', '{"a": null}', f'{{"a": 1{"0" * 400}}}', "[" * 100_000],
)
def test_peaks_that_make_no_sense_are_refused(tmp_path: Path, text: str) -> None:
    path = write_net(tmp_path / "n.onnx", CONNECT4, BOTH, facts={"peaks": text})
    with pytest.raises(NetError, match="expected peaks by name, found"):
        Net(path, CONNECT4)
