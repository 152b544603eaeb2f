"""Files of nets made small: great matrices in eight bits, other weights in sixteen.

Weights are rounded before a file is written (`rounded`). What follows loses nothing: ONNX keeps in
as few bits what they tell exactly, and the zeros that end each number of a Keras file go by
compression. A kernel that the converter has multiplied by its normalization stays as it is then. A
great matrix is in steps of a power of two for each column, which these zeros come of: the net of
Connect Four that ships errs as often as with sixteen bits, in half the room.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Packed: TypeAlias = tuple[Any, dict[str, NDArray[Any]]]
    """A node of ONNX that makes an array, and what it makes it of, by name."""

GREAT = 2**17
"""Numbers of a matrix from which eight bits are enough: where a layer adds up hundreds of others,
errors even out. In less, as where a net of Go adds up what it has pooled of its board, they do not.
"""
MOST_STEPS = 127


def rounded(weights: "Sequence[NDArray[np.floating[Any]]]") -> "list[NDArray[np.floating[Any]]]":
    """Weights of a net: matrices and kernels as few bits tell them, unless one is too great.

    Vectors stay as they are: they are few, and a variance may be tiny.
    """
    import numpy as np

    def nearest(array: "NDArray[np.floating[Any]]") -> "NDArray[np.floating[Any]]":
        if array.ndim < 2 or not np.abs(array).max(initial=0) < np.finfo(np.float16).max:
            return array
        if array.ndim == 2 and array.size >= GREAT:
            step = step_of(array)
            return (np.round(array / step) * step).astype(array.dtype)
        return array.astype(np.float16).astype(array.dtype)

    return [nearest(array) for array in weights]


def step_of(matrix: "NDArray[np.floating[Any]]") -> "NDArray[np.float32]":
    """[out]: the least power of two of which MOST_STEPS reach all of a column of [in, out]."""
    import numpy as np

    peak = np.abs(matrix).max(axis=0, initial=2.0**-100)  # of a column of zeros, any step does
    step: NDArray[np.float32] = 2 ** np.ceil(np.log2(peak / MOST_STEPS)).astype(np.float32)
    return step


def pack_onnx(path: Path) -> None:
    """Keep weights of an `.onnx` file that few bits tell exactly in them, and say how to read."""
    import onnx
    from onnx import numpy_helper

    proto = onnx.load(path)
    graph = proto.graph
    readers, kept = [], []
    for initializer in graph.initializer:
        name, array = initializer.name, numpy_helper.to_array(initializer)
        packed = _in_eight_bits(name, array) or _in_sixteen_bits(name, array)
        if packed is None:
            kept.append(initializer)
        else:
            reader, parts = packed
            readers.append(reader)
            kept += [numpy_helper.from_array(part, key) for key, part in parts.items()]
    for field, content in ((graph.initializer, kept), (graph.node, [*readers, *graph.node])):
        del field[:]
        field.extend(content)
    onnx.save(proto, path)


def _in_eight_bits(name: str, array: "NDArray[Any]") -> "Packed | None":
    """A great matrix, if that is exact."""
    import numpy as np
    from onnx import helper

    if array.dtype != np.float32 or array.ndim != 2 or array.size < GREAT:
        return None
    if not np.isfinite(array).all():
        return None
    step = step_of(array)
    steps = np.rint(array / step).astype(np.int8)
    if not np.array_equal(steps * step, array):
        return None
    parts: dict[str, NDArray[Any]] = {f"{name}/steps": steps, f"{name}/step": step}
    return helper.make_node("DequantizeLinear", list(parts), [name], axis=1), parts


def _in_sixteen_bits(name: str, array: "NDArray[Any]") -> "Packed | None":
    """A matrix or a kernel, if that is exact."""
    import numpy as np
    from onnx import TensorProto, helper

    if array.dtype != np.float32 or array.ndim < 2:
        return None
    with np.errstate(over="ignore"):
        half = array.astype(np.float16)
    if not np.array_equal(half, array):
        return None
    parts = {f"{name}/half": half}
    return helper.make_node("Cast", list(parts), [name], to=TensorProto.FLOAT), parts


def pack_keras(path: Path) -> None:
    """Compress what is in a `.keras` file by bzip2, to two thirds of what deflate makes of it.

    By deflate nevertheless where this Python was built without bzip2.
    """
    method = ZIP_BZIP2 if find_spec("_bz2") else ZIP_DEFLATED
    with ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    with ZipFile(path, "w", method) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
