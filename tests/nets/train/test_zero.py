"""The stage `alphazero` in miniature: nothing depends on kills, threads or clocks."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from errno import ENOSPC
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games.registry import GAMES
from nets.train.arrays import read_arrays, write_arrays
from nets.train.experts import coin_games
from nets.train.generations import checkpoint_path
from nets.train.lockstep import start_of
from nets.train.pipeline import Run, Stage
from nets.train.pipelines import PIPELINES, quick
from nets.train.records import Records, read_folder, shard_path
from nets.train.zero import ZeroGeneration, ZeroStage

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[3]
COIN = ["coin", "--quick", "--stage", "alphazero", "--param", "alphazero.report=1"]


def stage_of(game: str, **changes: Any) -> ZeroStage:
    (stage,) = (stage for stage in PIPELINES[game] if stage.name == "alphazero")
    assert isinstance(stage, ZeroStage)
    small: Stage[Any] = quick(stage)
    params = small.params.model_copy(update={"report": 1, **changes})
    return replace(stage, params=params)


def run_in(work: Path, **changes: Any) -> Run:
    return replace(Run(GAMES["coin"](), work, 1, "a test", judged=2), **changes)


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The generations of a run without interruptions."""
    work = tmp_path_factory.mktemp("straight")
    stage_of("coin").run(run_in(work))
    return work / "alphazero" / "generations"


def content(folder: Path) -> dict[str, Any]:
    """All that a folder of generations holds, but for clocks and what only names them."""
    return {
        file.relative_to(folder).as_posix(): _content(file)
        for file in sorted(folder.rglob("*"))
        if file.suffix in (".npz", ".json", ".onnx")
    }


def _content(file: Path) -> Any:
    if file.suffix == ".npz":
        return {k: v.tobytes() for k, v in read_arrays(file).items() if k != "progress"}
    if file.suffix == ".onnx":
        return "a net"
    return {k: v for k, v in json.loads(file.read_text()).items() if k != "seconds"}


KILLS: Sequence[Sequence[str]] = (
    ["games/00001.npz", "checkpoint.npz", "net.*", "gate", "done.json"],
    ["checkpoint.npz", "net.*", "gate", "done.json"],
    ["net.onnx", "gate", "done.json"],
    ["gate/00001.json", "done.json"],
)
"""What is not there yet, depending on when generation 2 is interrupted."""


@pytest.mark.parametrize("lost", KILLS, ids=["games", "learning", "saving", "gate"])
def test_what_is_missing_is_made_as_it_was(
    lost: Sequence[str], straight: Path, tmp_path: Path
) -> None:
    resumed = tmp_path / "alphazero" / "generations"
    shutil.copytree(straight, resumed)
    for pattern in lost:
        for path in (resumed / "002").glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert content(resumed) != content(straight)
    stage_of("coin").run(run_in(tmp_path))
    assert content(resumed) == content(straight)
    seconds = [
        json.loads((run / "002/done.json").read_text())["seconds"] for run in (straight, resumed)
    ]
    assert 0 < seconds[0] < seconds[1]  # over both attempts


def test_a_full_disk_is_not_held_against_the_generation_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, *_: Any, **__: Any) -> None:
        raise OSError(ENOSPC, "No space left on device", str(path))

    write_arrays(checkpoint_path(tmp_path, 0), {})
    generation = ZeroGeneration(1, 0, stage_of("coin").params, run_in(tmp_path), tmp_path, None)
    monkeypatch.setattr("nets.train.generations.write_arrays", full)
    with pytest.raises(OSError, match=r"No space left on device: .*001/checkpoint\.npz'$"):
        generation.checkpoint()


def test_threads_change_nothing_in_the_games(straight: Path, tmp_path: Path) -> None:
    shutil.copytree(straight / "000", tmp_path / "000")
    run = run_in(tmp_path, threads=3)
    ZeroGeneration(1, 0, stage_of("coin").params, run, tmp_path, None).play()
    for file in (straight / "001" / "games").iterdir():
        assert (tmp_path / "001" / "games" / file.name).read_bytes() == file.read_bytes()


def test_each_generation_plays_other_games(straight: Path) -> None:
    one, other = (read_folder(straight / name / "games") for name in ("001", "002"))
    assert one.bits.tobytes() != other.bits.tobytes()


def test_excluded_positions_are_not_learned_from(straight: Path, tmp_path: Path) -> None:
    shutil.copytree(straight / "000", tmp_path / "000")
    (tmp_path / "excluded").write_text("\ufeff2221\n", encoding="utf-8")  # 14 coins left
    run = run_in(tmp_path, excluded=tmp_path / "excluded")
    params = stage_of("coin", games=40, opening=0).params
    ZeroGeneration(1, 0, params, run, tmp_path, None).play()
    coins = read_folder(tmp_path / "001" / "games").batch().planes.sum(axis=(1, 2, 3))
    assert {13, 15} <= set(coins)
    assert 14 not in coins


@pytest.mark.parametrize(("promote", "best"), [(0.0, 2), (1.0, 0)])
def test_what_does_not_pass_the_gate_is_not_the_best(
    promote: float, best: int, straight: Path, tmp_path: Path
) -> None:
    """Where nothing passes, the net that all began with comes out."""
    facts = stage_of("coin", promote=promote, pairs=9).run(run_in(tmp_path))
    work = tmp_path / "alphazero"
    done = [json.loads(file.read_text()) for file in sorted(work.rglob("done.json"))]
    assert [figures["promoted"] for figures in done] == [best > 0] * 2
    how = r"\d+ won, .* at the gate" if best else "the net that it began with"
    assert re.fullmatch(f"generation {best}, {how}", facts["best"])
    for suffix in (".keras", ".onnx"):
        final = (work / "alphazero").with_suffix(suffix)
        kept = (work / "generations" / f"{best:03}" / "net").with_suffix(suffix)
        assert final.read_bytes() == kept.read_bytes()


def test_a_process_that_was_killed_ends_as_one_that_was_not(straight: Path, tmp_path: Path) -> None:
    """SIGKILL while generation 2 is under way, then the same command again."""
    words = [sys.executable, "-m", "gtpbot", "train", *COIN, "--work", str(tmp_path)]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL, cwd=ROOT) as run:
        while not (tmp_path / "alphazero/generations/002/checkpoint.npz").exists():
            assert run.poll() is None
            time.sleep(0.002)
        run.send_signal(signal.SIGKILL)
    assert not (tmp_path / "alphazero" / "done.json").exists()
    subprocess.run(words, check=True, stderr=subprocess.DEVNULL, cwd=ROOT)
    assert content(tmp_path / "alphazero" / "generations") == content(straight)


def test_half_of_what_is_learned_is_what_was_taught(tmp_path: Path) -> None:
    """Drawn anew for each generation; all of it, where there is less than what was played."""
    rng = np.random.default_rng(3)
    taught = coin_games(start_of(GAMES["coin"]()), 60, rng)
    taught.save(shard_path(tmp_path / "experts", 0))
    played = coin_games(start_of(GAMES["coin"]()), 25, rng)

    def reminded(number: int, parts: Sequence[Records], *stages: str) -> Records:
        params = stage_of("coin").params
        run = run_in(tmp_path)
        return ZeroGeneration(number, 0, params, run, tmp_path, None, stages).reminded(parts)

    one, other = (reminded(number, [played], "experts") for number in (1, 2))
    assert len(one) == len(other) == 50
    for found in (one, other):
        assert np.array_equal(found.bits[:25], played.bits)
        assert {row.tobytes() for row in found.bits[25:]} <= {row.tobytes() for row in taught.bits}
    assert not np.array_equal(one.bits, other.bits)
    assert len(reminded(1, [played] * 3, "experts")) == 75 + 60
    assert len(reminded(1, [played])) == 25


def test_what_was_held_out_is_not_learned_after_all(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    taught, played = (coin_games(start_of(GAMES["coin"]()), count, rng) for count in (60, 1_000))
    taught.save(shard_path(tmp_path / "experts", 0))
    params = stage_of("coin").params.model_copy(update={"held_out": 0.3})
    run = run_in(tmp_path)
    generation = ZeroGeneration(1, 0, params, run, tmp_path, None, ("experts",))
    found = generation.reminded([played])
    lesson, exam = taught.split("coin", 0.3)
    assert 0 < len(exam) < len(taught)
    assert len(found) == len(played) + len(lesson)
    reminders = found[np.arange(len(played), len(found))]
    assert not set(reminders.keys("coin").tolist()) & set(exam.keys("coin").tolist())
