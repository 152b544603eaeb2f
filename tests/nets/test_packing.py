"""Files of nets made small: what is lost is told, and no more is."""

from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from games.connect4 import ConnectFour
from nets import packing
from nets.onnx_file import read_model, weights_of
from nets.packing import GREAT, pack_keras, pack_onnx, rounded
from nets.runtime import Net
from nets.spec import NetSpec
from tests.support.planes import random_planes

CONNECT4 = NetSpec.of(ConnectFour())


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).normal(size=shape).astype(np.float32)


def test_matrices_and_kernels_are_rounded_and_nothing_else() -> None:
    pooled = random(3 * 128, 128)  # of a wide net of Go: in eight bits it is 0.2 points off
    matrices, vector = [random(20, 30), random(3, 3, 128, 128), pooled], random(40)
    *near, same_vector = rounded([*matrices, vector])
    for rough, exact in zip(near, matrices, strict=True):
        np.testing.assert_allclose(rough, exact, rtol=2**-11, atol=2**-25)
        assert rough.dtype == np.float32 and not np.array_equal(rough, exact)
        np.testing.assert_array_equal(rough, rough.astype(np.float16))
    np.testing.assert_array_equal(same_vector, vector)


def test_a_great_matrix_is_in_steps_of_its_columns() -> None:
    matrix = random(GREAT // 64, 64) * 2.0 ** np.arange(-50, 14, dtype=np.float32)
    matrix[:, 5] = 0
    near = rounded([matrix])[0]
    for column, exact in zip(near.T, matrix.T, strict=True):
        peak = np.abs(exact).max()
        assert np.abs(column - exact).max() <= peak / 127
        assert len(np.unique(column)) <= 255
    assert np.array_equal(rounded([near])[0], near), "what is rounded stays"
    assert not near[:, 5].any()


@pytest.mark.parametrize("odd", [1e5, -np.inf, np.nan])
def test_what_sixteen_bits_cannot_tell_stays(odd: float) -> None:
    matrix = random(3, 3)
    matrix[1, 1] = odd
    np.testing.assert_array_equal(rounded([matrix])[0], matrix)


def some_net(path: Path, first: np.ndarray, second: np.ndarray) -> Path:
    """Of two layers."""
    planes = helper.make_tensor_value_info("planes", TensorProto.FLOAT, ["B", *CONNECT4.planes])
    value = helper.make_tensor_value_info("value", TensorProto.FLOAT, ["B", 1])
    nodes = [
        helper.make_node("Flatten", ["planes"], ["flat"]),
        helper.make_node("MatMul", ["flat", "first"], ["hidden"]),
        helper.make_node("MatMul", ["hidden", "second"], ["sum"]),
        helper.make_node("Tanh", ["sum"], ["value"]),
    ]
    weights = [
        numpy_helper.from_array(first, "first"),
        numpy_helper.from_array(second, "second"),
    ]
    graph = helper.make_graph(nodes, "net", [planes], [value], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path


EXACT = random(6 * 7 * 7, 512) / 10
LARGE, SMALL = rounded([EXACT, random(512, 1) / 10])


@pytest.mark.parametrize(
    ("first", "kinds"),
    [
        (EXACT, {"first": TensorProto.FLOAT}),
        (LARGE, {"first/steps": TensorProto.INT8, "first/step": TensorProto.FLOAT}),
        (LARGE * 3, {"first/half": TensorProto.FLOAT16}),
    ],
    ids=["exact", "steps", "half"],
)
def test_a_packed_net_says_what_it_said(
    tmp_path: Path, first: np.ndarray, kinds: dict[str, int]
) -> None:
    net_file = some_net(tmp_path / "net.onnx", first, SMALL)
    planes = random_planes("connect4", 20, seed=1)
    before, size = Net(net_file, CONNECT4, "f32").predict(planes), net_file.stat().st_size
    for _ in range(2):  # it may be packed again
        pack_onnx(net_file)
        proto = onnx.load(net_file)
        onnx.checker.check_model(proto)
        found = {each.name: each.data_type for each in proto.graph.initializer}
        assert found == {**kinds, "second/half": TensorProto.FLOAT16}
        assert net_file.stat().st_size < size
        after = Net(net_file, CONNECT4, "f32").predict(planes)
        np.testing.assert_allclose(after["value"], before["value"], atol=1e-6)


@pytest.mark.parametrize(("lacking", "method"), [("", ZIP_BZIP2), ("_bz2", ZIP_DEFLATED)])
def test_a_packed_archive_holds_what_it_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacking: str, method: int
) -> None:
    monkeypatch.setattr(packing, "find_spec", lambda name: None if name == lacking else name)
    path = tmp_path / "net.keras"
    contents = {"config.json": b"{}", "model.weights.h5": bytes(5_000)}
    with ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    pack_keras(path)
    with ZipFile(path) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == contents
        assert {each.compress_type for each in archive.infolist()} == {method}
    assert path.stat().st_size < 1_000


@pytest.mark.parametrize("suffix", [".keras", ".onnx"])
def test_a_net_that_was_learned_is_kept_small(made: Path, suffix: str) -> None:
    """Most of it are great matrices, in eight bits: ONNX holds these, and Keras their zeros."""
    weights = weights_of(read_model(made / "connect4.alphazero.onnx"))
    assert (made / f"connect4.alphazero{suffix}").stat().st_size < 1.6 * weights
