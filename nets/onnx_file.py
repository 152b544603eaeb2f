"""An ONNX file as OpenVINO reads it: what it tells of itself, its inputs, its outputs.

Importing this module does not import OpenVINO; reading a file does.
"""

import json
import math
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from nets.int8 import Peaks, usable
from nets.spec import POLICY, VALUE, NetError, NetSpec
from nets.threads import held_interrupts

Outputs: TypeAlias = Mapping[str, int]
"""The numbers of a net's outputs by what they are."""

PROGRAMS = frozenset(["If", "Loop", "TensorIterator"])
"""What OpenVINO calls control flow, by which a hostile file would never end."""

_importing = threading.Lock()


def import_openvino() -> None:
    """Import OpenVINO without its converter of models, which takes as long as all the rest.

    OpenVINO does without it where it cannot be imported. One thread at a time, as what another
    finds half imported is none. Ctrl-C waits for the end, as OpenVINO would take it for a lack.
    """
    converter = "openvino.tools.ovc"
    with held_interrupts(), _importing:
        if "openvino" not in sys.modules:
            sys.modules[converter] = None  # type: ignore[assignment]
            try:
                import openvino  # noqa: F401
            finally:
                del sys.modules[converter]


def facts(path: Path) -> Mapping[str, str]:
    """What this program wrote into an `.onnx` file about it. Raises NetError if it is none."""
    return _facts(path, read_model(path))


def _facts(path: Path, model: Any) -> Mapping[str, str]:
    places = {key: ["framework", f"gtpbot.{key}"] for key in ("game", "role", "source", "peaks")}
    with _names_in(path):
        return {
            key: str(model.get_rt_info(place).astype(str))
            for key, place in places.items()
            if model.has_rt_info(place)
        }


def read_model(path: Path) -> Any:
    """The OpenVINO model in an `.onnx` file. Raises NetError."""
    import_openvino()
    from openvino.frontend import FrontEndManager

    try:
        if not path.is_file():
            raise NetError(f"{path}: no such file")
        path.open("rb").close()  # as OpenVINO does not tell what it may not read from no ONNX
    except OSError as error:
        raise NetError(f"{path}: it cannot be read: {error.strerror}") from None
    # Not Core.read_model: it takes a file that is no ONNX for one of five other formats.
    reader = FrontEndManager().load_by_framework("onnx")
    if not reader.supported(str(path)):
        raise NetError(f"{path}: expected a net in ONNX, found something else")
    try:
        model = reader.convert(reader.load(str(path)))
    except Exception as error:  # OpenVINO's have no other base in common
        raise _unreadable(path, error) from None
    programs = sorted(PROGRAMS & {op.get_type_name() for op in model.get_ops()})
    if programs:
        raise NetError(f"{path}: expected plain layers, found control flow: {programs[0]}")
    try:
        _unpack(model)
    except Exception as error:
        raise _unreadable(path, error) from None
    return model


def _unpack(model: Any) -> None:
    """Make plain numbers of weights that `nets/packing.py` keeps in few bits."""
    from openvino.passes import ConstantFolding, Manager

    manager = Manager()
    manager.register_pass(ConstantFolding())
    manager.run_passes(model)


def fit_input(path: Path, model: Any, spec: NetSpec) -> None:
    """Check the game and the input; make the latter one for the board of `spec`.

    Raises NetError.
    """
    game = _facts(path, model).get("game", spec.game)
    if game != spec.game:
        raise NetError(f"{path}: expected a net of {spec.game}, found one of {str(game)[:40]!r}")
    shapes = [_shape(port) for port in model.inputs]
    any_board = [None, None, None, spec.planes[-1]]
    if shapes != [[None, *spec.planes]] and not (spec.game == "go" and shapes == [any_board]):
        found = ", ".join(map(_shown, shapes))
        raise NetError(f"{path}: expected the input {named(spec.planes)}, found {found}")
    try:
        model.reshape([-1, *spec.planes])
    except RuntimeError as error:
        raise NetError(
            f"{path}: it does not take planes {named(spec.planes)}: {gist(error)}"
        ) from None


def outputs_of(path: Path, model: Any, spec: NetSpec) -> Outputs:
    """Which output is what, where all shapes are those of `spec`. Raises NetError otherwise."""
    with _names_in(path):
        kinds = [_kind(port, spec) for port in model.outputs]
    is_clear = len(set(kinds)) == len(kinds) and "" not in kinds
    if not is_clear or not {POLICY, VALUE} & set(kinds):
        found = ", ".join(_shown(_shape(port)) for port in model.outputs)
        raise NetError(
            f"{path}: expected the outputs {POLICY} [B, {spec.num_actions}] and {VALUE} [B, 1], "
            f"or one of them, found {found}"
        )
    return {kind: number for number, kind in enumerate(kinds)}


def _kind(port: Any, spec: NetSpec) -> str:
    """What an output is: by its name, else by its shape; nothing if it is neither."""
    named = [name for name in spec.shapes if name in port.names]
    return next(
        (name for name in named or (POLICY, VALUE) if _shape(port)[1:] == list(spec.shapes[name])),
        "",
    )


def _shape(port: Any) -> list[int | None]:
    """The sizes of an input or output, where None is for any size."""
    if port.partial_shape.rank.is_dynamic:
        return []
    return [size.get_length() if size.is_static else None for size in port.partial_shape]


def _shown(shape: Sequence[int | None]) -> str:
    return f"[{', '.join('?' if size is None else str(size) for size in shape)}]"


def named(planes: Sequence[int]) -> str:
    """Such planes, as messages call them."""
    return f"[B, {', '.join(map(str, planes))}]"


def peaks_of(path: Path, model: Any) -> Peaks:
    """Those that the file tells, and of use. Raises NetError."""
    text = _facts(path, model).get("peaks", "{}")
    try:
        told = {str(name): float(peak) for name, peak in json.loads(text).items()}
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        raise NetError(f"{path}: expected peaks by name, found {text[:40]!r}") from None
    with _names_in(path):
        return usable(model, told)


def weights_of(model: Any) -> int:
    """How many numbers it has learned."""
    constants = (op for op in model.get_ops() if op.get_type_name() == "Constant")
    return sum(math.prod(constant.get_output_shape(0)) for constant in constants)


def joins_features(model: Any) -> bool:
    """Whether features [B, units] are added to others, or joined otherwise unit by unit."""
    return any(_joins_features(op) for op in model.get_ops())


def _joins_features(op: Any) -> bool:
    if op.get_type_name() not in ("Add", "Subtract", "Multiply", "Maximum", "Minimum"):
        return False
    if op.get_output_partial_shape(0).rank != 2:
        return False
    return all(each.get_node().get_type_name() != "Constant" for each in op.input_values())


@contextmanager
def _names_in(path: Path) -> Iterator[None]:
    """Raise NetError where a name in the file, which OpenVINO leaves as it is, is no text."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: Exception) -> NetError:
    return NetError(f"{path}: expected a net in ONNX: {gist(error)}")


def gist(error: Exception) -> str:
    """The last line of an error of OpenVINO, which tells the reason; the others tell places."""
    if isinstance(error, UnicodeDecodeError):
        return "a name in it is no text"
    lines = [line.strip() for line in str(error).split("\n") if line.strip()]
    return lines[-1] if lines else type(error).__name__
