"""The net of Go: one file for all sizes, and what it says of a position."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games.base import after
from games.connect4 import ConnectFour
from games.go import Go, GoOptions
from games.go_rules import CHINESE
from nets.files import load
from nets.runtime import AT_ONCE, Net, are_probabilities
from nets.spec import OUTPUTS, NetSpec
from search.board_net import SYMMETRIES, BoardNet
from tests.nets.make_nets import GO_SIZES
from tests.support.planes import random_go_planes
from tests.support.tiny_nets import refusal, write_go_net, write_net


def spec_of(size: int) -> NetSpec:
    return NetSpec.of(Go(GoOptions(size=size)))


@pytest.fixture
def net_file(made: Path) -> Path:
    return made / "go.alphazero.onnx"


@pytest.mark.parametrize("size", GO_SIZES)
def test_one_file_says_what_keras_says_on_boards_of_all_sizes(net_file: Path, size: int) -> None:
    net = Net(net_file, spec_of(size), "f32")
    assert set(net.outputs) == set(OUTPUTS)
    with np.load(net_file.parent / f"go.alphazero.{size}.npz") as said:
        answer = net.predict(said["planes"])
        for name, shape in spec_of(size).shapes.items():
            assert answer[name].shape == (8, *shape)
            np.testing.assert_allclose(answer[name], said[name], atol=1e-4)
        assert are_probabilities(answer["policy"])
        assert len({row.tobytes() for row in answer["policy"].round(4)}) > 4


def test_a_search_is_told_the_same_policy_and_value(net_file: Path) -> None:
    net = Net(net_file, spec_of(9), "f32")
    planes = random_go_planes(9, 4, seed=2)
    policy, value = net(planes)
    answer = net.predict(planes, ("score", "policy", "value"))
    assert policy is not None and value is not None
    assert np.array_equal(answer["policy"], policy)
    assert np.array_equal(answer["value"][:, 0], value)
    assert set(answer) == {"score", "policy", "value"}


def turn(row: int, column: int, symmetry: int) -> tuple[int, int]:
    """Where a point of a 9x9 board goes."""
    row = 8 - row if symmetry & 1 else row
    column = 8 - column if symmetry & 2 else column
    return (column, row) if symmetry & 4 else (row, column)


@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_a_board_may_be_shown_turned(net_file: Path, symmetry: int) -> None:
    """Then the net says what it says of a game whose moves are turned, turned back."""
    net = Net(net_file, spec_of(9), "f32").native()
    assert isinstance(net, BoardNet)
    straight, turned = (Go(GoOptions(size=9)).new_state() for _ in range(2))
    for row, column in ((0, 1), (3, 7), (5, 2)):
        straight.apply_action(9 * row + column)
        there = turn(row, column, symmetry)
        turned.apply_action(9 * there[0] + there[1])
    shown, same = net.bare(straight, symmetry), net.bare(turned, 0)
    assert shown.value_to_move == pytest.approx(same.value_to_move, abs=1e-5)
    assert shown.board.score_to_move == pytest.approx(same.board.score_to_move, abs=1e-4)
    for told, expected in (
        (shown.policy, same.policy),
        (shown.board.ownership, same.board.ownership),
    ):
        assert told is not None and expected is not None
        places = [turn(row, column, symmetry) for row in range(9) for column in range(9)]
        moved = [expected[9 * row + column] for row, column in places]
        assert told == pytest.approx([*moved, *expected[81:]], abs=1e-5)


def test_the_whole_board_is_judged_by_the_mean_of_its_images(net_file: Path) -> None:
    net = Net(net_file, spec_of(9), "f32").native()
    assert isinstance(net, BoardNet)
    state = Go(GoOptions(size=9)).new_state()
    state.apply_action(11)
    bare = [net.bare(state, symmetry) for symmetry in SYMMETRIES]
    images = [each.board for each in bare]
    assert len({image.score_to_move for image in images}) == 8
    mean = net.mean(state)
    policies = [each.policy or [] for each in bare]
    assert mean.policy == pytest.approx(np.mean(policies, axis=0), abs=1e-5)
    values = [each.value_to_move or 0.0 for each in bare]
    assert mean.value_to_move == pytest.approx(np.mean(values), abs=1e-5)
    board = mean.board
    scores = [image.score_to_move or 0.0 for image in images]
    owners = [image.ownership or [] for image in images]
    assert board.score_to_move == pytest.approx(np.mean(scores), abs=1e-4)
    assert board.ownership == pytest.approx(np.mean(owners, axis=0), abs=1e-5)


@pytest.mark.parametrize("komi", [-1000, -26, 7.5, 26, 300])
@pytest.mark.parametrize("said", [None, 1e3, -1e3])
def test_a_score_and_owners_are_such_as_the_rules_allow(
    net_file: Path, monkeypatch: pytest.MonkeyPatch, komi: float, said: float | None
) -> None:
    """The whole komi counts, of which a net is not shown all; and no more points than there are."""
    rules = CHINESE.model_copy(update={"komi": komi})
    state = Go(GoOptions(size=5, rules=rules)).new_state()
    state.apply_action(12)
    net = Net(net_file, spec_of(5), "f32")
    if said is not None:
        shapes = {"score": (8, 1), "ownership": (8, 5, 5)}
        answers = {name: np.full(shape, said, np.float32) for name, shape in shapes.items()}
        monkeypatch.setattr(net, "predict", lambda planes, outputs=(): answers)
    native = net.native()
    assert isinstance(native, BoardNet)
    board = native.mean(state).board
    mean = board.score_to_move
    assert mean is not None and board.ownership is not None
    assert max(map(abs, board.ownership)) <= 1
    for score in [mean, *native.scores_to_move([state])]:
        points = score - komi  # White is to move
        assert -25 <= points <= 25
        if said is not None:
            assert points == pytest.approx(np.sign(said) * 25)


def test_a_komi_beyond_all_counts_in_whole(net_file: Path) -> None:
    native = Net(net_file, spec_of(5), "f32").native()
    assert isinstance(native, BoardNet)
    games = (Go(GoOptions(size=5, rules=CHINESE.model_copy(update={"komi": k}))) for k in (40, 900))
    near, far = native.scores_to_move([game.new_state() for game in games])
    assert near - far == pytest.approx(860)


def test_scores_of_any_number_of_positions_are_each_its_own(net_file: Path) -> None:
    native, state = Net(net_file, spec_of(5), "f32").native(), Go(GoOptions(size=5)).new_state()
    assert isinstance(native, BoardNet)
    states = [after(state, action) for action in range(2 * AT_ONCE - 7)]
    alone = [native.scores_to_move([each])[0] for each in states]
    assert len(set(alone)) == len(states)
    assert native.scores_to_move(states) == pytest.approx(alone, abs=1e-4)


def test_the_first_look_at_a_board_waits_for_nothing(
    net_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first line of an analysis does, and compiling takes longer than it has."""
    net = Net(net_file, spec_of(9), "f32")
    monkeypatch.delattr(Net, "_worker")
    native = net.native()
    assert isinstance(native, BoardNet)
    native.mean(Go(GoOptions(size=9)).new_state())


def test_fast_arithmetic_says_nearly_the_same(net_file: Path) -> None:
    planes = random_go_planes(13, 16, seed=3)
    exact = Net(net_file, spec_of(13), "f32").predict(planes)
    fast = Net(net_file, spec_of(13)).predict(planes)
    for name, tolerance in {"policy": 0.02, "value": 0.05, "score": 1.0, "ownership": 0.05}.items():
        assert abs(exact[name] - fast[name]).max() < tolerance, name


def test_a_net_of_keras_is_known_by_its_twin(made: Path) -> None:
    net = load(str(made / "go.alphazero.keras"), spec_of(7), ("policy", "value"), "f32")
    assert net.path == made / "go.alphazero.keras"


def test_a_net_of_go_is_for_go_alone(net_file: Path, made: Path) -> None:
    connect4 = NetSpec.of(ConnectFour())
    assert refusal(net_file, connect4) == "expected a net of connect4, found one of 'go'"
    assert refusal(made / "connect4.value.onnx", spec_of(9)) == (
        "expected a net of go, found one of 'connect4'"
    )


def test_a_net_with_other_planes_is_refused(tmp_path: Path) -> None:
    spec = spec_of(9)
    both = {"policy": (82, "Softmax"), "value": (1, "Tanh")}
    path = write_net(tmp_path / "n.onnx", spec, both, planes=(9, 9, 3))
    height, width, planes = spec.planes
    assert refusal(path, spec) == (
        f"expected the input [B, {height}, {width}, {planes}], found [?, 9, 9, 3]"
    )


def test_a_net_for_one_size_is_for_no_other(tmp_path: Path) -> None:
    both = {"policy": (82, "Softmax"), "value": (1, "Tanh")}
    path = write_net(tmp_path / "n.onnx", spec_of(9), both)
    assert Net(path, spec_of(9)).has_value
    assert refusal(path, spec_of(13)).startswith("expected the input [B, 13, 13, ")


@pytest.mark.parametrize(
    ("odd", "complaint"),
    [
        (-2, "expected ownership from -1 to 1 (a tanh), found -2"),
        (-np.inf, "expected numbers as ownership, found -inf"),
    ],
)
def test_an_ownership_beyond_its_range_is_refused(
    tmp_path: Path, odd: float, complaint: str
) -> None:
    path = write_net(tmp_path / "n.onnx", spec_of(2), {"value": (1, "Tanh")})
    add_ownership(path, [[0, odd], [1, 0.5]])
    assert refusal(path, spec_of(2)) == complaint


def test_a_score_that_is_no_number_is_refused(tmp_path: Path) -> None:
    path = write_net(tmp_path / "n.onnx", spec_of(2), {"value": (1, "Tanh"), "score": (1, "Acos")})
    assert refusal(path, spec_of(2)) == "expected numbers as score, found nan"


def test_a_net_that_says_nothing_of_moves_and_who_wins_is_refused(tmp_path: Path) -> None:
    path = write_net(tmp_path / "n.onnx", spec_of(2), {"score": (1, "Identity")})
    assert refusal(path, spec_of(2)).endswith("or one of them, found [?, 1]")


def add_ownership(path: Path, points: list[list[float]]) -> None:
    """An output `ownership` of such points, where no plane is above 1."""
    from onnx import TensorProto, helper, load, numpy_helper, save

    model = load(path)
    model.graph.initializer.append(numpy_helper.from_array(np.array(points, np.float32), "points"))
    most = helper.make_node("ReduceMax", ["planes"], ["most"], axes=[3], keepdims=0)
    model.graph.node.extend([most, helper.make_node("Mul", ["most", "points"], ["ownership"])])
    model.graph.output.append(
        helper.make_tensor_value_info("ownership", TensorProto.FLOAT, ["batch", 2, 2])
    )
    save(model, path)


def test_the_size_of_a_batch_changes_nothing(tmp_path: Path) -> None:
    """Batches are padded to few sizes, as each takes long to compile."""
    net = Net(write_go_net(tmp_path / "go.onnx", spec_of(5).planes[-1]), spec_of(5), "f32")
    planes = random_go_planes(5, 70, seed=4)
    policy = net.predict(planes)["policy"]
    for batch in (1, 2, 4, 5, 16, 17, 64, 65):
        np.testing.assert_allclose(net.predict(planes[:batch])["policy"], policy[:batch], atol=1e-6)


def test_little_of_a_batch_is_padding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A net of Go takes as long for a row of padding as for a position."""
    net = Net(write_go_net(tmp_path / "go.onnx", spec_of(5).planes[-1]), spec_of(5), "f32")
    planes = random_go_planes(5, 70, seed=4)
    rows, workers_for = list[int](), net._workers_for

    def noted(capacity: int) -> Any:
        rows.append(capacity)
        return workers_for(capacity)

    monkeypatch.setattr(net, "_workers_for", noted)
    for batch in range(1, 70):
        rows.clear()
        net.predict(planes[:batch])
        assert batch <= sum(rows) < 4 / 3 * batch
        assert {*rows} <= {1, 4, 16, 64}  # as each takes long to compile
