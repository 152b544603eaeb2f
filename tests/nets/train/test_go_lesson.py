"""A net of Go learns from games: its losses, its figures, and kills in the middle."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from games.go import Go
from gtpbot.cli import main
from nets.models import make
from nets.symmetry import go_symmetries
from nets.train.errors import CheckpointError
from nets.train.fit import Model, learn, prepare
from nets.train.go_games import UNKNOWN, judge
from nets.train.go_lesson import GoLesson, LossWeights, accuracy, compile_go, faces_of, go_example
from nets.train.go_records import GoBatch, ShardWriter, count_games, shards_by_size
from nets.train.go_stages import GoFitParams, GoNetStage
from nets.train.go_stream import Stream, Turns
from nets.train.go_zero import GoZeroParams, GoZeroStage
from nets.train.pipeline import Run
from nets.train.supervised import train_by
from tests.support.go_games import packed, random_game, write_labelled
from tests.support.killed import Killed

EVEN = LossWeights(1, 1, 1, 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Shards of 4x4 and 5x5."""
    path = tmp_path_factory.mktemp("shards")
    writer = ShardWriter(path, 40)
    for seed in range(12):
        game = random_game(4 + seed % 2, 16, seed)
        writer.add(game, judge(game))
    writer.close()
    return path


def begun(folder: Path, weights: LossWeights = EVEN, width: int = 8) -> tuple[Model, GoLesson]:
    """A net of few channels, and its lesson in the games of a folder."""
    prepare(1)
    model = make("go", "alphazero", width, 1)
    shards = shards_by_size(folder)
    faces = faces_of(model, shards)
    compile_go(model, faces, 0.01, 50, weights)
    streams = {size: Stream(paths, 16, 2, 1) for size, paths in shards.items()}
    turns = Turns(dict.fromkeys(shards, 1.0), 1)
    return model, GoLesson(faces, streams, turns, streams, seed=1)


def weights_of(model: Model) -> list[NDArray[Any]]:
    return [np.array(array) for array in model.get_weights()]


def same(one: Model, other: Model) -> bool:
    pairs = zip(weights_of(one), weights_of(other), strict=True)
    return all(np.array_equal(*pair) for pair in pairs)


@pytest.mark.slow
def test_a_run_that_was_killed_ends_as_one_that_was_not(folder: Path, tmp_path: Path) -> None:
    straight, lesson = begun(folder)
    learn(straight, lesson, 6, 2, tmp_path / "straight.npz", "straight")
    killed, lesson = begun(folder)
    with pytest.raises(KeyboardInterrupt):
        learn(killed, Killed(lesson, 5), 6, 2, tmp_path / "k.npz", "killed", threads=3)
    resumed, lesson = begun(folder)
    learn(resumed, lesson, 6, 2, tmp_path / "k.npz", "resumed", threads=3)
    assert same(straight, resumed)
    assert not same(straight, killed)


@pytest.mark.slow
def test_a_step_makes_no_variables(folder: Path) -> None:
    """TensorFlow traces one that does a second time."""
    _, lesson = begun(folder)
    before = {size: len(face.metrics_variables) for size, face in lesson.faces.items()}
    for number in range(2):
        lesson.step(lesson.draw(number))
    assert {size: len(face.metrics_variables) for size, face in lesson.faces.items()} == before


@pytest.mark.slow
def test_layers_are_called_the_same_however_many_nets_there_were(folder: Path) -> None:
    """Or a run that was resumed would sum in another order."""

    def names(net: Model) -> list[str]:
        inner = [layer for layer in net.layers if hasattr(layer, "layers")]
        return [
            net.name,
            *(layer.name for layer in net.layers),
            *(n for i in inner for n in names(i)),
        ]

    _, one = begun(folder)
    model, other = begun(folder)
    of_next_generation = faces_of(model, other.faces)
    for size, face in one.faces.items():
        assert len(names(face)) > 30
        assert names(face) == names(other.faces[size]) == names(of_next_generation[size])


@pytest.mark.slow
def test_every_output_is_learned(folder: Path) -> None:
    _, lesson = begun(folder)
    batch = lesson.streams[5].draw(0)
    losses = [train_by(lesson.faces[5], go_example(batch)) for _ in range(40)]
    for name in ("policy_loss", "value_loss", "score_loss", "ownership_loss"):
        assert losses[-1][name] < 0.9 * losses[0][name], name


@pytest.mark.slow
def test_what_is_not_known_teaches_nothing(folder: Path) -> None:
    _, lesson = begun(folder, LossWeights(0, 0, 1, 1))
    batch = packed([random_game(5, 16, 1)]).batch(np.arange(16))
    nothing = np.zeros(16, np.float32)
    assert train_by(lesson.faces[5], go_example(batch))["loss"] > 0
    for known in ({"has_score": nothing}, {"has_ownership": nothing}):
        assert train_by(lesson.faces[5], go_example(replace(batch, **known)))["loss"] > 0
    unknown = replace(batch, has_score=nothing, has_ownership=nothing)
    assert train_by(lesson.faces[5], go_example(unknown))["loss"] == 0


def test_each_position_is_learned_in_an_image_drawn_at_random(folder: Path) -> None:
    _, lesson = begun(folder)
    size, place = lesson.turns.turn(3)
    straight = lesson.streams[size].draw(place)
    _, (planes, targets, _) = lesson.draw(3)
    agreeing = np.array(
        [
            (image.planes(straight.planes) == np.asarray(planes)).all(axis=(1, 2, 3))
            & (image.policy(straight.policy) == np.asarray(targets["policy"])).all(axis=1)
            for image in go_symmetries(size)
        ]
    )
    assert agreeing.any(axis=0).all()
    assert agreeing.any(axis=1).sum() > 4


class Says:
    """A net that says of every position what a batch has as its targets, but for some changes."""

    def __init__(self, batch: GoBatch, **changed: Any) -> None:
        self.found = {
            "policy": batch.policy,
            "value": batch.value[:, None],
            "score": batch.score[:, None],
            "ownership": batch.ownership,
            **changed,
        }

    def predict_on_batch(self, planes: NDArray[Any]) -> Mapping[str, NDArray[Any]]:
        rows = np.arange(len(planes)) % len(self.found["policy"])
        return {name: array[rows] for name, array in self.found.items()}


class Batches:
    """A stream of one batch."""

    epoch = 1

    def __init__(self, batch: GoBatch) -> None:
        self.batch = batch

    def draw(self, number: int) -> GoBatch:
        return self.batch


def test_figures_of_a_net_that_is_right_and_of_one_that_is_wrong() -> None:
    games = packed([random_game(5, 16, 1)])
    games.owner[:] = 1
    batch = games.batch(np.arange(16))
    tested: Any = {5: Batches(batch)}
    right = accuracy({5: Says(batch)}, tested, 9)
    assert right == {
        "policy_accuracy_5x5": 1, "value_mse": 0, "score_error": 0, "ownership_error": 0,
    }  # fmt: skip
    wrong = Says(
        batch,
        policy=np.roll(batch.policy, 1, axis=1),
        value=batch.value[:, None] + 0.5,
        score=batch.score[:, None] - 3,
        ownership=-batch.ownership,
    )
    assert accuracy({5: wrong}, tested, 9) == pytest.approx({
        "policy_accuracy_5x5": 0, "value_mse": 0.25, "score_error": 3, "ownership_error": 2,
    })  # fmt: skip


def test_figures_leave_out_what_is_not_known() -> None:
    games = packed([random_game(5, 16, seed) for seed in (1, 2)])
    games.owner[1] = UNKNOWN
    batch = games.batch(np.arange(32))
    tested: Any = {5: Batches(batch)}
    off = np.repeat([1, 5], 16)[:, None, None]
    figures = accuracy({5: Says(batch, ownership=batch.ownership + off)}, tested, 1)
    assert figures["ownership_error"] == pytest.approx(1)
    games.owner[:] = UNKNOWN
    batch = games.batch(np.arange(32))
    figures = accuracy({5: Says(batch)}, {5: Batches(batch)}, 1)  # type: ignore[dict-item]
    assert figures.keys() == {"policy_accuracy_5x5", "value_mse", "score_error"}


def test_rounding_does_not_change_the_first_choice() -> None:
    game = random_game(5, 16, 1)
    game.top_probs[:] = 9
    batch = packed([game]).batch(np.arange(16))
    assert batch.policy.argmax(axis=1).tolist() == game.top_moves[:, 0].tolist()


def train(source: Path, work: Path, *words: str) -> int:
    command = ["train", "go", "--quick", "--from", str(source), "--work", str(work), *words]
    return main(command)


@pytest.mark.slow
def test_the_whole_line_in_miniature(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, work = tmp_path / "games", tmp_path / "work"
    source.mkdir()
    write_labelled(source / "games.npz", [random_game(5, 16, seed) for seed in range(12)])
    write_labelled(source / "few.npz", [random_game(4, 10, 1)])
    (source / "broken.sgf").write_text("")
    settings = ["--param", "games.held_out=0.3", "--param", "alphazero.sizes=5:1"]
    assert train(source, work, *settings, "--out", str(tmp_path / "out")) == 0
    err = capsys.readouterr().err
    assert "left out 1: unreadable file, such as " in err
    names = {file.name for file in (tmp_path / "out").iterdir()}
    net = {f"alphazero.{ending}" for ending in ("keras", "onnx", "md", "png")}
    assert names == net | {"rollout.bin", "rollout.md"}
    card = (tmp_path / "out" / "alphazero.md").read_text()
    for row in ("| net | planes any x any x", "| policy accuracy 5x5 |", "| tested on | "):
        assert row in card
    shards = shards_by_size(work / "games" / "train")
    assert shards.keys() == {4, 5}
    assert f"| learned from | {sum(count_games(shards[5]))} games |" in card
    assert "accuracy 4x4" not in card  # of which there are no other games
    assert str(tmp_path) not in card
    assert train(source, work, *settings) == 0
    assert "alphazero: done already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--stage", "games"], "cannot train: no games to learn from: give --from DIR"),
        (["--from", "nowhere"], "nowhere: expected a folder of games, .npz or .sgf"),
        (["--from", ".", "--exclude", __file__], "is for positions of other games than Go"),
        (["--param", "alphazero.sizes=9"], "stage alphazero: sizes '9': "),
    ],
)
def test_a_mistake_is_told(
    words: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "go", "--work", str(tmp_path), *words]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["--from", "nowhere"], ["--exclude", __file__]])
def test_after_a_mistake_the_right_command_begins(words: list[str], tmp_path: Path) -> None:
    source, work = tmp_path / "games", tmp_path / "work"
    source.mkdir()
    write_labelled(source / "games.npz", [random_game(5, 16, seed) for seed in range(3)])
    wrong = ["train", "go", "--work", str(work), "--stage", "games", *words]
    assert main(wrong) == 2
    assert train(source, work, "--stage", "games") == 0
    assert main([*wrong, "--again"]) == 2
    assert (work / "games" / "done.json").exists(), "what is there must outlive a mistake"


@pytest.mark.parametrize("inside", ["", "games", "games/train"])
def test_games_are_not_kept_where_results_go(
    inside: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / inside
    source.mkdir(parents=True, exist_ok=True)
    write_labelled(source / "games.npz", [random_game(5, 16, seed) for seed in range(3)])
    assert train(source, tmp_path, "--stage", "games", "--again") == 2
    assert f"--from {source}: results go there: " in capsys.readouterr().err
    assert [path.name for path in tmp_path.rglob("*.npz")] == ["games.npz"]


@pytest.mark.slow
def test_misprints_are_not_held_against_the_right_command(tmp_path: Path) -> None:
    source, work = tmp_path / "games", tmp_path / "work"
    source.mkdir()
    write_labelled(source / "games.npz", [random_game(5, 16, seed) for seed in range(3)])
    words = ["--stage", "alphazero", "--param", "games.held_out=0"]
    for wrong in ("alphazero.net=typo.keras", "alphazero.sizes=9:1", "alphazero.kept=0.5"):
        assert train(source, work, *words, "--param", wrong) == 2
    assert train(source, work, *words) == 0


@pytest.mark.slow
def test_a_share_of_the_net_begun_with_is_kept(tmp_path: Path) -> None:
    import keras

    source = tmp_path / "games"
    source.mkdir()
    write_labelled(source / "games.npz", [random_game(5, 16, seed) for seed in range(3)])
    settings = ["--stage", "alphazero", "--param", "games.held_out=0"]

    def taught(name: str, *params: str) -> list[NDArray[np.float32]]:
        words = [word for param in params for word in ("--param", param)]
        assert train(source, tmp_path / name, *settings, *words) == 0
        weights: list[NDArray[np.float32]] = keras.saving.load_model(
            tmp_path / name / "alphazero" / "alphazero.keras", compile=False
        ).get_weights()
        return weights

    first = make("go", "alphazero", 8, 1)
    first.save(tmp_path / "first.keras")
    known, net = first.get_weights(), f"alphazero.net={tmp_path / 'first.keras'}"
    learned, kept = taught("all", net), taught("three_quarters", net, "alphazero.kept=0.25")
    assert max(np.abs(new - old).max() for old, new in zip(known, learned, strict=True)) > 0.01
    for old, new, mean in zip(known, learned, kept, strict=True):
        np.testing.assert_allclose(mean, 0.25 * old + 0.75 * new, atol=1e-3)


def test_other_games_in_the_same_folder_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, work = tmp_path / "games", tmp_path / "games" / "work"
    source.mkdir()
    write_labelled(source / "games.npz", [random_game(5, 16, seed) for seed in range(3)])
    for _ in range(2):
        assert train(source, work, "--stage", "games") == 0
    assert "games: done already" in capsys.readouterr().err
    write_labelled(source / "more.npz", [random_game(5, 16, 9)])
    assert train(source, work, "--stage", "games") == 2
    assert "was begun with other settings (files of games '" in capsys.readouterr().err


@pytest.mark.parametrize(
    "stage",
    [
        GoNetStage("alphazero", (), GoFitParams(net="net.keras")),
        GoZeroStage("alphazero", (), GoZeroParams(net="net.keras")),
    ],
)
def test_a_net_to_begin_with_is_told_from_others_but_not_from_its_own_result(
    stage: GoNetStage | GoZeroStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = Run(Go(), tmp_path / "work", 1, "a test")
    assert stage.inputs(run) == {}
    found = []
    for content in (b"one", b"another"):
        Path("net.keras").write_bytes(content)
        found.append(stage.inputs(run)["net"])
    assert found[0] != found[1]
    run.folder("alphazero").mkdir(parents=True)
    (run.folder("alphazero") / "alphazero.keras").write_bytes(b"another")
    assert stage.inputs(run) == {}


@pytest.mark.slow
def test_the_checkpoint_of_another_net_is_refused(folder: Path, tmp_path: Path) -> None:
    model, lesson = begun(folder)
    learn(model, lesson, 1, 1, tmp_path / "c.npz", "")
    other, lesson = begun(folder, width=16)
    with pytest.raises(CheckpointError, match="expected the checkpoint of this net"):
        learn(other, lesson, 2, 1, tmp_path / "c.npz", "")


@pytest.mark.slow
def test_nets_that_learned_with_other_traces_are_examined_alike(tmp_path: Path) -> None:
    """By the figures of one that learns next to nothing."""
    source = tmp_path / "games"
    source.mkdir()
    write_labelled(source / "games.npz", [random_game(5, 16, seed) for seed in range(12)])
    found = []
    for trace in ("0", "0.9"):
        out = tmp_path / trace
        settings = ["games.held_out=0.3", f"alphazero.trace={trace}", "alphazero.rate=1e-12"]
        words = [word for setting in settings for word in ("--param", setting)]
        assert train(source, tmp_path / f"work {trace}", *words, "--out", str(out)) == 0
        card = (out / "alphazero.md").read_text().splitlines()
        found.append([row for row in card if row.startswith(("| value", "| score", "| policy"))])
    assert len(found[0]) >= 3
    assert found[0] == found[1]
