"""The fast policy of Go: it learns what games show, and its file is what the core reads."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gtpcore
from games.go import Go
from games.go_rules import TROMP_TAYLOR
from games.position import Position
from nets.files import WEIGHTS
from nets.train.arrays import write_arrays
from nets.train.errors import TrainingError
from nets.train.go_fast import FIRST_KEYS, RARE_SHAPE, SELF_ATARI, Examples, FastPolicy, examples
from nets.train.go_games import GoGame, judge
from nets.train.go_records import GoGames
from nets.train.go_rollout import GoRolloutParams, GoRolloutStage
from nets.train.pipeline import Run
from nets.train.results import deliver
from search.agent import Limits
from search.rave import RaveAgent, RaveParams

MOVES = 24


def corner_games(count: int) -> GoGames:
    """Games whose players fill the board from the left of the bottom row, in order."""
    moves = np.arange(MOVES, dtype=np.uint16)
    unknown = np.full(MOVES, np.nan, np.float16)
    game = GoGame(
        source="test", size=9, rules=TROMP_TAYLOR, komi=7.0, moves=moves,
        top_moves=np.zeros((MOVES, 0), np.uint16), top_probs=np.zeros((MOVES, 0), np.uint8),
        black_value=unknown, black_score=unknown, result=None,
    )  # fmt: skip
    return GoGames.pack([(game, judge(game))] * count)


def all_examples(count: int = 1) -> Examples:
    return examples(corner_games(count), 1.0, np.random.default_rng(1))


def test_examples_are_the_candidates_and_the_label() -> None:
    found = all_examples()
    assert len(found) == MOVES
    assert found.keys.shape == (len(found.target), gtpcore.GoFastPolicy.MOST_FEATURES)
    assert found.keys[:, 0].all()
    sums = np.add.reduceat(found.target, found.start[:-1])
    assert np.allclose(sums, 1)
    assert np.diff(found.start).argmax() > 0  # the empty board does not come first
    half = examples(corner_games(4), 0.5, np.random.default_rng(1))
    assert len(half) == pytest.approx(2 * MOVES, abs=MOVES / 2)


def test_labels_are_the_likeliest_moves() -> None:
    games = corner_games(1)
    top = np.zeros((MOVES, 2), np.uint16)
    top[:] = (3, 81)
    probs = np.full((MOVES, 2), (102, 51), np.uint8)
    soft = GoGames(**{**vars(games), "top_moves": top, "top_probs": probs})
    policy = soft.policy(np.array([0]))[0]
    assert policy[3] == pytest.approx(2 / 3, abs=1e-3)
    assert policy[81] == pytest.approx(1 / 3, abs=1e-3)
    # The pass is left out, and what remains is all there is.
    found = examples(soft, 1.0, np.random.default_rng(1))
    assert np.allclose(np.add.reduceat(found.target, found.start[:-1]), 1)
    passing = replace(soft, top_probs=probs[:, ::-1].copy())
    assert not len(examples(passing, 1.0, np.random.default_rng(1)))


def test_it_learns_what_it_is_shown() -> None:
    found = all_examples(4)
    policy = FastPolicy(least_seen=4, rate=0.3)
    policy.learn(found, batch=8)
    early = policy.examine(found)["log_loss"]
    for _ in range(10):
        policy.learn(found, batch=8)
    figures = policy.examine(found)
    assert figures["log_loss"] < early
    assert figures["accuracy"] > 0.8


def test_the_gradient_is_that_of_the_cross_entropy() -> None:
    found = all_examples()
    policy = FastPolicy(least_seen=1, rate=1e-4)
    policy.count(found.keys)
    policy.weights[:] = np.random.default_rng(2).normal(size=len(policy.keys))
    policy.weights[SELF_ATARI] = -1  # at most 0, so that a step is free
    before, places = policy.weights.copy(), policy.places(found.keys)
    loss = policy.examine(found)["log_loss"]
    policy.squares[:] = 1e12  # steps so small that they are the gradient
    policy.rate = 1e5
    policy.teach(places, found.start, found.target)
    gradient = (before - policy.weights) * 1e6 / policy.rate
    for feature in np.argsort(-np.abs(gradient))[:5]:
        policy.weights[:] = before
        policy.weights[feature] += 1e-5
        slope = (policy.examine(found)["log_loss"] - loss) / 1e-5
        assert slope == pytest.approx(gradient[feature], rel=1e-2)


def test_steps_shorten_as_adagrad_has_them_and_self_atari_is_never_liked() -> None:
    policy = FastPolicy(least_seen=1, rate=0.5)
    places = np.array([[1, 0], [2, SELF_ATARI.start]])
    for _ in range(2):
        policy.teach(places, np.array([0, 2]), np.array([0, 1], np.float32))
    # The gradients are 1 / 2 and then 1 / (1 + e).
    second = 1 / (1 + np.e)
    expected = 0.5 + 0.5 * second / np.hypot(0.5, second)
    found = policy.weights[[0, 1, 2, SELF_ATARI.start]]
    assert found == pytest.approx([0, -expected, expected, 0], abs=1e-3)


def test_seldom_features_count_for_nothing_and_seldom_shapes_as_rare() -> None:
    policy = FastPolicy(least_seen=2, rate=0.1)
    shape, diamond = np.uint32(gtpcore.GoFastPolicy.SHAPE), np.uint32(gtpcore.GoFastPolicy.DIAMOND)
    rare, common = shape + np.uint32(5), shape + np.uint32(9)
    policy.count(np.array([common, common, diamond], np.uint32))
    policy.weights[np.searchsorted(policy.keys, common)] = 7
    policy.count(np.array([rare], np.uint32))
    places = policy.places(np.array([0, rare, common, diamond, common + 1], np.uint32))
    assert places.tolist()[:2] == [0, RARE_SHAPE]
    assert policy.keys[places[2]] == common
    assert policy.weights[places[2]] == 7
    assert places.tolist()[3:] == [0, RARE_SHAPE]
    assert (policy.places(FIRST_KEYS) == np.arange(len(FIRST_KEYS))).all()  # seen or not


def test_a_policy_goes_on_where_it_was(tmp_path: Path) -> None:
    found = all_examples()
    one, other = FastPolicy(1, 0.1), FastPolicy(1, 0.1)
    one.learn(found, 4)
    other.restore(one.state())
    one.learn(found, 4)
    other.learn(found, 4)
    assert one.file() == other.file()


def test_the_core_plays_by_the_file() -> None:
    policy = FastPolicy(1, 0.3)
    policy.learn(all_examples(), 4)
    evaluator = gtpcore.GoFastPolicy(policy.file())
    state = gtpcore.GoState(9)
    value = evaluator.mean_value(state, 20, 1)
    assert value == evaluator.mean_value(state, 20, 1)
    assert -1 <= value <= 1


@pytest.mark.parametrize("damage", [lambda f: f[:-1], lambda f: f[:15], lambda f: b"x" + f, lambda f: f[:40] + b"?" + f[41:]])  # fmt: skip  # noqa: E501
def test_a_damaged_file_is_refused(damage: object) -> None:
    policy = FastPolicy(1, 0.3)
    policy.learn(all_examples(), 4)
    assert callable(damage)
    with pytest.raises(ValueError, match="weights of a fast policy of Go: "):
        gtpcore.GoFastPolicy(damage(policy.file()))


def test_the_stage_goes_on_after_the_last_shard_that_it_learned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder, count in (("train/09-00000", 2), ("train/09-00001", 3), ("test/09-00000", 1)):
        corner_games(count).save(tmp_path / "games" / f"{folder}.npz")
    run = Run(Go(), tmp_path, seed=1, command="gtpbot train go")
    stage = GoRolloutStage("rollout", ("games",), GoRolloutParams(least_seen=1, epochs=2))
    (tmp_path / "rollout").mkdir()
    stage.run(run)
    whole = (tmp_path / "rollout" / "rollout.bin").read_bytes()
    assert "accuracy 9x9" in (tmp_path / "rollout" / "rollout.md").read_text()
    replace(stage, params=GoRolloutParams(least_seen=1, epochs=1)).run(run)  # has gone beyond
    assert (tmp_path / "rollout" / "rollout.bin").read_bytes() == whole
    (tmp_path / "rollout" / "checkpoint.npz").unlink()
    replace(stage, params=GoRolloutParams(least_seen=1, epochs=1)).run(run)
    assert (tmp_path / "rollout" / "rollout.bin").read_bytes() != whole
    capsys.readouterr()
    stage.run(run)
    assert "| 2/4 [" in (told := capsys.readouterr().err) and "| 4/4 [" in told
    assert (tmp_path / "rollout" / "rollout.bin").read_bytes() == whole
    deliver(stage, run, tmp_path / "shipped")
    policy, card = sorted((tmp_path / "shipped").iterdir())
    assert (policy.name, card.name) == ("rollout.bin", "rollout.md")
    assert policy.read_bytes() == whole


def test_a_damaged_checkpoint_is_no_beginning(tmp_path: Path) -> None:
    corner_games(2).save(tmp_path / "games" / "train" / "09-00000.npz")
    (tmp_path / "rollout").mkdir()
    checkpoint = tmp_path / "rollout" / "checkpoint.npz"
    stage = GoRolloutStage("rollout", ("games",), GoRolloutParams())
    of_another = FastPolicy(1, 0.1).state() | {"next": np.zeros(2)}
    write_arrays(checkpoint, of_another)
    for content in (checkpoint.read_bytes(), b"PK"):
        checkpoint.write_bytes(content)
        with pytest.raises(TrainingError, match=r"checkpoint\.npz: .*--again"):
            stage.run(Run(Go(), tmp_path, seed=1, command="gtpbot train go"))


def test_the_policy_that_ships_is_read() -> None:
    shipped = WEIGHTS / "go" / "rollout.bin"
    agent = RaveAgent(RaveParams(seed=1, rollout=shipped))
    decision = agent.choose(Position(Go()), Limits(playouts=20))
    assert decision.action is not None


def test_an_agent_refuses_a_file_that_is_no_policy(tmp_path: Path) -> None:
    for path, why in ((tmp_path, "Is a directory"), (tmp_path / "none.bin", "No such file")):
        with pytest.raises(ValueError, match=f"{path}: it cannot be read: {why}"):
            RaveParams(rollout=path)
    (tmp_path / "other.bin").write_bytes(b"GOFAST01")
    with pytest.raises(ValueError, match=r"other\.bin: .*cut off"):
        RaveParams(rollout=tmp_path / "other.bin")
