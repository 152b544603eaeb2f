"""The nets as Keras models, one function each; whatever backend Keras runs on.

The residual tower is that of Silver et al., Mastering the game of Go without human knowledge, 2017,
narrower and with heads of a few channels. Where every cell of the board is a case of its own and
millions of exact answers are at hand, as in Connect Four, such a tower of dense layers behind one
convolution learns more in the same time: a position costs it a fifth of the work, and a weight
serves one place alone. Importing this module imports no Keras; calling it does.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from games.registry import GAMES
from nets.go_model import convolution, make_go
from nets.spec import INPUT, POLICY, VALUE, NetSpec, outputs_of

Model = Any
"""A `keras.Model`."""
Tensor = Any
"""A symbolic tensor of Keras."""


@dataclass(frozen=True)
class Trunk:
    """The part of a net that its heads share."""

    kind: Literal["dense", "dense tower", "tower"]
    """Dense layers; a convolution and residual blocks of dense layers; the same of convolutions."""
    width: int
    """Units or channels of a layer."""
    blocks: int
    """Dense layers, or residual blocks of two layers after a first one."""


TRUNKS: Final[Mapping[str, Trunk]] = {
    "coin": Trunk("dense", 32, 2),
    "tictactoe": Trunk("dense", 128, 2),
    "connect4": Trunk("tower", 48, 3),
    "connect4/fast_policy": Trunk("tower", 16, 0),
    "connect4/alphazero": Trunk("dense tower", 640, 2),
    "go": Trunk("tower", 64, 5),
}
"""The sizes of a game's nets, and of a role where that differs."""

STEM_CHANNELS: Final = 32
"""Of the convolution before dense layers: lines and threats look alike everywhere."""
STEM_KERNEL: Final = 5
"""Its side: most of a line of four. By 3 a net errs one time in twenty more often."""
HEAD_CHANNELS: Final = 8
VALUE_UNITS: Final = 64


def make(
    game: str,
    role: str,
    width: int | None = None,
    blocks: int | None = None,
    precision: str = "float32",
) -> Model:
    """An untrained `keras.Model` named `GAME.ROLE`, shaped as NetSpec has it; a dict of outputs.

    `game` is a key of `games.registry.GAMES` with its default options, `role` one of ROLES; a net
    of Go is for all sizes of the board (`nets/go_model.py`). `width` and `blocks` replace those of
    the Trunk, and `precision` is a name of a dtype policy of Keras: `mixed_bfloat16` learns faster
    where the processor has instructions for it. Raises NetError if the game has no planes.
    """
    import keras

    usual = keras.config.dtype_policy()
    keras.config.set_dtype_policy(precision)
    try:
        return _make(game, role, width, blocks)
    finally:
        keras.config.set_dtype_policy(usual)


def _make(game: str, role: str, width: int | None, blocks: int | None) -> Model:
    import keras

    spec = NetSpec.of(GAMES[game]())
    trunk = TRUNKS.get(f"{game}/{role}", TRUNKS[game])
    trunk = replace(
        trunk,
        width=trunk.width if width is None else width,
        blocks=trunk.blocks if blocks is None else blocks,
    )
    outputs, name = outputs_of(game, role), f"{game}.{role}"
    if game == "go":
        return make_go(spec.planes[-1], trunk.width, trunk.blocks, outputs, name)
    planes = keras.Input(spec.planes, name=INPUT)
    features = _features(planes, trunk)
    heads = {
        POLICY: lambda: _policy_head(features, spec.num_actions),
        VALUE: lambda: _value_head(features),
    }
    return keras.Model(planes, {output: heads[output]() for output in outputs}, name=name)


def _features(planes: Tensor, trunk: Trunk) -> Tensor:
    """[B, width], or [B, H, W, width] of a tower of convolutions."""
    from keras import layers

    if trunk.kind == "tower":
        return _tower(planes, trunk.blocks, lambda x: convolution(x, trunk.width, 3))
    if trunk.kind == "dense tower":
        x = layers.Flatten()(layers.ReLU()(convolution(planes, STEM_CHANNELS, STEM_KERNEL)))
        return _tower(x, trunk.blocks, lambda x: _normalized_dense(x, trunk.width))
    x = layers.Flatten()(planes)
    for _ in range(trunk.blocks):
        x = layers.Dense(trunk.width, activation="relu")(x)
    return x


def _tower(x: Tensor, blocks: int, layer: Callable[[Tensor], Tensor]) -> Tensor:
    """A layer, then residual blocks of two."""
    from keras import layers

    x = layers.ReLU()(layer(x))
    for _ in range(blocks):
        y = layers.ReLU()(layer(x))
        x = layers.ReLU()(layers.Add()([x, layer(y)]))
    return x


def _normalized_dense(x: Tensor, units: int) -> Tensor:
    from keras import layers

    x = layers.Dense(units, use_bias=False)(x)
    return layers.BatchNormalization(momentum=0.98)(x)


def _flat(x: Tensor) -> Tensor:
    """The input of a head: a feature map reduced to a few channels, or dense features as such."""
    from keras import layers

    if len(x.shape) == 2:
        return x
    return layers.Flatten()(layers.ReLU()(convolution(x, HEAD_CHANNELS, 1)))


def _policy_head(x: Tensor, num_actions: int) -> Tensor:
    from keras import layers

    return layers.Dense(num_actions, activation="softmax", dtype="float32", name=POLICY)(_flat(x))


def _value_head(x: Tensor) -> Tensor:
    from keras import layers

    hidden = layers.Dense(VALUE_UNITS, activation="relu")(_flat(x))
    return layers.Dense(1, activation="tanh", dtype="float32", name=VALUE)(hidden)
