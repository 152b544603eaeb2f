"""ONNX files with nets of one layer, written without Keras; and why a file is refused."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from nets.runtime import Net
from nets.spec import NetError, NetSpec


def write_net(
    path: Path,
    spec: NetSpec,
    outputs: Mapping[str, tuple[int, str]],
    planes: Sequence[int] | None = None,
    facts: Mapping[str, str] | None = None,
    batch: int | str = "batch",
) -> Path:
    """A net of `planes`, by default those of `spec`, with outputs by name: width and activation.

    Activations are named as ONNX has them, such as `Softmax`. Weights are random, always the same.
    """
    from onnx import TensorProto, helper, numpy_helper, save

    shape = list(planes or spec.planes)
    rng = np.random.default_rng(0)
    nodes = [helper.make_node("Flatten", ["planes"], ["flat"])]
    weights, ports = [], []
    for name, (width, activation) in outputs.items():
        matrix = rng.normal(0, 1, (int(np.prod(shape)), width)).astype(np.float32)
        weights.append(numpy_helper.from_array(matrix, f"{name}_weights"))
        nodes.append(helper.make_node("MatMul", ["flat", f"{name}_weights"], [f"{name}_sum"]))
        nodes.append(helper.make_node(activation, [f"{name}_sum"], [name]))
        ports.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [batch, width]))
    planes_port = helper.make_tensor_value_info("planes", TensorProto.FLOAT, [batch, *shape])
    graph = helper.make_graph(nodes, "tiny", [planes_port], ports, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)
    helper.set_model_props(model, {f"gtpbot.{key}": fact for key, fact in (facts or {}).items()})
    save(model, path)
    return path


def write_go_net(path: Path, planes: int) -> Path:
    """A net of Go for boards of all sizes, which likes points by the mean of their planes."""
    from onnx import TensorProto, helper, save

    def port(name: str, *shape: int | str) -> object:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", *shape])

    nodes = [
        helper.make_node("ReduceMean", ["planes"], ["means"], axes=[3], keepdims=0),
        helper.make_node("Flatten", ["means"], ["points"]),
        helper.make_node("ReduceMin", ["points"], ["pass"], axes=[1], keepdims=1),
        helper.make_node("Concat", ["points", "pass"], ["logits"], axis=1),
        helper.make_node("Softmax", ["logits"], ["policy"]),
        helper.make_node("Tanh", ["pass"], ["value"]),
    ]
    inputs = [port("planes", "height", "width", planes)]
    outputs = [port("policy", "actions"), port("value", 1)]
    graph = helper.make_graph(nodes, "tiny", inputs, outputs)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8), path)
    return path


def refusal(path: Path, spec: NetSpec) -> str:
    """What is wrong with a file as a net, on one line that begins with its name."""
    with pytest.raises(NetError) as refused:
        Net(path, spec)
    text = str(refused.value)
    assert text.startswith(f"{path}: ") and "\n" not in text
    return text.removeprefix(f"{path}: ")
