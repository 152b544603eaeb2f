"""Nets of Keras, and what Keras says of some positions; a process of its own, as it takes seconds.

Run as `python -m tests.nets.make_nets FOLDER`. Writes there, for each of NETS, `GAME.ROLE.keras`,
its twin, and `GAME.ROLE.npz` with planes and the outputs for them; further `plain.h5`, a value net
of Tic Tac Toe with a stranger's name, `celu.keras`, one by what ONNX has not, and `gelu.keras`, by
what is written for it in another way, with its twin and `gelu.npz`; `listed.keras`, one of Go whose
outputs are a list, which always says the same, with its twin; `hostile.keras` and `hostile.h5`,
which run code when loaded without care; and a small net of Go as `go.alphazero.keras`, its twin,
and `go.alphazero.SIZE.npz` for GO_SIZES.
"""

import sys
from pathlib import Path

import keras
import numpy as np

from nets.convert import convert, save
from nets.models import Model, make
from tests.support.planes import random_go_planes, random_planes

NETS = (
    ("coin", "actor_critic"),
    ("tictactoe", "alphazero"),
    ("connect4", "fast_policy"),
    ("connect4", "value"),
    ("connect4", "alphazero"),
)
"""All kinds of trunks and heads."""
POSITIONS = 64
GO_SIZES = (2, 5, 9, 13, 19)


def main(folder: Path) -> None:
    for game, role in NETS:
        model = make(game, role)
        scatter(model)
        model.compile("adam", "mse")
        path = folder / f"{game}.{role}.keras"
        save(model, path)
        model = keras.saving.load_model(path)
        planes = random_planes(game, POSITIONS, seed=1)
        np.savez(folder / f"{game}.{role}.npz", planes=planes, **model.predict_on_batch(planes))
    strangers = make("tictactoe", "value")
    strangers.name = "t3.v2"
    strangers.save(folder / "plain.h5")
    dense(folder, "celu")
    gelu = dense(folder, "gelu")
    convert(folder / "gelu.keras", folder / "gelu.onnx")
    planes = random_planes("tictactoe", POSITIONS, seed=1)
    np.savez(folder / "gelu.npz", planes=planes, value=gelu.predict_on_batch(planes))
    listed(folder)
    write_go(folder)
    write_hostile(folder)


def dense(folder: Path, activation: str) -> Model:
    """A net of dense layers, one in a net of its own, as a file with the name of its activation."""
    layers = (
        keras.layers.Flatten(),
        keras.Sequential([keras.layers.Dense(8, activation)]),
        keras.layers.Dense(1, "tanh"),
    )
    model = keras.Sequential([keras.Input((3, 3, 2)), *layers])
    scatter(model)
    model.save(folder / f"{activation}.keras")
    return model


def listed(folder: Path) -> None:
    """A net whose score of 7 and value of 0 have the same shape."""
    planes = keras.Input((5, 5, 17))
    flat = keras.layers.Flatten()(planes)
    outputs = [
        keras.layers.Dense(
            1,
            name="score",
            kernel_initializer="zeros",
            bias_initializer=keras.initializers.Constant(7),
        ),
        keras.layers.Dense(1, "tanh", name="value", kernel_initializer="zeros"),
        keras.layers.Dense(26, "softmax", name="policy"),
    ]
    path = folder / "listed.keras"
    keras.Model(planes, [output(flat) for output in outputs]).save(path)
    convert(path, path.with_suffix(".onnx"))


def write_go(folder: Path) -> None:
    model = make("go", "alphazero", width=32, blocks=2)
    scatter(model)
    path = folder / "go.alphazero.keras"
    save(model, path)
    model = keras.saving.load_model(path)
    for size in GO_SIZES:
        planes = random_go_planes(size, 8, seed=1)
        said = model.predict_on_batch(planes)
        np.savez(folder / f"go.alphazero.{size}.npz", planes=planes, **said)


def scatter(model: Model) -> None:
    """Weights as of a trained net: those of a new one are too much alike to tell outputs apart."""
    rng = np.random.default_rng(2)
    for variable in model.variables:
        spread = rng.uniform(0.5, 1.5, variable.shape)
        variable.assign(variable * spread + (len(variable.shape) == 1) * (spread - 1) / 5)


def write_hostile(folder: Path) -> None:
    planes = keras.Input((3, 3, 2))
    run = keras.layers.Lambda(lambda x: (print("code was run"), x)[1], output_shape=(3, 3, 2))
    value = keras.layers.Dense(1, "tanh")(keras.layers.Flatten()(run(planes)))
    model = keras.Model(planes, value)
    for suffix in (".keras", ".h5"):
        model.save(folder / f"hostile{suffix}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
