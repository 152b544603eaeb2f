"""Games of Go against itself: what is recorded of them, and the loop that learns from them."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest

from games.go import Go, GoOptions
from gtpbot.cli import main
from gtpcore import Net, State
from nets.models import make
from nets.spec import NetError, NetSpec
from nets.train.arrays import read_arrays
from nets.train.errors import RecordsError, TrainingError
from nets.train.first_net import load_to_learn
from nets.train.go_games import UNKNOWN, Result, judge
from nets.train.go_records import GoGames, shards_by_size
from nets.train.go_selfplay import GoSelfPlay, GoShards, recorded_game
from nets.train.go_sources import recorded_games
from nets.train.go_stream import read_shares
from nets.train.go_zero import GO_ZERO_STAGES, GoZeroStage
from nets.train.pipeline import Run
from nets.train.pipelines import quick
from search.gumbel import Choice, Gumbel
from tests.support.fakes import FakeNet
from tests.support.tiny_nets import write_go_net, write_net

SIZE = 4
PASS = SIZE * SIZE
WAY = GoSelfPlay({SIZE: 1.0}, opening=0, result_share=0.5, search=Gumbel(8, 4))


def scripted(*actions: int, value: float = 0.5) -> Any:
    """Plays these moves, each of a search that thought the position worth `value`."""
    moves = iter(actions)

    def choose(state: State, rng: np.random.Generator) -> Choice:
        action = next(moves)
        return Choice(action, {action: 0.75, PASS - action % 2: 0.25}, value)

    return choose


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_a_game_is_recorded_with_what_the_searches_found() -> None:
    """Black takes the board with one stone; komi is against it, or not."""
    game, outcome = recorded_game(scripted(5, PASS, PASS), SIZE, WAY, rng())
    assert game.moves.tolist() == [5, PASS, PASS]
    assert outcome.result.black_lead == 16 - game.komi
    assert outcome.result.winner == np.sign(16 - game.komi)
    assert outcome.owner.tolist() == [1] * 16
    assert game.top_moves[0, :2].tolist() == [5, PASS - 1]
    assert game.top_probs[0, :3].tolist() == [191, 64, 0]
    winner = outcome.result.winner
    searched = np.array([0.5, -0.5, 0.5])  # for Black
    assert game.black_value.tolist() == (0.5 * winner + 0.5 * searched).tolist()


def test_a_game_that_is_too_long_ends_where_it_is() -> None:
    way = replace(WAY, sizes={2: 1.0})

    def passer(state: State, rng: np.random.Generator) -> Choice:
        legal = state.legal_actions()
        return Choice(legal[0], {legal[0]: 1.0}, 0.0)

    game, _ = recorded_game(passer, 2, way, rng())
    assert len(game.moves) <= 10


def test_first_moves_are_drawn() -> None:
    """As many as the generator says, and no more than `opening`."""

    def searched(state: State, rng: np.random.Generator) -> Choice:
        return Choice(PASS, dict.fromkeys(state.legal_actions(), 1.0), 0.0)

    way = replace(WAY, opening=4)
    games = [
        recorded_game(searched, SIZE, way, np.random.default_rng(seed))[0] for seed in range(20)
    ]
    lengths = {len(game.moves) for game in games}
    assert max(lengths) <= 4 + 2 < 20
    assert len(lengths) > 2
    assert len({int(game.moves[0]) for game in games}) > 4


def test_komi_is_drawn_in_halves_around_seven() -> None:
    draw = np.random.default_rng(1)
    komis = [WAY.drawn_start(SIZE, draw).rules.komi for _ in range(300)]
    assert abs(np.mean(komis) - 7) < 1
    assert 3 < np.std(komis) < 5
    assert all(2 * komi == round(2 * komi) for komi in komis)


def test_shards_have_the_sizes_of_their_names(tmp_path: Path) -> None:
    way = replace(WAY, sizes={2: 1.0, 3: 3.0}, search=Gumbel(2, 2))
    play(tmp_path, 80, way)
    shards = shards_by_size(tmp_path)
    assert {games.size for games in map(GoGames.load, shards[2])} == {2}
    assert {len(games.komi) for paths in shards.values() for games in map(GoGames.load, paths)} == {
        2
    }
    assert 22 <= len(shards[3]) <= 37


def test_games_are_the_same_however_many_are_played_at_once(tmp_path: Path) -> None:
    play(tmp_path / "one", 6, WAY, shard=6, threads=1)
    play(tmp_path / "two", 6, WAY, shard=6, threads=2)
    (one,), (two,) = ((tmp_path / name).iterdir() for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()


def play(folder: Path, games: int, way: GoSelfPlay, shard: int = 2, threads: int = 2) -> None:
    GoShards(folder, games, shard, 1, "test").fill(way, fake_net, threads, "test")


def fake_net(size: int) -> Net:
    return FakeNet(Go(GoOptions(size=size))).native()


@pytest.mark.parametrize("text", ["", "9", "9:", ":1", "9:1;13:1", "nine:1", "9:1.2.3", "9:."])
def test_shares_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(RecordsError, match="expected such as 9:2,19:1"):
        read_shares(text)


@pytest.mark.parametrize("text", ["9:0", "9:1,13:0.0", "1:1", "26:1", f"9:{'9' * 400}"])
def test_shares_of_nothing_are_refused(text: str) -> None:
    with pytest.raises(RecordsError, match="expected sizes from 2 to 25 and shares above 0"):
        read_shares(text)


def test_shares_are_numbers() -> None:
    assert read_shares("9:2,13:.5,19:1.") == {9: 2, 13: 0.5, 19: 1}


# The commands


def selfplay(*words: object) -> int:
    return main(["selfplay", "go", "--playouts", "4", "--sizes", "3:1,4:1", *map(str, words)])


@pytest.fixture
def net(tmp_path: Path) -> Path:
    return write_go_net(tmp_path / "go.onnx", NetSpec.of(Go(GoOptions(size=9))).planes[-1])


def test_games_are_played_once_and_read_like_any_others(net: Path, tmp_path: Path) -> None:
    out = tmp_path / "games"
    words = ("--net", net, "--out", out, "--games", 6, "--shard", 2)
    assert selfplay(*words) == 0
    shards = files(out)
    assert len(shards) == 3
    next(out.glob("*.npz")).unlink()
    assert selfplay(*words, "--threads", 2) == 0
    assert files(out) == shards
    work = tmp_path / "work"
    train = ["train", "go", "--from", str(out), "--work", str(work), "--stage", "games"]
    assert main(train) == 0
    done = json.loads((work / "games" / "done.json").read_text())
    assert done["games"] == 6 and done["left_out"] == {}


def test_games_are_played_as_the_options_have_it(
    net: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[GoShards, GoSelfPlay, int]] = []

    def fill(shards: GoShards, way: GoSelfPlay, net: Any, threads: int, title: str) -> None:
        asked.append((shards, way, threads))

    monkeypatch.setattr(GoShards, "fill", fill)
    words = ("--seed", 5, "--komi-spread", 100, "--considered", 7, "--threads", 2)
    out = tmp_path / "games"
    assert selfplay("--net", net, "--out", out, "--games", 9, "--shard", 3, *words) == 0
    way = GoSelfPlay(read_shares("3:1,4:1"), komi_spread=100, search=Gumbel(4, 7))
    assert asked == [(GoShards(out, 9, 3, 5, "self-play"), way, 2)]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.npz")}


def test_playing_them_takes_nothing_that_only_training_does(net: Path, tmp_path: Path) -> None:
    """Another machine may play the games: there it is not installed."""
    project = (Path(__file__).parents[3] / "pyproject.toml").read_text()
    (extra,) = re.findall(r"^train = \[(.*?)^\]", project, re.M | re.S)
    missing = re.findall(r'"([\w-]+)', extra)
    assert "tensorflow" in missing
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({missing}))\n"
        "from gtpbot.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    words = ["selfplay", "go", "--net", net, "--out", tmp_path / "games", "--games", "1"]
    command = [sys.executable, "-c", code, *map(str, words), "--sizes", "3:1", "--playouts", "2"]
    process = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert process.returncode == 0, process.stderr


def test_games_may_be_added_to_but_not_of_another_kind(
    net: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def played(folder: str, games: int, *words: object) -> str:
        words = ("--net", net, "--out", tmp_path / folder, "--shard", 2, "--games", games, *words)
        status = selfplay(*words)
        said = capsys.readouterr().err.splitlines()[-1]
        assert (status == 0) == said.endswith(f" games: in {tmp_path / folder}")
        return said

    played("straight", 6)
    assert played("grown", 3).startswith("3 games")
    assert played("grown", 6).startswith("6 games")
    assert played("grown", 2).startswith("6 games")
    assert files(tmp_path / "grown") == files(tmp_path / "straight")
    told = "was begun with other settings (seed 1, now 2): give another --out folder"
    assert told in played("grown", 6, "--seed", 2)
    assert "other settings (playouts 4, now 5)" in played("grown", 6, "--playouts", 5)
    write_net(
        net, NetSpec.of(Go(GoOptions(size=4))), {"policy": (17, "Softmax"), "value": (1, "Tanh")}
    )
    assert "other settings (net '" in played("grown", 6)


def test_a_shard_comes_through_unchanged(tmp_path: Path) -> None:
    source = tmp_path / "source" / "03-00000.npz"
    play(source.parent, 3, replace(WAY, sizes={3: 1.0}), shard=3)
    words = ["--from", str(source.parent), "--work", str(tmp_path), "--stage", "games"]
    assert main(["train", "go", *words, "--param", "games.held_out=0"]) == 0
    (copied,) = shards_by_size(tmp_path / "games" / "train")[3]
    one, other = read_arrays(source), read_arrays(copied)
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], name)
    assert not (GoGames.load(copied).owner == UNKNOWN).any()


def test_a_shard_tells_of_games_that_were_given_up(tmp_path: Path) -> None:
    """Of these the board alone would tell another winner, and who owns what."""
    game, _ = recorded_game(scripted(5, PASS, PASS), SIZE, WAY, rng())
    given_up = replace(game, result=Result(-1, np.nan))
    GoGames.pack([(given_up, judge(given_up))]).save(tmp_path / "04-00000.npz")
    (read,) = recorded_games(tmp_path / "04-00000.npz")
    outcome = judge(read)
    assert outcome.result.winner == -1 and np.isnan(outcome.result.black_lead)
    assert set(outcome.owner.tolist()) == {UNKNOWN}


def test_mistakes_are_told_in_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def complaint(*words: object) -> str:
        assert selfplay("--out", tmp_path, *words) == 2
        return capsys.readouterr().err.splitlines()[-1]

    assert complaint("--net", "no.onnx") == "gtpbot: cannot play: net 'no.onnx': no such file"
    assert complaint("--net", "x.onnx", "--sizes", "9").startswith("gtpbot: cannot play: sizes '9'")
    wide = complaint("--komi-spread", "inf")
    assert wide == "gtpbot: --komi-spread inf: expected up to 100"
    for wrong in (
        "threads 0",
        "shard 0",
        "considered 0",
        "games -1",
        "komi-spread -1.0",
        "seed -1",
    ):
        told = f"gtpbot: --{wrong}: expected at least "
        assert complaint(*f"--{wrong}".split()).startswith(told)
    words = ["--from", "selfplay", "--quick", "--work", str(tmp_path / "work")]
    assert main(["train", "go", *words, "--param", "alphazero.sizes=1:1"]) == 2
    assert "sizes '1:1': expected sizes from 2 to 25" in capsys.readouterr().err
    assert not (tmp_path / "work").exists()
    for wide, expected in (("2000", "less than or equal to 100"), ("inf", "a finite number")):
        words = ["--work", str(tmp_path / "work"), "--param", f"alphazero.komi_spread={wide}"]
        assert main(["train", "go", "--from", "selfplay", "--quick", *words]) == 2
        told = capsys.readouterr().err.splitlines()[-1]
        assert f"komi_spread '{wide}': expected {expected}" in told
    assert main(["train", "coin", "--from", "selfplay"]) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert told == "gtpbot: --from selfplay: coin plays itself without being told"


# The loop


def small_stage(**changes: Any) -> GoZeroStage:
    (stage,) = map(quick, GO_ZERO_STAGES)
    assert isinstance(stage, GoZeroStage)
    return replace(stage, params=stage.params.model_copy(update=changes))


def run_in(work: Path) -> Run:
    return Run(Go(), work, 1, "a test")


def test_positions_cannot_be_excluded(tmp_path: Path) -> None:
    run = replace(run_in(tmp_path), excluded=tmp_path / "positions")
    with pytest.raises(TrainingError, match="is for positions of other games than Go"):
        small_stage().check(run)


@pytest.mark.slow
@pytest.mark.parametrize("net", ["some.onnx", "none.keras"])
def test_a_net_that_cannot_learn_on_is_refused(net: str, tmp_path: Path) -> None:
    (tmp_path / "some.onnx").touch()
    with pytest.raises((TrainingError, ValueError), match=r"expected one in Keras|no such file"):
        small_stage(net=str(tmp_path / net)).run(run_in(tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("role", "width", "told"),
    [
        (
            "value",
            8,
            "expected one with ownership and policy and score and value, found one with v",
        ),
        ("alphazero", 4, "parameters: expected .* its tower would shrink"),
    ],
)
def test_a_net_of_another_kind_is_refused_before_any_game(
    role: str, width: int, told: str, tmp_path: Path
) -> None:
    net = tmp_path / "net.keras"
    make("go", role, 8, 1).save(net)
    with pytest.raises(TrainingError, match=told):
        small_stage(net=str(net), width=width).run(run_in(tmp_path))


@pytest.mark.slow
def test_a_net_with_the_weights_of_another_is_told(tmp_path: Path) -> None:
    path = tmp_path / "net.keras"
    make("coin", "value").save(path)
    make("coin", "actor_critic").save(tmp_path / "other.keras")
    with ZipFile(path) as one, ZipFile(tmp_path / "other.keras") as other:
        parts = {name: one.read(name) for name in one.namelist()}
        parts["model.weights.h5"] = other.read("model.weights.h5")
    with ZipFile(path, "w") as mixed:
        for name, part in parts.items():
            mixed.writestr(name, part)
    with pytest.raises(NetError, match=r"^net '\S+net\.keras': .+"):
        load_to_learn(str(path), "coin")


def content(folder: Path) -> dict[str, Any]:
    """All that a folder of generations holds, but for clocks and what only names them."""
    found: dict[str, Any] = {}
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if file.suffix == ".npz":
            arrays = read_arrays(file)
            found[name] = {k: v.tobytes() for k, v in arrays.items() if k != "progress"}
        elif file.suffix == ".json":
            figures = json.loads(file.read_text())
            found[name] = {k: v for k, v in figures.items() if k != "seconds"}
    return found


KILLS: Sequence[Sequence[str]] = (
    ["games/*-00001.npz", "checkpoint.npz", "net.*", "gate", "done.json"],
    ["net.*", "gate", "done.json"],
    ["gate/00001.json", "done.json"],
)
"""What is not there yet, depending on when generation 2 is interrupted."""


@pytest.mark.slow
def test_the_loop_makes_a_net_and_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    straight = tmp_path / "straight"
    facts = small_stage().run(run_in(straight))
    assert str(facts["learned_from"]).startswith("8 games against itself in 2 generations")
    made = straight / "alphazero"
    assert {path.suffix for path in made.glob("alphazero.*")} == {".keras", ".onnx", ".md", ".png"}
    expected = content(made / "generations")
    for number, lost in enumerate(KILLS):
        resumed = tmp_path / str(number)
        shutil.copytree(straight, resumed)
        for pattern in lost:
            for path in (resumed / "alphazero" / "generations" / "002").glob(pattern):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        small_stage().run(run_in(resumed))
        assert content(resumed / "alphazero" / "generations") == expected, lost


@pytest.mark.slow
def test_another_net_may_begin(tmp_path: Path) -> None:
    first, rate = tmp_path / "first.keras", 1e-9  # with which next to nothing is learned
    params = small_stage().params
    make("go", "alphazero", params.width, params.blocks).save(first)
    stage = small_stage(generations=1, net=str(first), rate=rate)
    facts = stage.run(run_in(tmp_path / "work"))
    assert facts["began_with"] == f"`{first}`"
    known, learned = (
        load_to_learn(str(path), "go").trainable_weights
        for path in (first, tmp_path / "work" / "alphazero" / "alphazero.keras")
    )
    for before, after in zip(known, learned, strict=True):
        np.testing.assert_allclose(after, before, atol=1e-3)
