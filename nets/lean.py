"""Nets without their dead channels, which say nothing in any position that is met.

A ReLU whose input has sunk below 0 everywhere gives zeros alone, and learns no more (Lu et al.,
Dying ReLU and initialization, 2019). In the nets of Go that ship, 37 of the 320 channels within
residual blocks are dead, all where what is pooled of the board comes into a block. Without them a
net says the same by fewer multiplications. Importing this module imports no Keras; calling it does.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Model = Any
"""A `keras.Model`."""
Layer = Any
"""A `keras.layers.Layer`."""

LANES = 16
"""Channels that processors multiply at a time; as many are kept as fill them."""


def without_dead(model: Model, batches: "Iterable[NDArray[np.float32]]") -> Model:
    """A copy of `model` without channels that are dead in all `batches` of planes.

    It is `model` itself if nothing is to be left out: only what one convolution alone reads is.
    """
    inner = _inner(model)
    kept = _alive(model, inner, batches) if inner else []
    if all(len(alive) == place.channels for place, alive in zip(inner, kept, strict=True)):
        return model
    weights = {layer.name: layer.get_weights() for layer in model.layers}
    config = model.get_config()
    settings = {layer["name"]: layer["config"] for layer in config["layers"]}
    for place, alive in zip(inner, kept, strict=True):
        for layer in place.makers:
            weights[layer.name] = [array[..., alive] for array in weights[layer.name]]
            _narrow(settings[layer.name], len(alive))
        kernel, *bias = weights[place.reader.name]
        weights[place.reader.name] = [kernel[:, :, alive], *bias]
    for layer in config["layers"]:
        layer.pop("build_config", None)  # which tells the shapes of before
    copy = type(model).from_config(config)
    for layer in copy.layers:
        layer.set_weights(weights[layer.name])
    return copy


@dataclass(frozen=True)
class _Inner:
    """Channels that are made in one place and read in one other."""

    relu: Layer
    makers: Sequence[Layer]
    """All that has them as its last axis: what makes them, and what they pass before the ReLU."""
    reader: Layer
    """The convolution that takes them."""

    @property
    def channels(self) -> int:
        """How many there are."""
        return int(self.relu.output.shape[-1])


def _inner(model: Model) -> list[_Inner]:
    """Those of `model`."""
    from keras import layers

    found = []
    for relu in model.layers:
        if isinstance(relu, layers.ReLU) and len(_readers(relu)) == 1:
            (reader,), makers = _readers(relu), _makers(relu)
            if makers and isinstance(reader, layers.Conv2D):
                found.append(_Inner(relu, makers, reader))
    return found


def _makers(relu: Layer) -> list[Layer]:
    """As _Inner has them; none if their channels go elsewhere too, or come from elsewhere."""
    from keras import layers

    makers = _sources(relu)
    for layer in makers:  # which grows
        if len(_readers(layer)) > 1:
            return []
        if isinstance(layer, layers.BatchNormalization | layers.Add | layers.Reshape):
            makers += _sources(layer)
        elif not isinstance(layer, layers.Conv2D | layers.Dense):
            return []
    return makers


def _readers(layer: Layer) -> list[Layer]:
    return [node.operation for node in layer._outbound_nodes]


def _sources(layer: Layer) -> list[Layer]:
    tensors = [tensor for node in layer._inbound_nodes for tensor in node.input_tensors]
    return [tensor._keras_history.operation for tensor in tensors]


def _alive(
    model: Model, inner: Sequence[_Inner], batches: "Iterable[NDArray[np.float32]]"
) -> "list[NDArray[np.intp]]":
    """Of each place the channels that are to be kept, rising: the live ones, to whole LANES."""
    import keras
    import numpy as np

    watched = keras.Model(model.input, [place.relu.output for place in inner])
    peaks = [np.zeros(place.channels, np.float32) for place in inner]
    for planes in batches:
        for peak, met in zip(peaks, watched(planes, training=False), strict=True):
            np.maximum(peak, keras.ops.convert_to_numpy(met).max(axis=(0, 1, 2)), out=peak)
    counts = [max(1, -(-int((peak > 0).sum()) // LANES)) * LANES for peak in peaks]
    return [
        np.sort(np.argsort(-peak, kind="stable")[:count])
        for peak, count in zip(peaks, counts, strict=True)
    ]


def _narrow(settings: dict[str, Any], channels: int) -> None:
    """Change the settings of a maker for so many channels."""
    for key in ("filters", "units"):
        if key in settings:
            settings[key] = channels
    if "target_shape" in settings:
        settings["target_shape"] = (*settings["target_shape"][:-1], channels)
