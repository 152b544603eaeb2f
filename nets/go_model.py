"""The net of Go: one for all sizes of the board, with all that it says about a position.

Fully convolutional. What concerns the whole board gets everywhere by pooling: into the second,
fourth, ... residual block, into the policy, and into the heads that are numbers (Wu, Accelerating
self-play learning in Go, 2019; but blocks pool what comes in, not channels of their own, which
costs next to nothing). The value and the score are told the lead that the ownership comes to, so
that they need not count points by themselves. Batch normalization comes after each convolution, so
that it vanishes into it when the net plays. Importing this module imports no Keras; calling it
does.
"""

from collections.abc import Sequence
from typing import Any, Final

from nets.spec import INPUT, OWNERSHIP, POLICY, SCORE, VALUE

Tensor = Any
"""A symbolic tensor of Keras."""

HEAD_CHANNELS: Final = 32
"""A multiple of 32 suits the processors that multiply in bf16; so should the width."""
HEAD_UNITS: Final = 64
POINTS: Final = 20.0
"""The unit in which the score is computed, and komi is shown; the output is in points."""
KOMI_PLANE: Final = 13
"""The points given to the player to move, everywhere (`core/games/go/planes.hpp`)."""
CLOSE: Final = 2.0
"""The lead in points about which a game that is nearly over is decided."""


def make_go(num_planes: int, width: int, blocks: int, outputs: Sequence[str], name: str) -> Any:
    """An untrained `keras.Model` with a dict of `outputs`.

    Planes [B, size, size, num_planes], the first of which is 1 everywhere, for any size; the
    outputs are as `NetSpec` has them.
    """
    import keras

    planes = keras.Input((None, None, num_planes), name=INPUT)
    side = keras.ops.sqrt(keras.ops.sum(planes[..., :1], axis=(1, 2)))
    x = _tower(planes, side, width, blocks)
    policy = _policy_head(x, side)
    owners = _activated(convolution(x, HEAD_CHANNELS, 1))
    ownership = _ownership_head(owners)
    known = keras.ops.concatenate([_pooled(owners, side), _lead(ownership, planes)], axis=-1)
    hidden = _dense(known, HEAD_UNITS, "relu")
    heads = {
        POLICY: lambda: policy,
        VALUE: lambda: _dense(hidden, 1, "tanh", VALUE),
        SCORE: lambda: keras.layers.Rescaling(POINTS, dtype="float32", name=SCORE)(
            _dense(hidden, 1, None)
        ),
        OWNERSHIP: lambda: ownership,
    }
    return keras.Model(planes, {output: heads[output]() for output in outputs}, name=name)


def _tower(planes: Tensor, side: Tensor, width: int, blocks: int) -> Tensor:
    from keras import layers

    x = _activated(convolution(planes, width, 3))
    for number in range(blocks):
        y = convolution(x, width, 3)
        if number % 2 == 1:
            y = _biased(y, _pooled(x, side))
        y = convolution(_activated(y), width, 3)
        x = _activated(layers.Add()([x, y]))
    return x


def _policy_head(x: Tensor, side: Tensor) -> Tensor:
    """Probabilities [B, size * size + 1]."""
    from keras import layers, ops

    pooled = _pooled(_activated(convolution(x, HEAD_CHANNELS, 1)), side)
    y = _activated(_biased(convolution(x, HEAD_CHANNELS, 1), pooled))
    points = layers.Reshape((-1,))(layers.Conv2D(1, 1, use_bias=False, dtype="float32")(y))
    logits = ops.concatenate([points, _dense(pooled, 1, None)], axis=-1)
    return layers.Softmax(dtype="float32", name=POLICY)(logits)


def _ownership_head(x: Tensor) -> Tensor:
    """[B, size, size]."""
    from keras import layers, ops

    owner = ops.squeeze(layers.Conv2D(1, 1, dtype="float32")(x), axis=-1)
    return layers.Activation("tanh", dtype="float32", name=OWNERSHIP)(owner)


def _lead(ownership: Tensor, planes: Tensor) -> Tensor:
    """[B, 2]: the lead of the player to move, and whether it is one at all, from -1 to 1."""
    from keras import ops

    area = ops.sum(ownership, axis=(1, 2))
    lead = area / POINTS + ops.cast(planes[:, 0, 0, KOMI_PLANE], area.dtype)
    return ops.stack([lead, ops.tanh(lead * (POINTS / CLOSE))], axis=-1)


def convolution(x: Tensor, channels: int, size: int) -> Tensor:
    """A convolution, normalized; its activation is another layer."""
    from keras import layers

    x = layers.Conv2D(channels, size, padding="same", use_bias=False)(x)
    return layers.BatchNormalization(momentum=0.98)(x)


def _activated(x: Tensor) -> Tensor:
    from keras import layers

    return layers.ReLU()(x)


def _dense(x: Tensor, units: int, activation: str | None, name: str | None = None) -> Tensor:
    """A dense layer in float32, as a board's sums need more digits than bf16 has."""
    from keras import layers

    return layers.Dense(units, activation=activation, dtype="float32", name=name)(x)


def _pooled(x: Tensor, side: Tensor) -> Tensor:
    """[B, 3 * channels]: mean, mean times the board's side, maximum of each channel."""
    from keras import layers, ops

    mean = layers.GlobalAveragePooling2D(dtype="float32")(x)
    most = layers.GlobalMaxPooling2D(dtype="float32")(x)
    return ops.concatenate([mean, mean * (side - 14.0) / 10.0, most], axis=-1)


def _biased(x: Tensor, pooled: Tensor) -> Tensor:
    """`x` with a bias of each channel made of pooled features."""
    from keras import layers

    channels = x.shape[-1]
    bias = layers.Reshape((1, 1, channels))(layers.Dense(channels, use_bias=False)(pooled))
    return layers.Add()([x, bias])
