"""Every stage in miniature, and kills in the middle. All are slow, as TensorFlow is."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gtpcore
from games.begun_folders import write_json
from games.registry import GAMES
from gtpbot.cli import main
from nets.models import make
from nets.spec import NetError
from nets.train import reinforce
from nets.train.actor_critic import ActorCritic
from nets.train.arrays import read_arrays
from nets.train.card import duration
from nets.train.doubts import SettleStage
from nets.train.errors import CheckpointError, TrainingError
from nets.train.experts import coin_games
from nets.train.fit import Lesson, Model, Progress, learn, prepare
from nets.train.keys import position_keys
from nets.train.lockstep import Moves, planes_of, uniform
from nets.train.pipeline import Run
from nets.train.pipelines import PIPELINES
from nets.train.quick import forgetful
from nets.train.records import Records
from nets.train.reinforce import Reinforce
from nets.train.results import finish
from nets.train.solved import Solved
from nets.train.stages import RecordsStage, SelfPlayStage, SupervisedStage
from nets.train.supervised import (
    EXAMINED,
    Supervised,
    accuracy,
    compile_model,
    outputs,
    policy_loss,
    value_loss,
)
from tests.support.killed import Killed

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[3]


def train(*words: str) -> int:
    return main(["train", *words])


def values(model: Model) -> list[np.ndarray[Any, Any]]:
    return [np.array(array) for array in model.get_weights()]


def same(one: Model, other: Model) -> bool:
    pairs = zip(values(one), values(other), strict=True)
    return all(np.array_equal(*pair) for pair in pairs)


def new_model(role: str, game: str = "coin", steps: int | None = 20) -> Model:
    prepare(1)
    model = make(game, role)
    return compile_model(forgetful(model, 0.2, 1) if game == "connect4" else model, 0.01, steps)


def lesson_for(model: Model) -> Lesson:
    """What a model of that role learns in its stage."""
    if model.name == "connect4.alphazero":
        late = Solved(players=[uniform], least_discs=24)
        records = late(gtpcore.ConnectFourState, 48, np.random.default_rng(1))
        return Supervised(model, "connect4", *records.split("connect4", 0), 16, seed=1)
    if model.name == "coin.strong_policy":
        records = coin_games(gtpcore.CoinState, 300, np.random.default_rng(1))
        train, test = records.split("coin", 0)
        return Supervised(model, "coin", train, test, 64, seed=1)
    kind = ActorCritic if "value" in model.output_names else Reinforce
    return kind(model, "coin", gtpcore.CoinState, 8, 5, 0.1, 32, seed=1)


def test_tensorflow_multiplies_by_onednn_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By whatever is imported of the nets, and before that imports Keras."""
    for told, expected in ((None, "1"), ("0", "0")):
        monkeypatch.delenv("TF_ENABLE_ONEDNN_OPTS", raising=False)
        if told:
            monkeypatch.setenv("TF_ENABLE_ONEDNN_OPTS", told)
        asked = (
            "import nets.models, os, sys; assert 'keras' not in sys.modules; "
            "print(os.environ['TF_ENABLE_ONEDNN_OPTS'])"
        )
        found = subprocess.run(
            [sys.executable, "-c", asked], cwd=ROOT, check=True, capture_output=True, text=True
        )
        assert found.stdout.strip() == expected


@pytest.mark.parametrize("game", ["coin", "tictactoe", "connect4"])
def test_the_whole_line_in_miniature(game: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert train(game, "--quick", "--work", str(tmp_path / "work"), "--out", str(out)) == 0
    roles = [stage.name for stage in PIPELINES[game] if stage.has_role]
    assert {file.name for file in out.iterdir()} == {
        role + ending for role in roles for ending in (".keras", ".onnx", ".md", ".png")
    }
    for role in roles:
        card = (out / f"{role}.md").read_text()
        assert "| learned from |" in card
        assert f"`gtpbot train {game} --quick" in card
        assert str(tmp_path) not in card
        assert (out / f"{role}.png").read_bytes().startswith(b"\x89PNG")
    gradient = (out / "policy_gradient.md").read_text()
    assert "| learned from | 16 games against itself |" in gradient  # 8 from one opening, twice
    if game == "connect4":
        settled = (tmp_path / "work" / "settle" / "settle.md").read_text()
        for source in ("openings", "experts"):
            assert f"| policy sound of {source} |" in settled


@pytest.mark.parametrize(
    ("game", "role"),
    [
        ("coin", "strong_policy"),
        ("coin", "policy_gradient"),
        ("coin", "actor_critic"),
        ("connect4", "alphazero"),  # normalized in batches, and shown a part
    ],
)
def test_a_run_that_was_killed_ends_as_one_that_was_not(
    game: str, role: str, tmp_path: Path
) -> None:
    straight = new_model(role, game)
    learn(straight, lesson_for(straight), 6, 2, tmp_path / "straight.npz", "straight")
    killed = new_model(role, game)
    with pytest.raises(KeyboardInterrupt):
        learn(killed, Killed(lesson_for(killed), 5), 6, 2, tmp_path / "k.npz", "killed", threads=3)
    resumed = new_model(role, game)
    progress = learn(resumed, lesson_for(resumed), 6, 2, tmp_path / "k.npz", "resumed", threads=3)
    assert same(straight, resumed)
    assert not same(straight, killed)
    assert [entry["step"] for entry in progress.history] == [2, 4, 6]


KILLED = ["coin", "--quick", "--stage", "strong_policy", "--param", "strong_policy.steps=300",
          "--param", "strong_policy.report=20"]  # fmt: skip


def test_a_process_that_was_killed_ends_as_one_that_was_not(tmp_path: Path) -> None:
    """SIGKILL in the middle of training, then the same command again."""
    killed, straight = tmp_path / "killed", tmp_path / "straight"
    words = [sys.executable, "-m", "gtpbot", "train", *KILLED, "--work", str(killed)]
    checkpoint = killed / "strong_policy" / "checkpoint.npz"
    with subprocess.Popen(words, stderr=subprocess.DEVNULL, cwd=ROOT) as run:
        wait_for(checkpoint, run)
        run.send_signal(signal.SIGKILL)
    steps = json.loads(str(read_arrays(checkpoint)["progress"]))["step"]
    assert 0 < steps < 300
    assert not (killed / "strong_policy" / "done.json").exists()
    for folder in (killed, straight):
        assert train(*KILLED, "--work", str(folder)) == 0
    one, other = (read_arrays(f / "strong_policy" / "checkpoint.npz") for f in (killed, straight))
    assert one.keys() == other.keys()
    assert all(np.array_equal(one[name], other[name]) for name in one if name != "progress")


def wait_for(path: Path, run: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60
    while not path.exists() and run.poll() is None and time.monotonic() < end:
        time.sleep(0.005)
    assert run.poll() is None, "ended before it could be killed"


def test_shards_that_are_missing_are_made_as_they_were(tmp_path: Path) -> None:
    words = ["tictactoe", "--quick", "--stage", "outcomes", "--work", str(tmp_path)]
    assert train(*words) == 0
    folder = tmp_path / "outcomes"
    made = (folder / "00001.npz").read_bytes()
    for name in ("00001.npz", "done.json"):
        (folder / name).unlink()
    assert train(*words) == 0
    assert (folder / "00001.npz").read_bytes() == made


def test_a_checkpoint_of_another_net_or_of_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.npz"
    model = new_model("policy_gradient")
    learn(model, lesson_for(model), 1, 1, path, "")
    other = new_model("actor_critic")
    with pytest.raises(CheckpointError, match="expected the checkpoint of this net"):
        learn(other, lesson_for(other), 2, 1, path, "")
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(CheckpointError, match=r"checkpoint\.npz: expected a checkpoint"):
        learn(model, lesson_for(model), 2, 1, path, "")


@pytest.mark.parametrize(
    ("game", "role", "expected"),
    [
        ("coin", "value", "numbers as value, found nan"),
        ("tictactoe", "fast_policy", "probabilities"),  # before it plays a game
    ],
)
def test_a_net_that_diverged_is_not_delivered(
    game: str, role: str, expected: str, tmp_path: Path
) -> None:
    model = make(game, role)
    model.set_weights([np.full_like(array, np.nan) for array in model.get_weights()])
    run = Run(GAMES[game](), tmp_path, 1, "a test")
    with pytest.raises(NetError, match=rf"{role}\.keras: expected {expected}"):
        finish(model, role, Progress(), {}, run)


def test_supervised_learning_learns_the_rule() -> None:
    model = new_model("strong_policy", steps=120)
    lesson = lesson_for(model)
    for number in range(120):
        lesson.step(lesson.draw(number))
    assert lesson.examine()["policy_accuracy"] == 1


def test_a_net_that_is_taught_nothing_is_not_delivered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--stage", "experts", "--stage", "fast_policy", "--work", str(tmp_path)]
    assert train("coin", "--quick", *words, "--param", "fast_policy.held_out=0.999999") == 2
    said = capsys.readouterr().err
    assert "fast_policy: held_out=0.999999: expected a share that leaves some of" in said
    assert not (tmp_path / "fast_policy" / "fast_policy.keras").exists()


def test_who_settles_doubts_begins_with_what_was_taught(tmp_path: Path) -> None:
    stage = next(each for each in PIPELINES["connect4"] if isinstance(each, SettleStage))
    run = Run(GAMES["connect4"](), tmp_path, 1, "a test")
    taught = make("connect4", "alphazero")
    run.folder("distil").mkdir()
    taught.save(run.folder("distil") / "distil.keras")
    first = stage.first_model(run, "float32")
    for expected, found in zip(taught.get_weights(), first.get_weights(), strict=True):
        assert np.array_equal(expected, found)
    assert stage.sources == ("openings", "experts", "doubts")
    other = make("connect4", "alphazero")
    other.save(tmp_path / "other.keras")
    named = stage.params.model_copy(update={"net": str(tmp_path / "other.keras")})
    first = replace(stage, params=named).first_model(run, "float32")
    for expected, found in zip(other.get_weights(), first.get_weights(), strict=True):
        assert np.array_equal(expected, found)


def test_nobody_is_tested_on_what_the_net_before_was_taught(tmp_path: Path) -> None:
    stage = next(each for each in PIPELINES["connect4"] if isinstance(each, SettleStage))
    run = Run(GAMES["connect4"](), tmp_path, 1, "a test")
    write_json(run.folder("distil") / "settings.json", {"params": {"held_out": 0.02}})
    stage.check(run)
    more = stage.params.model_copy(update={"held_out": 0.03})
    with pytest.raises(TrainingError, match=r"settle.held_out=0.03: expected at most .*, 0.02"):
        replace(stage, params=more).check(run)


@pytest.mark.parametrize(
    ("role", "words"),
    [
        ("value", "1,000 other positions, many of the same games"),
        ("distil", "1,000 other positions"),
    ],
)
def test_a_card_says_if_positions_are_of_games_that_were_learned_from(
    role: str, words: str, tmp_path: Path
) -> None:
    run = Run(GAMES["connect4"](), tmp_path, 1, "a test")
    stages = {stage.name: stage for stage in PIPELINES["connect4"]}
    stage = stages[role]
    assert isinstance(stage, SupervisedStage)
    for name in stage.needs:
        source = stages[name]
        assert isinstance(source, RecordsStage)
        write_json(run.folder(name) / "done.json", {"by_games": source.by_games})
    assert stage.tested_on(1_000, run) == words
    assert stage.tested_on(0, run) == "the same positions"


def test_a_card_is_written_whatever_the_files_are_called(tmp_path: Path) -> None:
    run = Run(GAMES["coin"](), tmp_path, 1, "gtpbot train coin --work w\udcff")
    progress = Progress(1, 0.0, [{"step": 1.0, "loss": 1.0}])
    finish(make("coin", "fast_policy"), "fast_policy", progress, {}, run, rated=False)
    assert "--work w?`" in (tmp_path / "fast_policy" / "fast_policy.md").read_text()


def test_every_position_is_seen_once_an_epoch() -> None:
    records = coin_games(gtpcore.CoinState, 128, np.random.default_rng(1))
    model = new_model("strong_policy")
    lesson = Supervised(model, "coin", records, records[np.zeros(0, int)], 32, seed=3)
    seen = [np.asarray(lesson.draw(number)[0]) for number in range(8)]
    for epoch in (seen[:4], seen[4:]):
        cells = np.concatenate(epoch).sum(axis=(1, 2, 3))
        assert sorted(cells) == sorted(records.batch().planes.sum(axis=(1, 2, 3)))
    assert not np.array_equal(seen[0], seen[4])


def test_what_is_examined_is_drawn_from_all_that_is_tested_on() -> None:
    """From the first source alone a net may err in all, though it knows the others."""
    one = coin_games(gtpcore.CoinState, 1, np.random.default_rng(1))
    known, unknown = (one[np.zeros(EXAMINED, int)] for _ in range(2))
    wrong = replace(unknown, policy=np.roll(unknown.policy, 1, axis=1))
    model = new_model("strong_policy", steps=60)
    lesson = Supervised(model, "coin", known, Records.join([known, wrong]), 64, seed=1)
    for number in range(60):
        lesson.step(lesson.draw(number))
    assert lesson.examine()["policy_accuracy"] == pytest.approx(0.5, abs=0.03)
    assert lesson.examine() == lesson.examine()


def some_moves(action: int, value: float) -> Moves:
    """One and the same move of the coin game, many times, which ended so."""
    planes = np.repeat(planes_of([gtpcore.CoinState()]).astype(np.uint8), 32, axis=0)
    return Moves(
        planes,
        np.full(32, action),
        np.arange(32),
        np.zeros(32, np.int8),
        np.full(32, value, np.float32),
    )


@pytest.mark.parametrize(("value", "sign"), [(1.0, 1), (-1.0, -1)])
@pytest.mark.parametrize("action", [0, 1])
def test_moves_that_won_become_likelier(value: float, sign: int, action: int) -> None:
    model = new_model("policy_gradient")
    lesson = lesson_for(model)
    assert isinstance(lesson, Reinforce)
    moves = some_moves(action, value)
    planes = moves.planes[:1].astype(np.float32)
    before = outputs(model, planes)["policy"][0, action]
    lesson._learn(moves, moves.value, np.random.default_rng(1))
    assert sign * (outputs(model, planes)["policy"][0, action] - before) > 0


@pytest.mark.parametrize(("explore", "seen"), [(0.0, {0}), (0.5, {0, 1})])
def test_exploring_shows_moves_that_the_policy_never_makes(
    explore: float, seen: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    sure = np.array([1.0, 0.0], np.float32)
    monkeypatch.setattr(reinforce, "policy_of", lambda model: lambda x: np.tile(sure, (len(x), 1)))
    actions: set[int] = set()
    lesson = Reinforce(None, "coin", gtpcore.CoinState, 16, 0, explore, 32, seed=1)
    monkeypatch.setattr(lesson, "_learn", lambda moves, *_: actions.update(moves.action.tolist()))
    lesson.step(lesson.draw(0))
    assert actions == seen


def test_excluded_positions_are_played_and_judged_but_not_learned_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reinforce, "policy_of", lambda model: lambda x: np.full((len(x), 2), 0.5))
    every: set[int] = set()
    learned: set[int] = set()

    class Spy(Reinforce):
        def advantages(self, moves: Moves) -> np.ndarray[Any, Any]:
            every.update(moves.planes.sum(axis=(1, 2, 3)).tolist())
            return moves.value

        def _learn(self, moves: Moves, advantages: np.ndarray[Any, Any], rng: Any) -> None:
            assert np.array_equal(advantages, moves.value)
            learned.update(moves.planes.sum(axis=(1, 2, 3)).tolist())

    state = gtpcore.CoinState()
    state.apply_action(0)
    excluded = position_keys("coin", planes_of([state]))
    lesson = Spy(None, "coin", gtpcore.CoinState, 64, 0, 0.0, 32, 1, excluded)
    lesson.step(lesson.draw(0))
    assert every - learned == {int(state.planes().sum())}


def test_each_move_is_learned_from_with_its_own_advantage(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(reinforce, "train_on", lambda model, *learned: seen.append(learned))
    moves = some_moves(0, 1.0)
    moves.value[:] = np.linspace(-1, 1, 32)
    lesson = Reinforce(None, "coin", gtpcore.CoinState, 8, 0, 0.0, batch=20, seed=1)
    lesson._learn(moves, 3 * moves.value, np.random.default_rng(1))
    for batch, weights in seen:
        assert np.array_equal(weights["policy"], 3 * batch.value)
        assert (weights["value"] == 1).all()  # lost or won, that is what it came to
    assert set(np.concatenate([batch.value for batch, _ in seen])) == set(moves.value)


def test_a_baseline_is_of_games_from_one_opening(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reinforce, "policy_of", lambda model: lambda x: np.full((len(x), 2), 0.5))
    lesson = Reinforce(None, "coin", gtpcore.CoinState, 32, 5, 0.0, 32, seed=1)
    seen: list[Moves] = []
    monkeypatch.setattr(lesson, "_learn", lambda moves, *_: seen.append(moves))
    lesson.step(lesson.draw(0))
    _, first = np.unique(seen[0].game, return_index=True)
    openings = seen[0].planes[first].sum(axis=(1, 2, 3)).reshape(-1, reinforce.REPEATS)
    assert (openings == openings[:, :1]).all() and len(set(openings[:, 0])) > 1


def test_self_play_goes_on_from_what_it_needs_and_normalizes_as_when_it_plays(
    tmp_path: Path,
) -> None:
    stage = next(each for each in PIPELINES["connect4"] if each.name == "policy_gradient")
    assert isinstance(stage, SelfPlayStage)
    run = Run(GAMES["connect4"](), tmp_path, 1, "a test")
    taught = make("connect4", "strong_policy")
    run.folder("strong_policy").mkdir()
    taught.save(run.folder("strong_policy") / "strong_policy.keras")
    first = stage._first_model(run)
    assert same(first, taught)
    scales = [
        {v.path for v in net.trainable_variables if v.name == "gamma"} for net in (taught, first)
    ]
    assert scales[0] and not scales[1]


def test_the_baseline_of_reinforce_is_each_players_mean_from_the_same_opening() -> None:
    lesson = Reinforce(None, "coin", gtpcore.CoinState, 32, 5, 0.0, 32, seed=1)
    moves = some_moves(0, 1.0)  # eight games of each of four openings, a move each
    moves.value[:4] = -1
    moves.player[8:16] = 1
    moves.value[8:10] = -1
    moves.player[30:] = 1
    moves.value[30] = -1
    expected = np.repeat([-1.0, 1.0, -1.5, 0.5, 0.0, -1.0, 1.0], (4, 4, 2, 6, 14, 1, 1))
    assert np.array_equal(lesson.advantages(moves), expected)


def test_the_baseline_of_an_actor_critic_is_its_value() -> None:
    model = new_model("actor_critic")
    lesson = lesson_for(model)
    assert isinstance(lesson, ActorCritic)
    moves = some_moves(0, 1.0)
    value = outputs(model, moves.planes.astype(np.float32))["value"]
    assert np.allclose(lesson.advantages(moves), 1 - value)


@dataclass
class Fixed:
    """A net that says the same of every position."""

    found: Mapping[str, Any]
    output_names: list[str] = field(default_factory=list)

    def predict_on_batch(self, planes: np.ndarray[Any, Any]) -> dict[str, np.ndarray[Any, Any]]:
        return {name: np.tile(np.array(row), (len(planes), 1)) for name, row in self.found.items()}


def test_accuracy_counts_any_of_the_best_moves() -> None:
    records = coin_games(gtpcore.CoinState, 90, np.random.default_rng(1))
    share = float(records.batch().policy[:, 1].mean())
    figures = accuracy(Fixed({"policy": [0.1, 0.9], "value": [0.5]}), records)
    assert figures["policy_accuracy"] == pytest.approx(share)
    assert figures["value_error"] == pytest.approx(0.5)  # all are won


@pytest.mark.parametrize(
    ("sound", "expected"),
    [
        (0, -np.log(0.2) / 2 - np.log(0.3) / 2),
        (1, -np.log(0.2 + 0.3)),
        (0.5, -np.log(0.2) / 4 - np.log(0.3) / 4 - np.log(0.5) / 2),
    ],
)
def test_a_policy_may_be_asked_for_any_sound_move(sound: float, expected: float) -> None:
    target, policy = np.array([[0.5, 0.5, 0]]), np.array([[0.2, 0.3, 0.5]])
    assert np.asarray(policy_loss(sound, target, policy)) == pytest.approx([expected], abs=1e-5)


def test_the_loss_of_a_value_is_that_of_how_likely_a_win_is() -> None:
    target, value = np.array([[1.0], [-1], [0]]), np.array([[0.5], [0.5], [0.5]])
    expected = -np.log([0.75, 0.25, np.sqrt(0.75 * 0.25)])
    assert np.asarray(value_loss(target, value)) == pytest.approx(expected, abs=1e-5)


def test_a_sound_move_need_not_be_the_best() -> None:
    policy = np.array([[0.3, 0.7], [0.7, 0.3], [1, 0]])
    records = Records.pack(np.zeros((3, 1, 21, 1)), policy, [1, 1, -1])
    figures = accuracy(Fixed({"policy": [0.1, 0.9]}), records)
    assert figures["policy_accuracy"] == pytest.approx(1 / 3)
    assert figures["policy_sound"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("seconds", "text"), [(41.7, "42 s"), (185, "3 min 5 s"), (7_800, "2 h 10 min")]
)
def test_durations_as_people_say_them(seconds: float, text: str) -> None:
    assert duration(seconds) == text
