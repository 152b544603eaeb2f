"""What a Keras file says that it is made of, read before Keras is let at it.

Keras's safe mode had holes: configurations that named functions of Python, and layers that load
code or files. Here only what the layers of a net are made of is let pass, by name. This complements
safe mode, and does without Keras until a file has passed.
"""

import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from zipfile import BadZipFile, ZipFile

from nets.spec import NetError

KINDS: Final = frozenset(
    [
        "keras",
        "activations",
        "constraints",
        "dtype_policies",
        "initializers",
        "layers",
        "models",
        "ops",
        "regularizers",
    ]
)
"""Modules of Keras, as in `keras.layers` or `keras.src.layers.core.dense`."""

FOREIGN: Final = frozenset(
    [
        "function",
        "__lambda__",
        "Lambda",
        "TFSMLayer",
        "TorchModuleWrapper",
        "JaxLayer",
        "FlaxLayer",
        "IndexLookup",
        "StringLookup",
        "IntegerLookup",
        "TextVectorization",
    ]
)
"""Names of what runs code or reads files of its own."""

LARGEST: Final = 1 << 24
"""Bytes of a configuration: more are refused, as some kilobytes may be unpacked to gigabytes."""

UNREADABLE: Final = (
    OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError, EOFError,
    BadZipFile, zlib.error,
)  # fmt: skip
"""What damaged files raise; a RuntimeError is of those that are encrypted or nested too deep."""


def load(path: Path) -> Any:
    """The `keras.Model` of plain layers in a file, not compiled; its outputs have names.

    Nothing in the file is executed. Raises NetError, or what Keras raises.
    """
    check(path)
    import keras

    with TemporaryDirectory() as folder:
        link = Path(folder) / f"net{path.suffix.lower()}"  # as Keras knows no .KERAS and no .H5
        link.symlink_to(path.absolute())
        return _named(keras.saving.load_model(link, compile=False, safe_mode=True))


def _named(model: Any) -> Any:
    """The same net with a dict of outputs, called as the layers are that they come from.

    Otherwise its file in ONNX would tell them apart by their shapes alone.
    """
    import keras

    if isinstance(model, keras.Sequential):
        names = [model.layers[-1].name]
    else:
        names = model.output_names
        if isinstance(model.output, dict) or len(set(names)) < len(names):
            return model
    inputs = model.inputs if len(model.inputs) > 1 else model.inputs[0]
    outputs = dict(zip(names, model.outputs, strict=True))
    return keras.Model(inputs, outputs, name=model.name)


def check(path: Path) -> None:
    """Raise NetError unless the `.keras` or `.h5` file `path` holds a net of plain layers."""
    read = _read_keras if path.suffix.lower() == ".keras" else _read_h5
    try:
        parts = list(_parts(_outermost(read(path))))
    except UNREADABLE as error:
        raise NetError(f"expected a net of Keras, found none: {error}") from None
    for part in parts:
        module, name = str(part.get("module") or "keras"), str(part.get("class_name"))
        # Keras would look up a name with a dot in other modules, as `layers.Lambda` of `keras`.
        if _kind(module) not in KINDS or name in FOREIGN or "." in name:
            raise NetError(f"expected plain layers of Keras, found {name!r} of {module!r}")


def _read_keras(path: Path) -> str | bytes:
    with ZipFile(path) as archive, archive.open("config.json") as file:
        text = file.read(LARGEST + 1)
    if len(text) > LARGEST:
        raise ValueError(f"config.json has more than {LARGEST} bytes")
    return text


def _read_h5(path: Path) -> Any:
    import h5py

    with h5py.File(path) as file:
        return file.attrs["model_config"]


def _outermost(text: str | bytes) -> Mapping[str, Any]:
    """The net itself, which Keras makes by name like all that is in it."""
    whole = json.loads(text)
    return {
        "module": whole.get("module"),
        "class_name": whole["class_name"],
        "config": whole["config"],
    }


def _parts(config: Any) -> Iterator[Mapping[str, Any]]:
    """All objects of Keras that a configuration holds."""
    if isinstance(config, Mapping):
        if "class_name" in config:
            yield config
        config = list(config.values())
    if isinstance(config, list):
        for inner in config:
            yield from _parts(inner)


def _kind(module: str) -> str:
    if module != "keras" and not module.startswith("keras."):
        return ""
    return module.removeprefix("keras.").removeprefix("src.").partition(".")[0]
