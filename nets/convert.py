"""Keras nets as files: the `.keras` file, and its twin in ONNX by which it plays.

A twin tells in its metadata of which file it was made (its SHA-256), so that no twin is ever taken
for that of a file that has changed. Importing this module imports no Keras; calling it does.
"""

import hashlib
import json
import math
import os
import subprocess
import sys
import warnings
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from games.registry import GAMES
from games.whole_files import replacing_by_name
from nets.int8 import peaks_met
from nets.keras_file import load
from nets.lean import without_dead
from nets.onnx_file import read_model
from nets.packing import pack_keras, pack_onnx, rounded
from nets.runtime import LARGE
from nets.spec import INPUT, ROLES, NetError

Model = Any
"""A `keras.Model`."""


def digest(path: Path) -> str:
    """What a twin calls the file that it was made of."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def save(model: Model, path: Path) -> None:
    """Write `model` to `path`, which ends in `.keras`, and its twin beside it.

    Each is written whole or not at all; the optimizer is left out, and weights are rounded to
    eight or sixteen bits (`nets.packing`).
    A net of `nets.models.make` says in its twin which game and role it is for. Raises NetError.
    """
    import keras

    packed, twin = _packed(model), path.with_suffix(".onnx")
    with replacing_by_name(path) as fresh:
        packed.save(fresh)
        pack_keras(fresh)
    if keras.backend.backend() != "tensorflow":
        if lacking():
            raise NetError(
                f"{twin}: to write it takes {', '.join(lacking())}: pip install '.[train]' brings "
                "it, in the checkout; what was learned is kept, and the same command goes on"
            )
        convert_apart(path, twin)
        return
    with replacing_by_name(twin) as fresh:
        export(packed, fresh, digest(path))


def _packed(model: Model) -> Model:
    """A copy with rounded weights that is not compiled: an optimizer would treble the file."""
    copy = type(model).from_config(model.get_config())
    copy.set_weights(rounded(model.get_weights()))
    return copy


def convert(source: Path, target: Path) -> None:
    """Write the twin of the `.keras` or `.h5` file `source` to `target`, whole or not at all.

    Nothing in the file is executed. Raises NetError, or what Keras raises.
    """
    model = load(source)
    with replacing_by_name(target) as fresh:
        export(model, fresh, digest(source))
        _check_twin(fresh)


def _check_twin(twin: Path) -> None:
    """Raises NetError for layers of a stranger's that ONNX has not, though they were written."""
    try:
        read_model(twin)
    except NetError as error:
        reason = str(error).removeprefix(f"{twin}: ")
        raise NetError(f"its twin in ONNX cannot be read: {reason}") from None


def lacking() -> list[str]:
    """The packages that converting takes and that are not installed."""
    return [name for name in ("keras", "tensorflow", "tf2onnx") if find_spec(name) is None]


def convert_apart(source: Path, target: Path) -> None:
    """Convert as `convert` does, but in another process, by TensorFlow. Raises NetError.

    So who plays imports no Keras, and what learns may run on another backend.
    """
    process = subprocess.run(
        [sys.executable, "-m", "nets.convert", source.absolute(), target.absolute()],
        cwd=Path(__file__).parents[1],  # not where somebody's keras.py may lie
        env={
            **os.environ,
            "KERAS_BACKEND": "tensorflow",
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "CUDA_VISIBLE_DEVICES": "",
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    if process.returncode:
        # Who was killed, as where memory is short, has said no reason, only TensorFlow's greetings.
        killed = process.returncode < 0
        reason = "" if killed else process.stderr.strip().rpartition("\n")[2]
        raise NetError(f"{source}: {reason or f'Keras ended with status {process.returncode}'}")


def export(model: Model, path: Path, source: str) -> None:
    """Write the ONNX file of `model`, made of the file with the digest `source`.

    What a large net of ours does not need to play is left out, and its peaks are told.
    """
    _write_onnx(model, path)
    facts = {"source": source, **_purpose(model)}
    if "game" in facts and model.count_params() >= LARGE:
        from nets.own_games import positions_met  # which imports numpy

        positions = positions_met(path, facts["game"])
        if positions:
            lean = without_dead(model, positions)
            if lean is not model:
                _write_onnx(lean, path)
            facts["peaks"] = json.dumps(peaks_met(read_model(path), positions))
    describe(path, facts)
    pack_onnx(path)


def _write_onnx(model: Model, path: Path) -> None:
    import keras

    _spell_out_gelu(model)
    inputs = keras.InputSpec(shape=model.inputs[0].shape, dtype="float32", name=INPUT)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"In the future `np\.", FutureWarning)  # tf2onnx
        model.export(path, format="onnx", verbose=False, input_signature=[inputs])


def _spell_out_gelu(model: Model) -> None:
    """Compute it by erf, which ONNX has; TensorFlow's own is by erfc, which ONNX has not."""
    import keras

    for layer in model.layers:
        if isinstance(layer, keras.Model):
            _spell_out_gelu(layer)
        elif getattr(layer, "activation", None) is keras.activations.gelu:
            layer.activation = lambda x: x * (1 + keras.ops.erf(x / math.sqrt(2))) / 2


def _purpose(model: Model) -> Mapping[str, str]:
    """What a net of ours is for; nothing of a stranger's, whose names may have dots as well."""
    game, _, role = model.name.partition(".")
    return {"game": game, "role": role} if game in GAMES and role in ROLES else {}


def describe(path: Path, facts: Mapping[str, str]) -> None:
    """Write facts about an `.onnx` file into it, in place of all that it told."""
    import onnx

    proto = onnx.load(path)
    onnx.helper.set_model_props(proto, {f"gtpbot.{key}": fact for key, fact in facts.items()})
    onnx.save(proto, path)


def main(source: str, target: str) -> int:
    """Convert, as a process of its own; what is wrong is the last line on stderr."""
    try:
        convert(Path(source), Path(target))
    except Exception as error:  # whatever Keras makes of a stranger's file
        print(str(error).strip().partition("\n")[0] or repr(error), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
