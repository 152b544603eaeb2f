"""Nets without their dead channels, which are to say just what they said."""

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from nets.convert import export
from nets.files import find
from nets.int8 import usable
from nets.lean import LANES, Layer, Model, without_dead
from nets.models import make
from nets.onnx_file import facts, read_model
from nets.train.fit import prepare
from nets.train.supervised import outputs
from tests.support.planes import random_go_planes, random_planes

WIDTH = 3 * LANES
INNER = 1, 3
"""The convolutions of a tower of two blocks that begin one; into the second the board is pooled."""


@pytest.fixture
def model() -> Model:
    prepare(5)
    return make("go", "alphazero", WIDTH, 2)


def convolutions(model: Model) -> list[Layer]:
    """Those that see more than a point, in order."""
    return [layer for layer in model.layers if getattr(layer, "kernel_size", (1, 1)) > (1, 1)]


def kill(model: Model, number: int, channels: Sequence[int]) -> None:
    """Have the normalization after a convolution leave nothing of some channels."""
    (normalization,) = (node.operation for node in convolutions(model)[number]._outbound_nodes)
    gamma, beta, *moving = normalization.get_weights()
    beta[list(channels)] = -1e3
    normalization.set_weights([gamma, beta, *moving])


def shapes(model: Model) -> list[tuple[int, int]]:
    """What each convolution takes and gives."""
    return [tuple(layer.kernel.shape[2:]) for layer in convolutions(model)]


def kernels(path: Path) -> list[list[int]]:
    """The shapes of those in an `.onnx` file."""
    ops = read_model(path).get_ordered_ops()
    return [list(op.get_input_shape(1)) for op in ops if op.get_type_name() == "Convolution"]


@pytest.mark.parametrize("number", INNER)
@pytest.mark.parametrize(("dead", "left"), [(LANES, 32), (LANES + 7, 32), (40, 16), (WIDTH, 16)])
def test_a_net_says_the_same_without_its_dead_channels(
    model: Model, number: int, dead: int, left: int
) -> None:
    kill(model, number, np.random.default_rng(dead).permutation(WIDTH)[:dead].tolist())
    lean = without_dead(model, [random_go_planes(9, 40, seed=1), random_go_planes(13, 40, seed=2)])
    widths = [17, *[WIDTH] * 5]
    widths[number + 1] = left
    assert shapes(lean) == list(pairwise(widths))
    for size in (7, 9, 19):
        planes = random_go_planes(size, 30, seed=3)
        said, still = outputs(model, planes), outputs(lean, planes)
        for name, array in said.items():
            assert still[name] == pytest.approx(array, abs=1e-4), name


def test_what_a_net_needs_stays(model: Model) -> None:
    kill(model, 0, range(20))  # which blocks add to
    kill(model, 1, range(LANES - 1))  # too few to fill a lane
    kill(model, 4, range(20))  # of the last block, which the heads read as well
    assert without_dead(model, [random_go_planes(9, 60, seed=1)]) is model


def test_a_channel_is_dead_only_where_it_is_so_in_all_positions(model: Model) -> None:
    kill(model, 1, range(20))
    seen = [random_go_planes(9, 8, seed=1)]
    assert without_dead(model, seen) is not model
    normalization = convolutions(model)[1]._outbound_nodes[0].operation
    gamma, beta, *moving = normalization.get_weights()
    beta[:20] = -1.0  # which some positions pass
    normalization.set_weights([gamma, beta, *moving])
    assert without_dead(model, [*seen, 100 * random_go_planes(9, 200, seed=2)]) is model


def test_convolutions_before_dense_layers_stay() -> None:
    prepare(5)
    model = make("connect4", "alphazero", 64, 1)
    kill(model, 0, range(LANES))
    assert without_dead(model, [random_planes("connect4", 60, seed=1)]) is model


@pytest.mark.slow
def test_the_file_of_a_net_has_no_dead_channels_and_tells_the_peaks_of_the_others(
    model: Model, tmp_path: Path
) -> None:
    kill(model, 1, range(20))
    path = tmp_path / "n.onnx"
    export(model, path, "the digest of its source")
    assert sum(kernel == [32, WIDTH, 3, 3] for kernel in kernels(path)) == 1
    known = facts(path)
    assert known["source"] == "the digest of its source"
    peaks = json.loads(known["peaks"])
    assert len(peaks) == 4 and usable(read_model(path), peaks) == peaks


@pytest.mark.parametrize("role", ["alphazero", "alphazero_medium", "alphazero_large"])
def test_the_nets_of_go_that_ship_play_without_dead_channels(role: str) -> None:
    shipped = kernels(find(role, "go").with_suffix(".onnx"))
    assert sum(kernel == [48, 64, 3, 3] for kernel in shipped) == 2
