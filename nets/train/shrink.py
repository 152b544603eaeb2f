"""Nets made narrower, which at first say nearly what the wider ones said.

What is left out are those channels and units without which the layers that read them miss least,
when all others make up for it as well as they can (Hassibi and Stork, Second order derivatives for
network pruning: optimal brain surgeon, 1993). Then each layer is fitted to what the wider net said
by least squares, and makes up for what was lost before it too (He, Zhang and Sun, Channel pruning
for accelerating very deep neural networks, 2017). All that by positions which the net is shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Model = Any
"""A `keras.Model` with a tower of dense layers, made by `nets.models.make`."""
Layer = Any
"""A `keras.layers.Layer` with weights."""
Floats = NDArray[np.float32]
Indices = NDArray[np.intp]

DAMPING = 1e-5
"""Of how much a feature varies on average, added so that those that say the same can be told."""


def shrink(big: Model, small: Model, planes: NDArray[Any]) -> None:
    """Give `small` weights with which it says nearly what `big` does, of planes [N, H, W, C].

    N should be many times the features that the widest layer reads. Raises ValueError unless both
    are towers of dense layers behind one convolution, alike but for how wide these are.
    """
    wide, narrow = _Tower.of(big), _Tower.of(small)
    if not narrow.is_part_of(wide):
        raise ValueError("its layers are others than this net's, or narrower")
    says = _Sayings.of(wide, planes)
    channels = _most_missed([says.maps], says.wanted[:1], narrow.channels)
    readers = [*says.wanted[1::2], says.heads]
    units = _most_missed([_apart(x) for x in says.streams], readers, narrow.width)
    for before, after in zip(wide.stem, narrow.stem, strict=True):
        after.set_weights([array[..., channels] for array in before.get_weights()])
    stream = _refit_tower(wide, narrow, says, channels, units)
    for before, after in zip(wide.heads, narrow.heads, strict=True):
        kernel, offset = before.get_weights()
        if wide.is_read_by(before):
            fit = _Affine.fitted(stream, says.streams[-1] @ kernel + offset)
            kernel, offset = fit.matrix, fit.offset
        after.set_weights([kernel, offset])


@dataclass(frozen=True)
class _Tower:
    """The layers with weights of a net that may shrink."""

    stem: Sequence[Layer]
    """A convolution and its normalization."""
    dense: Sequence[tuple[Layer, Layer]]
    """Dense layers with theirs: a first one, and two for each residual block."""
    heads: Sequence[Layer]
    """Dense layers without."""

    @classmethod
    def of(cls, model: Model) -> "_Tower":
        layers = [layer for layer in model.layers if layer.weights]
        normalizes = [hasattr(layer, "moving_mean") for layer in layers]
        count = sum(normalizes)
        kernels = [layer.kernel.shape for layer in layers if hasattr(layer, "kernel")]
        is_tower = count % 2 == 0 and normalizes[: 2 * count] == [False, True] * count
        if not is_tower or [len(shape) for shape in kernels] != [4] + [2] * (len(kernels) - 1):
            raise ValueError("only towers of dense layers behind one convolution shrink")
        pairs = list(zip(layers[: 2 * count : 2], layers[1 : 2 * count : 2], strict=True))
        return cls(pairs[0], pairs[1:], layers[2 * count :])

    @property
    def channels(self) -> int:
        """Of the convolution."""
        return int(self.stem[0].kernel.shape[-1])

    @property
    def width(self) -> int:
        """Units of each dense layer of the tower."""
        return int(self.dense[0][0].kernel.shape[-1])

    def is_part_of(self, other: "_Tower") -> bool:
        """Whether it is the same but for fewer channels, or units, or both."""
        alike = (len(self.dense), self.stem[0].kernel.shape[:-1], len(self.heads)) == (
            len(other.dense),
            other.stem[0].kernel.shape[:-1],
            len(other.heads),
        )
        return alike and self.channels <= other.channels and self.width <= other.width

    def is_read_by(self, head: Layer) -> bool:
        """Whether one of the heads reads the tower, as the first does; else it reads another."""
        return head.input is self.heads[0].input


@dataclass(frozen=True)
class _Affine:
    """A matrix [in, out] and what is added [out]."""

    matrix: Floats
    offset: Floats

    def __call__(self, x: Floats) -> Floats:
        return x @ self.matrix + self.offset

    @classmethod
    def normalized(cls, dense: Layer, norm: Layer) -> "_Affine":
        """What both are when the net plays."""
        gamma, beta, mean, variance = norm.get_weights()
        scale = gamma / np.sqrt(variance + norm.epsilon)
        return cls(dense.get_weights()[0] * scale, beta - mean * scale)

    @classmethod
    def fitted(cls, x: Floats, y: Floats) -> "_Affine":
        """That which makes [N, out] of [N, in] with the least squares of errors."""
        squares, products = _moments(x, y)
        matrix = np.linalg.solve(squares, products).astype(np.float32)
        return cls(matrix, y.mean(axis=0) - x.mean(axis=0) @ matrix)

    def give(self, dense: Layer, norm: Layer, x: Floats, length: float) -> None:
        """Become these layers, with columns of that length; what they normalize comes of `x`."""
        lengths = np.linalg.norm(self.matrix, axis=0)
        scale = np.where(lengths > 0, length / np.maximum(lengths, 1e-12), 1).astype(np.float32)
        kernel = self.matrix * scale
        sums = x @ kernel
        mean, variance = sums.mean(axis=0), sums.var(axis=0)
        gamma = np.sqrt(variance + norm.epsilon) / scale
        dense.set_weights([kernel])
        norm.set_weights([gamma, self.offset + mean / scale, mean, variance])


@dataclass(frozen=True)
class _Sayings:
    """What the parts of a wide net say of N positions, and what is wanted of a narrower one's."""

    maps: Floats
    """[N, cells, channels]: what the convolution says."""
    streams: Sequence[Floats]
    """[N, width]: before each block, and after the last one."""
    inner: Sequence[Floats]
    """[N, width]: within each block."""
    wanted: Sequence[Floats]
    """[N, width]: what each dense layer says, and the last of a block together with the stream."""
    heads: Floats
    """[N, units]: what the layers say that read the last stream."""

    @classmethod
    def of(cls, tower: _Tower, planes: NDArray[Any]) -> "_Sayings":
        import keras

        stem = keras.Model(tower.stem[0].input, tower.dense[0][0].input)
        x = stem.predict(planes, batch_size=1_024, verbose=0)
        maps = x.reshape(len(x), -1, tower.channels)
        streams: list[Floats] = []
        inner: list[Floats] = []
        wanted: list[Floats] = []
        for number, layers in enumerate(tower.dense):
            y = _Affine.normalized(*layers)(x)
            into, y = (inner, y) if number % 2 else (streams, y + streams[-1] if number else y)
            wanted.append(y)
            x = np.maximum(y, 0)
            into.append(x)
        heads = [head.get_weights() for head in tower.heads if tower.is_read_by(head)]
        said = np.concatenate([x @ kernel for kernel, _ in heads], axis=1)
        return cls(maps, streams, inner, wanted, said)


def _refit_tower(
    wide: _Tower, narrow: _Tower, says: _Sayings, channels: Indices, units: Indices
) -> Floats:
    """Fit each layer of a narrow tower; [N, width]: its stream after the last block."""
    x = says.maps[..., channels].reshape(len(says.maps), -1)
    stream = np.zeros((), np.float32)
    for number, layers in enumerate(narrow.dense):
        wanted, kept = says.wanted[number], units
        if number % 2:
            block = number // 2
            added = says.wanted[number + 1] - says.streams[block]
            kept = _most_missed([_apart(says.inner[block])], [added[:, units]], narrow.width)
        before = stream if number % 2 == 0 else np.zeros((), np.float32)
        fit = _Affine.fitted(x, wanted[:, kept] - before)
        length = float(np.linalg.norm(wide.dense[number][0].kernel, axis=0).mean())
        fit.give(*layers, x, length)
        x = np.maximum(fit(x) + before, 0)
        if number % 2 == 0:
            stream = x
    return stream


def _apart(x: Floats) -> Floats:
    """[N, 1, units], each a group of its own, of [N, units]."""
    return x[:, None]


def _most_missed(read: Sequence[Floats], wanted: Sequence[Floats], kept: int) -> Indices:
    """So many of several groups of features, without which most would be missed.

    Each of `read` [N, features, groups] is read by a layer of which [N, units] of `wanted` is.
    Those missed least go one by one.
    """
    readers = [_Reader.of(x, y) for x, y in zip(read, wanted, strict=True)]
    left = list(range(read[0].shape[-1]))
    while len(left) > kept:
        missed = [sum(reader.missed_without(group) for reader in readers) for group in left]
        group = left.pop(int(np.argmin(missed)))
        for reader in readers:
            reader.leave_out(group)
    return np.array(left)


@dataclass
class _Reader:
    """A layer fitted to what it is to say, and what it would miss with less to read."""

    groups: Indices
    """[features, groups]: the rows of the features of each group."""
    inverse: NDArray[np.float64]
    """[rows, rows]: of the squares of what it reads; of what is left of it."""
    weights: NDArray[np.float64]
    """[rows, units]"""
    variance: float
    """Of all that it is to say."""

    @classmethod
    def of(cls, read: Floats, wanted: Floats) -> "_Reader":
        count, features, groups = read.shape
        squares, products = _moments(read.reshape(count, -1), wanted)
        inverse = np.linalg.inv(squares).astype(np.float64)
        rows = np.arange(features * groups).reshape(features, groups)
        return cls(rows, inverse, inverse @ products, float(wanted.var(axis=0).sum()) * count)

    def missed_without(self, group: int) -> float:
        """The share of the variance that it says and would not any more."""
        rows = self.groups[:, group]
        weights, inverse = self.weights[rows], self.inverse[np.ix_(rows, rows)]
        return float((weights * np.linalg.solve(inverse, weights)).sum()) / self.variance

    def leave_out(self, group: int) -> None:
        """Let the others make up for these features."""
        rows = self.groups[:, group]
        share = self.inverse[:, rows] @ np.linalg.inv(self.inverse[np.ix_(rows, rows)])
        self.weights -= share @ self.weights[rows]
        self.inverse -= share @ self.inverse[rows]


def _moments(x: Floats, y: Floats) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The sums of squares of what varies in [N, in], [in, in], and of products with [N, out]."""
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    squares, products = (x.T @ x).astype(np.float64), (x.T @ y).astype(np.float64)
    squares[np.diag_indices_from(squares)] += DAMPING * np.trace(squares) / len(squares) + 1e-12
    return squares, products
