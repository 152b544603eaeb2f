"""Narrow nets of dense layers with residual blocks, by which some OpenVINO ends the process."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from games.tictactoe import TicTacToe
from nets.onnx_file import joins_features, read_model
from nets.spec import NetSpec
from tests.support.planes import random_planes
from tests.support.tiny_nets import write_net

Floats = NDArray[np.float32]
SPEC = NetSpec.of(TicTacToe())
WIDTH = 16
BATCHES = (1, 2, 8, 16)
ASK = """
import sys
from pathlib import Path
import numpy as np
from games.tictactoe import TicTacToe
from nets.runtime import Net
from nets.spec import NetSpec
net, planes = Net(Path(sys.argv[1]), NetSpec.of(TicTacToe()), "f32"), np.load(sys.argv[2])
np.savez(sys.argv[3], *(net(planes[:size])[1] for size in map(int, sys.argv[4:])))
"""


def write_dense(path: Path, join: str, blocks: int) -> Callable[[Floats], Floats]:
    """A value net whose blocks of two layers are joined to what they read; it as a function."""
    from onnx import TensorProto, helper, numpy_helper, save

    rng = np.random.default_rng(2)
    nodes, arrays = [helper.make_node("Flatten", ["planes"], ["x"])], {}

    def layer(x: str, name: str, width: int, out: int) -> str:
        arrays[f"{name}.w"] = rng.normal(0, width**-0.5, (width, out)).astype(np.float32)
        arrays[f"{name}.b"] = rng.normal(0, 0.2, out).astype(np.float32)
        nodes.append(helper.make_node("MatMul", [x, f"{name}.w"], [f"{name}.m"]))
        nodes.append(helper.make_node("Add", [f"{name}.m", f"{name}.b"], [f"{name}.y"]))
        return f"{name}.y"

    def node(kind: str, *given: str) -> str:
        nodes.append(helper.make_node(kind, given, [f"{given[0]}.{kind}"]))
        return f"{given[0]}.{kind}"

    x = node("Relu", layer("x", "first", int(np.prod(SPEC.planes)), WIDTH))
    for number in range(blocks):
        inner = node("Relu", layer(x, f"{number}.a", WIDTH, WIDTH))
        x = node("Relu", node(join, layer(inner, f"{number}.b", WIDTH, WIDTH), x))
    nodes.append(helper.make_node("Tanh", [layer(x, "last", WIDTH, 1)], ["value"]))
    port = helper.make_tensor_value_info
    inputs = [port("planes", TensorProto.FLOAT, ["batch", *SPEC.planes])]
    outputs = [port("value", TensorProto.FLOAT, ["batch", 1])]
    weights = [numpy_helper.from_array(array, name) for name, array in arrays.items()]
    graph = helper.make_graph(nodes, "dense", inputs, outputs, weights)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8), path)

    def said(planes: Floats) -> Floats:
        def dense(x: Floats, name: str) -> Floats:
            return x @ arrays[f"{name}.w"] + arrays[f"{name}.b"]

        both = {"Add": np.add, "Mul": np.multiply, "Max": np.maximum}[join]
        x = np.maximum(dense(planes.reshape(len(planes), -1), "first"), 0)
        for number in range(blocks):
            inner = np.maximum(dense(x, f"{number}.a"), 0)
            x = np.maximum(both(dense(inner, f"{number}.b"), x), 0)
        value: Floats = np.tanh(dense(x, "last"))[:, 0]
        return value

    return said


@pytest.mark.parametrize("join", ["Add", "Mul", "Max"])
def test_they_run_in_batches_of_all_sizes(tmp_path: Path, join: str) -> None:
    said = write_dense(tmp_path / "net.onnx", join, blocks=3)
    planes = random_planes("tictactoe", max(BATCHES), seed=3)
    np.save(tmp_path / "planes.npy", planes)
    files = [str(tmp_path / name) for name in ("net.onnx", "planes.npy", "values.npz")]
    asked = subprocess.run([sys.executable, "-c", ASK, *files, *map(str, BATCHES)], check=False)
    assert asked.returncode == 0
    with np.load(tmp_path / "values.npz") as values:
        for size, found in zip(BATCHES, values.values(), strict=True):
            np.testing.assert_allclose(found, said(planes[:size]), atol=1e-5)


def test_only_such_nets_are_known_by_it(tmp_path: Path) -> None:
    write_dense(tmp_path / "joined.onnx", "Add", blocks=1)
    write_dense(tmp_path / "chain.onnx", "Add", blocks=0)
    outputs = {"policy": (9, "Softmax"), "value": (1, "Tanh")}
    write_net(tmp_path / "tiny.onnx", SPEC, outputs)
    known = [
        joins_features(read_model(tmp_path / f"{n}.onnx")) for n in ("joined", "chain", "tiny")
    ]
    assert known == [True, False, False]
