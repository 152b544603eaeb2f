"""Files of nets made small: matrices in sixteen bits, which are all that a dense layer needs.

They are rounded once, before a file is written (`rounded`). What follows loses nothing: ONNX keeps
in sixteen bits what they tell exactly, and the zeros that end each number of a Keras file go by
compression. Kernels of convolutions stay as they are, as `nets/int8.py` takes them.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, ZipFile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def rounded(weights: "Sequence[NDArray[np.floating[Any]]]") -> "list[NDArray[np.floating[Any]]]":
    """Weights of a net: matrices as sixteen bits tell them, unless one is too great for that.

    Vectors stay as they are too: they are few, and a variance may be tiny.
    """
    import numpy as np

    def nearest(array: "NDArray[np.floating[Any]]") -> "NDArray[np.floating[Any]]":
        if array.ndim != 2 or not np.abs(array).max(initial=0) < np.finfo(np.float16).max:
            return array
        return array.astype(np.float16).astype(array.dtype)

    return [nearest(array) for array in weights]


def pack_onnx(path: Path) -> None:
    """Keep matrices of an `.onnx` file that sixteen bits tell exactly in them, and cast them."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    proto = onnx.load(path)
    graph = proto.graph
    casts = []
    for matrix, half in list(_exact_in_half(graph.initializer)):
        name = f"{matrix.name}/half"
        casts.append(helper.make_node("Cast", [name], [matrix.name], to=TensorProto.FLOAT))
        matrix.CopyFrom(numpy_helper.from_array(half, name))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.save(proto, path)


def _exact_in_half(initializers: Any) -> "Iterator[tuple[Any, NDArray[np.float16]]]":
    import numpy as np
    from onnx import numpy_helper

    for initializer in initializers:
        array = numpy_helper.to_array(initializer)
        if array.dtype == np.float32 and array.ndim == 2:
            with np.errstate(over="ignore"):
                half = array.astype(np.float16)
            if np.array_equal(half.astype(np.float32), array):
                yield initializer, half


def pack_keras(path: Path) -> None:
    """Compress what is in a `.keras` file."""
    with ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
