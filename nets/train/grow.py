"""Nets made wider and deeper, which at first say what the smaller ones said.

Chen, Goodfellow and Shlens, Net2Net: accelerating learning via knowledge transfer, 2016. A channel
that is added is a copy of another one; what reads the two weighs them differently, and together as
it did the one, so that they learn differently. A block that is added adds nothing at first, nor do
the cells that a larger kernel of a convolution sees besides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Model = Any
"""A `keras.Model` with a residual tower, made by `nets.models.make`."""
Layer = Any
"""A `keras.layers.Layer` with weights."""
Shape = tuple[int, ...]
Weights = NDArray[np.floating[Any]]

LEAST_SHARE = 0.3
"""The least of what a channel and its copies take of its weight, where the most is 1."""


def grow(small: Model, big: Model, rng: np.random.Generator) -> None:
    """Give `big` weights with which it says what `small` does.

    Raises ValueError unless it is the same net but for a wider tower, more blocks in it, or larger
    kernels, whose sides are odd.
    """
    few, many = _Tower.of(small), _Tower.of(big)
    if few.width > many.width or len(few.layers) > len(many.layers):
        raise ValueError("its tower would shrink")
    if not few.width or len(few.heads) != len(many.heads):
        raise ValueError("it has other layers beside a tower")
    widening = _Widening.drawn(few.width, many.width, rng)
    kept = many.layers[: len(few.layers)]
    for before, after in zip([*few.layers, *few.heads], [*kept, *many.heads], strict=True):
        widened = zip(before.get_weights(), after.get_weights(), strict=True)
        after.set_weights([widening(array, other.shape) for array, other in widened])
    for layer in many.ends_of_blocks(beyond=few):
        scale, *others = layer.get_weights()
        layer.set_weights([np.zeros_like(scale), *others])


@dataclass(frozen=True)
class _Tower:
    """Where a net may grow."""

    layers: Sequence[Layer]
    """Those with weights, from the first one to the end of the last block."""
    heads: Sequence[Layer]
    """Those after it."""

    @classmethod
    def of(cls, model: Model) -> "_Tower":
        layers = [layer for layer in model.layers if layer.weights]
        mixing = [number for number, layer in enumerate(layers) if _side(layer) > 1]
        if len(mixing) == 1:  # a stem, and dense layers behind it
            dense = [number - 1 for number, layer in enumerate(layers) if _normalizes(layer)]
            mixing += [number for number in dense if _side(layers[number]) == 0]
        end = mixing[-1] + 2 if mixing else 0  # each is normalized
        return cls(layers[:end], layers[end:])

    @property
    def width(self) -> int:
        """Its channels, or units; 0 of a net that has no tower."""
        kernels = [layer.kernel for layer in self.layers if hasattr(layer, "kernel")]
        return kernels[-1].shape[-1] if kernels else 0

    def ends_of_blocks(self, beyond: "_Tower") -> Sequence[Layer]:
        """The last normalization of each block that the other tower has not."""
        normalizations = [each for each in self.layers[len(beyond.layers) :] if _normalizes(each)]
        return normalizations[1::2]


def _side(layer: Layer) -> int:
    """Of the kernel of a convolution; 0 of other layers."""
    return layer.kernel_size[0] if hasattr(layer, "kernel_size") else 0


def _normalizes(layer: Layer) -> bool:
    return hasattr(layer, "moving_mean")


@dataclass(frozen=True)
class _Widening:
    """The channels of a wider tower, as copies of those of another."""

    width: int
    """Of the other."""
    origins: NDArray[np.intp]
    """Which of its channels each one is; itself first."""
    rng: np.random.Generator

    @classmethod
    def drawn(cls, width: int, wider: int, rng: np.random.Generator) -> "_Widening":
        """Channels are copied in turn, in a random order."""
        copies = np.resize(rng.permutation(width), wider - width)
        return cls(width, np.concatenate([np.arange(width), copies]), rng)

    def __call__(self, array: Weights, shape: Shape) -> Weights:
        """The weights of a layer for another shape of them, where that is the wider tower's."""
        wide = array
        if array.shape[-1:] == (self.width,) != shape[-1:]:
            wide = wide[..., self.origins]
        if array.ndim > 1 and array.shape[-2] != shape[-2] and array.shape[-2] % self.width == 0:
            wide = np.swapaxes(self._shared(np.swapaxes(wide, -1, -2)), -1, -2)
        if array.ndim == 4:
            wide = _surrounded(wide, shape)
        if wide.shape != shape:
            raise ValueError(f"its weights {list(array.shape)} do not grow to {list(shape)}")
        return wide

    def _shared(self, read: Weights) -> Weights:
        """Weights [..., k * width] that channels are read by, shared among them and their copies.

        There are several for each channel where several features of it are read.
        """
        features = read.reshape(*read.shape[:-1], -1, self.width)[..., self.origins]
        amounts = self.rng.uniform(LEAST_SHARE, 1, features.shape)
        is_alike = self.origins[:, None] == self.origins
        shared: Weights = features * amounts / (amounts @ is_alike)
        return shared.reshape(*read.shape[:-1], -1)


def _surrounded(kernel: Weights, shape: Shape) -> Weights:
    """A kernel [h, w, in, out] with as many zeros on both sides as those of a shape are longer."""
    more = [max(0, long - short) for long, short in zip(shape[:2], kernel.shape[:2], strict=True)]
    return np.pad(kernel, [*((zeros // 2, zeros - zeros // 2) for zeros in more), (0, 0), (0, 0)])
