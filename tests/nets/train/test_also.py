"""Records of another run, learned from besides."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gtpcore
from games.begun_folders import read_json
from games.registry import GAMES
from gtpbot.cli import main
from nets.train.doubts import SettleStage
from nets.train.errors import TrainingError
from nets.train.lockstep import planes_of
from nets.train.pipeline import Run
from nets.train.pipelines import PIPELINES
from nets.train.records import Records, read_folder, shard_path


def train(work: Path, *words: str) -> int:
    """Teach the fast policy of Tic Tac Toe, in miniature."""
    stages = ["--stage", "experts", "--stage", "fast_policy"]
    return main(["train", "tictactoe", "--quick", "--work", str(work), *stages, *words])


def also(folder: Path) -> list[str]:
    """Words that have it learn from a folder besides."""
    return ["--param", f"fast_policy.also={folder}"]


def some(folder: Path, kept: slice) -> Records:
    """A shard in a new folder, of some of those of the experts of Tic Tac Toe."""
    assert train(folder / "run") == 0
    records = read_folder(folder / "run" / "experts")
    chosen = records[np.arange(len(records))[kept]]
    chosen.save(shard_path(folder / "more", 0))
    return chosen


def learned_from(work: Path) -> str:
    """What the card says of it."""
    told = read_json(work / "fast_policy" / "done.json")["learned_from"]
    assert isinstance(told, str)
    return told


def test_it_learns_from_them_besides_and_the_card_says_so(tmp_path: Path) -> None:
    some(tmp_path, slice(0, 40))
    alone = learned_from(tmp_path / "run")
    assert train(tmp_path / "second", *also(tmp_path / "more")) == 0
    told = learned_from(tmp_path / "second")
    assert told.endswith("positions of `experts` and `also`")
    assert int(told.split()[0]) == int(alone.split()[0]) + 40


def test_positions_that_this_run_excludes_are_left_out(tmp_path: Path) -> None:
    states = [gtpcore.TicTacToeState() for _ in range(3)]
    for state, cell in zip(states, (0, 1, 4), strict=True):  # a corner, a side, and the centre
        state.apply_action(cell)
    policy = np.eye(9)[[4, 4, 0]]
    Records.pack(planes_of(states), policy, np.zeros(3)).save(shard_path(tmp_path / "more", 0))
    excluded = tmp_path / "excluded.txt"
    excluded.write_text("B2,\nC3,\n")  # the centre, and an image of the corner
    counts = []
    for name, words in (("alone", []), ("both", also(tmp_path / "more"))):
        assert train(tmp_path / name, "--exclude", str(excluded), *words) == 0
        counts.append(int(learned_from(tmp_path / name).split()[0]))
    assert counts[1] - counts[0] == 1


def test_other_records_in_the_folder_are_other_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some(tmp_path, slice(0, 40))
    assert train(tmp_path / "second", *also(tmp_path / "more")) == 0
    some(tmp_path, slice(0, 30))
    assert train(tmp_path / "second", *also(tmp_path / "more")) == 2
    assert "records of fast_policy" in capsys.readouterr().err


def test_a_folder_without_any_is_refused_and_not_held_against_the_right_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train(tmp_path, *also(tmp_path / "typo")) == 2
    assert f"fast_policy.also={tmp_path / 'typo'}: expected a folder" in capsys.readouterr().err
    assert train(tmp_path) == 0


def test_records_of_another_game_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    coins = tmp_path / "coins"
    words = ["--quick", "--work", str(coins), "--stage", "experts"]
    assert main(["train", "coin", *words]) == 0
    assert train(tmp_path, *also(coins / "experts")) == 2
    told = f"fast_policy.also={coins / 'experts'}: planes of shape (1, 21, 1): expected records of"
    assert told in capsys.readouterr().err


def test_who_settles_doubts_looks_for_them_too(tmp_path: Path) -> None:
    stage = next(each for each in PIPELINES["connect4"] if isinstance(each, SettleStage))
    typo = stage.params.model_copy(update={"also": tmp_path / "typo"})
    with pytest.raises(TrainingError, match=r"settle\.also=.*typo: expected a folder of shards"):
        replace(stage, params=typo).check(Run(GAMES["connect4"](), tmp_path, 1, "a test"))
