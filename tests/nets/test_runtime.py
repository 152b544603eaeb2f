"""The runtime: what it computes, for how many at once, and which files it refuses."""

import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, cast

import numpy as np
import openvino
import pytest
from numpy.typing import NDArray

import gtpcore
from games.base import Game
from games.connect4 import ConnectFour, ConnectFourOptions
from games.registry import GAMES
from games.tictactoe import TicTacToe
from nets.files import WEIGHTS, shipped
from nets.models import TRUNKS
from nets.onnx_file import facts
from nets.runtime import Net, _Workers, are_probabilities, quickest_first
from nets.spec import NetError, NetSpec
from search.board_net import BoardNet, BoardOpinion
from search.tree_agent import available_cores
from tests.nets.make_nets import NETS
from tests.support.planes import random_planes
from tests.support.python_game import Nim
from tests.support.tiny_nets import refusal, write_net

CONNECT4 = NetSpec.of(ConnectFour())
BOTH = {"policy": (7, "Softmax"), "value": (1, "Tanh")}
SHIPPED = [(game, role) for game in GAMES for role in shipped(game)]

CLOSE_CALL = 0.04
"""Moves whose probabilities differ by less may change places in fewer bits."""
MOST = 0.98
"""Of random positions; in a few of them numbers are greater than in any sensible game."""


def test_a_spec_is_the_shapes_of_a_game() -> None:
    assert NetSpec("connect4", (6, 7, 7), 7) == CONNECT4
    small = ConnectFour(ConnectFourOptions(columns=5, rows=4))
    assert NetSpec.of(small) == NetSpec("connect4", (4, 5, 7), 5)


def test_every_game_with_planes_has_a_trunk() -> None:
    assert {name.partition("/")[0] for name in TRUNKS} == set(GAMES)


def test_a_game_without_planes_has_no_nets() -> None:
    with pytest.raises(NetError, match="Nim with these options cannot be shown to a net"):
        NetSpec.of(Nim())


@pytest.mark.parametrize(("game", "role"), NETS)
def test_the_runtime_says_what_keras_says(made: Path, game: str, role: str) -> None:
    net = Net(made / f"{game}.{role}.onnx", NetSpec.of(GAMES[game]()), "f32")
    with np.load(made / f"{game}.{role}.npz") as said:
        policy, value = net(said["planes"])
        assert (net.has_policy, net.has_value) == ("policy" in said, "value" in said)
        if policy is not None:
            np.testing.assert_allclose(policy, said["policy"], atol=1e-4)
        if value is not None:
            np.testing.assert_allclose(value, said["value"][:, 0], atol=1e-4)


def test_gelu_is_what_keras_says(made: Path) -> None:
    net = Net(made / "gelu.onnx", NetSpec.of(GAMES["tictactoe"]()), "f32")
    with np.load(made / "gelu.npz") as said:
        value = net.predict(said["planes"])["value"]
        np.testing.assert_allclose(value, said["value"], atol=1e-4)


@pytest.mark.parametrize(("game", "role"), NETS)
def test_outputs_stay_in_range_whatever_the_input(made: Path, game: str, role: str) -> None:
    net = Net(made / f"{game}.{role}.onnx", NetSpec.of(GAMES[game]()))
    policy, value = net(1000 * random_planes(game, 20, seed=6))
    assert policy is None or are_probabilities(policy)
    assert value is None or abs(value).max() <= 1


@pytest.mark.parametrize(
    ("game", "moves", "mirrored"),
    [
        (ConnectFour(), (0, 0, 1), (6, 6, 5)),
        (ConnectFour(ConnectFourOptions(columns=5, rows=4)), (0, 3, 3), (4, 1, 1)),
        (TicTacToe(), (0, 1, 5), (2, 1, 3)),
    ],
)
def test_the_mean_of_images_is_the_same_for_each_of_them(
    tmp_path: Path, game: Game, moves: Sequence[int], mirrored: Sequence[int]
) -> None:
    spec = NetSpec.of(game)
    outputs = {"policy": (spec.num_actions, "Softmax"), "value": (1, "Tanh")}
    net = Net(write_net(tmp_path / "lopsided.onnx", spec, outputs), spec, "f32").native()
    assert isinstance(net, BoardNet)
    states = [game.new_state(), game.new_state()]
    for state, actions in zip(states, (moves, mirrored), strict=True):
        for action in actions:
            state.apply_action(action)
    one, other = (net.mean(cast(gtpcore.State, state)) for state in states)
    turned = np.array(one.policy).reshape(-1, spec.planes[1])[:, ::-1].ravel()
    assert np.allclose(turned, other.policy or [], atol=1e-5)
    assert sum(other.policy or []) == pytest.approx(1, abs=1e-4)
    assert one.value_to_move == pytest.approx(other.value_to_move, abs=1e-5)
    assert one.board == BoardOpinion()
    alone, _ = net.evaluate(cast(gtpcore.State, states[0]))
    assert alone != pytest.approx(one.policy, abs=0.01)


def test_a_twin_knows_what_it_is_for(made: Path) -> None:
    known = facts(made / "connect4.value.onnx")
    assert (known["game"], known["role"]) == ("connect4", "value")


@cache
def positions(game: str) -> NDArray[np.float32]:
    """Many, whose games are long."""
    return random_planes(game, 300, seed=3)


def agree(net_file: Path, game: str) -> None:
    """Assert that the arithmetic of this processor's choice comes to the same moves as f32."""
    spec = NetSpec.of(GAMES[game]())
    planes = positions(game)
    exact_policy, exact_value = Net(net_file, spec, "f32")(planes)
    policy, value = Net(net_file, spec)(planes)
    if policy is not None and exact_policy is not None:
        rows, best = np.arange(len(planes)), exact_policy.argmax(axis=1)
        lost = exact_policy[rows, best] - exact_policy[rows, policy.argmax(axis=1)]
        assert (lost < CLOSE_CALL).mean() > MOST
        assert lost.max() < 0.3
    if value is not None and exact_value is not None:
        errors = abs(value - exact_value)
        assert (errors < 0.1).mean() > MOST
        assert errors.mean() < 0.015


@pytest.mark.parametrize(("game", "role"), NETS)
def test_fast_arithmetic_chooses_the_same_moves(made: Path, game: str, role: str) -> None:
    agree(made / f"{game}.{role}.onnx", game)


@pytest.mark.slow
def test_fast_arithmetic_chooses_the_same_moves_with_the_nets_that_ship() -> None:
    for game, role in SHIPPED:
        agree(WEIGHTS / game / f"{role}.onnx", game)


def test_a_position_is_worth_the_same_in_every_batch(tmp_path: Path) -> None:
    net = Net(write_net(tmp_path / "n.onnx", CONNECT4, BOTH), CONNECT4, "f32")
    planes = random_planes("connect4", 40, seed=4)
    policy, value = net(planes)
    assert policy is not None and value is not None
    for size in (1, 3, 5, 7, 8, 13):
        policies, values = zip(
            *(net(planes[start : start + size]) for start in range(0, 40, size)), strict=True
        )
        np.testing.assert_allclose(np.concatenate(policies), policy, atol=1e-6)
        np.testing.assert_allclose(np.concatenate(values), value, atol=1e-6)


def test_each_thread_gets_its_own_answers(made: Path) -> None:
    net = Net(made / "connect4.alphazero.onnx", CONNECT4, "f32")
    batches = [random_planes("connect4", 4, seed) for seed in range(8)]
    alone: list[Any] = [net(batch) for batch in batches]

    def is_right(turn: int) -> bool:
        answer: Any = net(batches[turn % 8])
        return all(map(np.array_equal, answer, alone[turn % 8]))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(is_right, range(200)))


def test_who_finds_every_core_at_work_waits_for_one(made: Path) -> None:
    """And lets no net be compiled, which takes far longer."""
    net = Net(made / "connect4.alphazero.onnx", CONNECT4)
    planes = random_planes("connect4", 4, seed=1)
    policy, _ = net(planes)
    workers = net._workers_for(4)
    taken = [workers.take(lambda: net._worker(4)) for _ in range(available_cores())]
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(net, planes)
        with pytest.raises(FutureTimeoutError):
            asked.result(0.05)
        workers.give_back(taken.pop())
        np.testing.assert_array_equal(asked.result(10)[0], policy)


def test_a_search_finds_its_net_compiled_in_all_sizes(made: Path) -> None:
    """For each thread, but no more than there are cores; to get ready again does nothing."""
    net = Net(made / "connect4.alphazero.onnx", CONNECT4)
    cores = available_cores()
    assert len(list(net.compile_ahead(1))) == 5
    for _ in range(2):
        assert len(list(net.compile_ahead(cores + 1))) == 5 * cores
    for batch in (1, 2, 3, 7, 16):
        workers = net._workers_for(net._capacity(batch))
        taken = [workers.take(no_memory) for _ in range(cores)]
        for worker in taken:
            workers.give_back(worker)
        assert len(net.predict(random_planes("connect4", batch, seed=1))["value"]) == batch


def test_a_net_is_compiled_between_searches(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not beside one, as it takes a processor from it; but after it, as a search may be short."""
    net = Net(made / "connect4.alphazero.onnx", CONNECT4)
    native = net.native()
    assert isinstance(native, BoardNet)
    planes, compiled = random_planes("connect4", 1, seed=1), SimpleQueue[int]()
    monkeypatch.setattr("nets.runtime.FIRST_COMMANDS", 0.0)
    monkeypatch.setattr("nets.runtime.QUIET", 2.0)  # longer than a busy machine may hold a test up
    net(planes)
    assert net.is_asked
    monkeypatch.setattr(net, "_worker", compiled.put)
    native.get_ready(1)
    for _ in range(30):
        with pytest.raises(Empty):
            compiled.get(timeout=0.01)
        net(planes)
    sizes = [compiled.get(timeout=10)]
    while 16 not in sizes:
        sizes.append(compiled.get(timeout=10))
    assert {2, 4} < {*sizes}
    assert not net.is_asked


def test_a_net_that_could_not_be_compiled_is_tried_again(made: Path) -> None:
    net = Net(made / "connect4.alphazero.onnx", CONNECT4)
    workers = net._workers_for(4)
    for _ in range(2 * available_cores()):
        with pytest.raises(MemoryError):
            workers.take(no_memory)
    assert net(random_planes("connect4", 4, seed=1))


def test_who_waits_for_a_net_that_could_not_be_compiled_tries_it_again() -> None:
    workers, begun, failing = _Workers(most=1), threading.Event(), threading.Event()

    def fail() -> Any:
        begun.set()
        failing.wait(10)
        raise MemoryError

    made: Any = object()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(workers.take, fail)
        begun.wait(10)
        second = pool.submit(workers.take, lambda: made)
        with pytest.raises(FutureTimeoutError):
            second.result(0.05)
        failing.set()
        assert second.result(10) is made
        with pytest.raises(MemoryError):
            first.result(10)


def no_memory() -> Any:
    raise MemoryError


def test_an_answer_outlives_the_next_call(tmp_path: Path) -> None:
    net = Net(write_net(tmp_path / "n.onnx", CONNECT4, BOTH), CONNECT4, "f32")
    planes = random_planes("connect4", 2, seed=5)
    first = net(planes[:1])[0]
    assert first is not None
    copy = first.copy()
    net(planes[1:])
    assert np.array_equal(first, copy)


def test_outputs_are_known_by_their_widths_where_they_have_other_names(tmp_path: Path) -> None:
    path = write_net(
        tmp_path / "n.onnx", CONNECT4, {"dense": (1, "Tanh"), "dense_1": (7, "Softmax")}
    )
    assert Net(path, CONNECT4).outputs == {"value": 0, "policy": 1}


def test_planes_of_another_shape_are_refused(tmp_path: Path) -> None:
    net = Net(write_net(tmp_path / "n.onnx", CONNECT4, BOTH), CONNECT4)
    with pytest.raises(NetError, match=r"planes \[2, 3, 3, 2\]: expected \[B, 6, 7, 7\]"):
        net(random_planes("tictactoe", 2, seed=0))


def test_a_net_of_another_game_is_refused(tmp_path: Path) -> None:
    path = write_net(tmp_path / "n.onnx", CONNECT4, BOTH, facts={"game": "gomoku"})
    assert refusal(path, CONNECT4) == "expected a net of connect4, found one of 'gomoku'"


def test_a_net_that_names_no_game_is_taken_by_its_shapes(tmp_path: Path) -> None:
    assert Net(write_net(tmp_path / "n.onnx", CONNECT4, BOTH), CONNECT4).has_value


def test_other_planes_are_refused(tmp_path: Path) -> None:
    path = write_net(tmp_path / "n.onnx", CONNECT4, BOTH, planes=(6, 7, 2))
    assert refusal(path, CONNECT4) == "expected the input [B, 6, 7, 7], found [?, 6, 7, 2]"


@pytest.mark.parametrize(
    ("outputs", "found"),
    [
        ({"policy": (8, "Softmax")}, "[?, 8]"),
        ({"value": (3, "Tanh")}, "[?, 3]"),
        ({"policy": (1, "Softmax")}, "[?, 1]"),
        ({"p": (7, "Softmax"), "q": (7, "Softmax")}, "[?, 7], [?, 7]"),
        ({**BOTH, "extra": (4, "Tanh")}, "[?, 7], [?, 1], [?, 4]"),
    ],
)
def test_other_outputs_are_refused(
    tmp_path: Path, outputs: dict[str, tuple[int, str]], found: str
) -> None:
    path = write_net(tmp_path / "n.onnx", CONNECT4, outputs)
    assert refusal(path, CONNECT4) == (
        "expected the outputs policy [B, 7] and value [B, 1], or one of them, found " + found
    )


def test_a_policy_without_softmax_is_refused(tmp_path: Path) -> None:
    path = write_net(tmp_path / "n.onnx", CONNECT4, {"policy": (7, "Identity")})
    assert refusal(path, CONNECT4).startswith(
        "expected probabilities (a softmax) as policy, found numbers"
    )


@pytest.mark.parametrize("row", [(0.6, 0.6), (0.3, 0.3), (1.5, -0.5), (np.nan, 1.0)])
def test_what_is_no_distribution_is_told_from_one(row: tuple[float, ...]) -> None:
    fine = (0.501, 0.5)
    assert are_probabilities(np.array([fine, fine], np.float32))
    assert not are_probabilities(np.array([fine, row], np.float32))


def test_a_value_without_tanh_is_refused(tmp_path: Path) -> None:
    path = write_net(tmp_path / "n.onnx", CONNECT4, {"value": (1, "Identity")})
    assert refusal(path, CONNECT4).startswith("expected value from -1 to 1 (a tanh), found")


def test_a_net_for_one_position_at_a_time_is_refused(tmp_path: Path) -> None:
    path = write_net(tmp_path / "n.onnx", CONNECT4, BOTH, batch=1)
    assert refusal(path, CONNECT4) == "expected the input [B, 6, 7, 7], found [1, 6, 7, 7]"


def test_a_net_that_says_one_thing_of_a_whole_batch_is_refused(tmp_path: Path) -> None:
    path = write_net(tmp_path / "n.onnx", CONNECT4, {"value": (1, "ReduceMean")})
    assert refusal(path, CONNECT4).endswith(
        "expected a row of value for each of 8 positions, found 1"
    )


def test_what_is_no_onnx_is_refused(tmp_path: Path) -> None:
    whole = write_net(tmp_path / "n.onnx", CONNECT4, BOTH).read_bytes()
    broken = tmp_path / "broken.onnx"
    for content in (b"", b"no net at all\n", b"\x80\x04]\x94.", whole[: len(whole) // 2]):
        broken.write_bytes(content)
        assert refusal(broken, CONNECT4).startswith("expected a net in ONNX")
    broken.unlink()
    assert refusal(broken, CONNECT4) == "no such file"


def add_endless_loop(path: Path) -> None:
    """An output that takes for ever, though nothing of it depends on the input."""
    from onnx import TensorProto, helper, load, numpy_helper, save

    def port(name: str, kind: int) -> Any:
        return helper.make_tensor_value_info(name, kind, [])

    numbers = {"most": np.array(2**62), "yes": np.array(True), "zero": np.array(0.0, np.float32)}
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["on"], ["still_on"]),
            helper.make_node("Identity", ["x"], ["next"]),
        ],
        "body",
        [port("i", TensorProto.INT64), port("on", TensorProto.BOOL), port("x", TensorProto.FLOAT)],
        [port("still_on", TensorProto.BOOL), port("next", TensorProto.FLOAT)],
    )
    model = load(path)
    model.graph.initializer.extend(
        numpy_helper.from_array(number, name) for name, number in numbers.items()
    )
    loop = helper.make_node("Loop", list(numbers), ["end"], body=body)
    model.graph.node.extend([loop, helper.make_node("Add", ["value", "end"], ["later"])])
    model.graph.output.append(helper.make_tensor_value_info("later", TensorProto.FLOAT, None))
    save(model, path)


def test_a_net_that_would_never_end_is_refused(tmp_path: Path) -> None:
    path = write_net(tmp_path / "n.onnx", CONNECT4, BOTH)
    add_endless_loop(path)
    assert refusal(path, CONNECT4) == "expected plain layers, found control flow: Loop"


def test_no_processor_is_asked_for_arithmetic_that_it_has_not(made: Path) -> None:
    path = made / "connect4.alphazero.onnx"
    assert Net(path, CONNECT4, "f32").precision == "f32"
    if "BF16" in openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
        assert Net(path, CONNECT4, "bf16").precision == "bf16"
    else:
        with pytest.raises(NetError, match="this processor has no such arithmetic"):
            Net(path, CONNECT4, "bf16")


@pytest.mark.parametrize(
    ("told", "quickest"),
    [
        ("flags : avx512_bf16 amx_bf16", "bf16"),
        ("flags : avx512_bf16", "i8"),
        (None, "i8"),
    ],
)
def test_units_for_matrices_are_left_to_sixteen_bits(
    told: str | None, quickest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    processor = tmp_path / "cpuinfo"
    if told is not None:
        processor.write_text(told)
    monkeypatch.setattr("nets.runtime.PROCESSOR", processor)
    assert quickest_first()[0] == quickest
    assert set(quickest_first()) == {"bf16", "i8"}


def test_a_small_net_stays_with_the_exact_arithmetic(made: Path) -> None:
    assert Net(made / "connect4.fast_policy.onnx", CONNECT4).precision == "f32"


def test_a_net_runs_without_keras_or_onnx(tmp_path: Path) -> None:
    path = write_net(tmp_path / "n.onnx", CONNECT4, BOTH)
    script = f"""
import sys
from pathlib import Path
from games.connect4 import ConnectFour
from nets.files import load
from nets.spec import NetSpec
assert not set(sys.modules) & {{"numpy", "openvino"}}
spec = NetSpec.of(ConnectFour())
load({str(path)!r}, spec)([spec] and __import__("numpy").zeros((1, *spec.planes), "float32"))
assert not set(sys.modules) & {{"keras", "tensorflow", "onnx", "h5py"}}
"""
    subprocess.run([sys.executable, "-c", script], check=True)


IN_THREADS = """
import sys, threading
from nets.onnx_file import import_openvino

def work():
    start.wait()
    import_openvino()

failed = []
threading.excepthook = lambda args: failed.append(args.exc_value)
start = threading.Barrier(16)
threads = [threading.Thread(target=work) for _ in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit(f"{failed[0]!r}" if failed else 0)
"""


def test_threads_may_load_their_first_nets_at_once() -> None:
    done = subprocess.run([sys.executable, "-c", IN_THREADS], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


INTERRUPTED = """
import os, signal, sys
from nets.onnx_file import import_openvino

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "openvino._pyopenvino":
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # or it may be ignored
sys.meta_path.insert(0, Interrupting())
try:
    import_openvino()
except KeyboardInterrupt:
    sys.exit(0 if "openvino" in sys.modules else "given up midway")
sys.exit("no KeyboardInterrupt")
"""


def test_ctrl_c_waits_until_openvino_is_there() -> None:
    """Which tells of it as an ImportError, or may have it half begun for whoever asks next."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
