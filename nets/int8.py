"""Nets that multiply in eight bits, for processors whose only quick integers are these.

What a wide convolution is given has gone through a ReLU; it becomes one of 256 steps from 0 to the
greatest that was met in games, its peak (`nets/own_games.py`). A weight becomes one of 255 steps
about 0, as large as its channel needs (Jacob et al., Quantization and training of neural networks
for efficient integer-arithmetic-only inference, 2018). Not always the nearest: what weights are
multiplied by is never negative, so that their errors add up, and a window sees much the same number
at all its places, so weights of a window keep their sum. With the nearest steps, the net of Go that
ships would be off by 0.46 points on 19x19 on average and find 0.01 less for the player to move, one
before it by 0.8 and 0.02; so it is off by 0.2 points, and on the side by less than 0.001.
The first convolution and the heads stay as they are: they hold few of the multiplications, and
nothing after them evens out their errors.
A processor without VNNI adds products in pairs of sixteen bits, which two great ones overflow; that
is so rare that weights of seven bits, which cannot, cost more (KL divergence from the exact policy
of Go: 0.0004 and 0.0011).
Importing this module imports no OpenVINO; calling it does.
"""

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Model = Any
"""An `openvino.Model`."""
Peaks: TypeAlias = Mapping[str, float]
"""The greatest number that a convolution is given, by the name of its weights."""

LEAST_CHANNELS = 32
"""Of a wide convolution, that it takes in."""
INPUT_STEPS, WEIGHT_STEPS = 256, 255
MOST = 1e30
"""Of a peak; what is greater is none, nor could it be told in f32."""


def peaks_met(model: Model, batches: "Iterable[NDArray[np.float32]]") -> Peaks:
    """Those of the wide convolutions of `model`, over some batches of planes."""
    import numpy as np
    from openvino import Core
    from openvino import opset13 as ops

    watched = model.clone()
    wide = _wide_convolutions(watched)
    if not wide:
        return {}
    everywhere = np.arange(4)
    greatest = [ops.reduce_max(op.input_value(0), everywhere, False) for op in wide.values()]
    watched.add_results([ops.result(number) for number in greatest])
    compiled = Core().compile_model(watched, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    peaks = dict.fromkeys(wide, 0.0)
    for planes in batches:
        said = compiled(planes)
        for name, output in zip(wide, compiled.outputs[len(model.outputs) :], strict=True):
            peaks[name] = max(peaks[name], float(said[output]))
    return peaks


def usable(model: Model, peaks: Peaks) -> Peaks:
    """Those of wide convolutions of `model`, above 0."""
    wide = _wide_convolutions(model)
    return {name: peak for name, peak in peaks.items() if name in wide and 0 < peak < MOST}


def quantized(model: Model, peaks: Peaks) -> Model:
    """A copy of `model` in which the convolutions of usable `peaks` are in eight bits."""
    import numpy as np
    from openvino import opset13 as ops

    copy = model.clone()
    wide = _wide_convolutions(copy)
    for name, peak in peaks.items():
        op = wide[name]
        weights = op.input_value(1).get_node().get_data()
        span = span_of(weights)
        for place, given, low, high, steps in (
            (0, op.input_value(0), np.float32(0), np.float32(peak), INPUT_STEPS),
            (1, ops.constant(in_steps(weights)), -span, span, WEIGHT_STEPS),
        ):
            bounds = ops.constant(low), ops.constant(high)
            # Of weights too, which are steps: by it OpenVINO sees that they are.
            rounded = ops.fake_quantize(given, *bounds, *bounds, steps)
            op.input(place).replace_source_output(rounded.output(0))
    copy.validate_nodes_and_infer_types()
    return copy


def span_of(weights: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """[out, 1, 1, 1]: the greatest of the weights [out, in, height, width] of each channel."""
    import numpy as np

    span: NDArray[np.float32] = np.abs(weights).max(axis=(1, 2, 3), keepdims=True)
    return span


def in_steps(weights: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Weights [out, in, height, width], each one of WEIGHT_STEPS numbers about 0.

    Those of a window, [height, width], are the nearest, but for those few furthest from them that
    keep the sum of the window within half a step.
    """
    import numpy as np

    step = span_of(weights) / (WEIGHT_STEPS // 2)
    step[step == 0] = 1
    exact = (weights / step).reshape(*weights.shape[:2], -1)
    nearest = np.round(exact)
    errors = nearest - exact
    surplus = np.round(errors.sum(axis=-1, keepdims=True))
    side = np.sign(surplus)
    furthest_first = (-side * errors).argsort(axis=-1).argsort(axis=-1)
    steps = nearest - side * (furthest_first < np.abs(surplus))
    rounded: NDArray[np.float32] = (steps.reshape(weights.shape) * step).astype(np.float32)
    return rounded


def _wide_convolutions(model: Model) -> dict[str, Any]:
    """Those that are worth it, by the names of their weights."""
    ops = filter(_is_wide, model.get_ordered_ops())
    return {op.input_value(1).get_node().get_friendly_name(): op for op in ops}


def _is_wide(op: Any) -> bool:
    if op.get_type_name() != "Convolution":
        return False
    given, weights = (op.input_value(place).get_node() for place in (0, 1))
    if weights.get_type_name() != "Constant" or given.get_type_name() != "Relu":
        return False
    if op.get_element_type().get_type_name() != "f32":  # which the steps are in
        return False
    _, channels, *window = weights.get_output_shape(0)
    return len(window) == 2 and bool(channels >= LEAST_CHANNELS and math.prod(window) > 1)
