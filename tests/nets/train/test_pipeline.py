"""Stages in their order: what is done stays done, and what was begun otherwise is told."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import rmtree

import pytest

from games.begun_folders import FolderError, begun, claimed
from games.coin import Coin
from nets.train.errors import TrainingError
from nets.train.pipeline import Facts, Run, Stage, StageParams, perform


class Params(StageParams):
    size: int = 1


@dataclass(frozen=True)
class Note(Stage[Params]):
    """A stage that notes that it ran, and how often."""

    ran: list[str] = field(default_factory=list)
    reads: dict[str, str] = field(default_factory=dict)

    def run(self, run: Run) -> Facts:
        self.ran.append(self.name)
        if self.params.size == 0:
            (run.folder(self.name) / "half").touch()
            raise TrainingError("killed")
        return {"size": self.params.size}

    def inputs(self, run: Run) -> Mapping[str, str]:
        return self.reads


def line(ran: list[str]) -> list[Note]:
    """Three stages of which the last needs the first."""
    return [
        Note("one", (), Params(), ran),
        Note("two", (), Params(), ran),
        Note("three", ("one",), Params(size=3), ran),
    ]


def run_in(folder: Path, seed: int = 1) -> Run:
    return Run(Coin(), folder, seed, "gtpbot train coin")


def test_what_a_stage_needs_runs_before_it_and_nothing_else(tmp_path: Path) -> None:
    ran: list[str] = []
    stages = perform(line(ran), ["three"], run_in(tmp_path))
    assert ran == ["one", "three"] == [stage.name for stage in stages]
    assert run_in(tmp_path).facts("three") == {"size": 3}


def test_what_is_done_is_not_done_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran: list[str] = []
    for _ in range(2):
        perform(line(ran), ["one", "two", "three"], run_in(tmp_path))
    assert ran == ["one", "two", "three"]
    assert f"three: done already, in {tmp_path / 'three'}" in capsys.readouterr().err


def test_a_stage_that_failed_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran: list[str] = []
    stages = [replace(line(ran)[0], params=Params(size=0))]
    for how in ("begins", "goes on"):
        with pytest.raises(TrainingError, match="killed"):
            perform(stages, ["one"], run_in(tmp_path))
        assert capsys.readouterr().err == f"one: {how}, in {tmp_path / 'one'}\n"
    assert ran == ["one", "one"]


def test_other_settings_are_told_and_begun_anew_only_when_asked(tmp_path: Path) -> None:
    ran: list[str] = []
    stages = line(ran)
    perform(stages, ["one"], run_in(tmp_path))
    changed = [replace(stages[0], params=Params(size=2)), *stages[1:]]
    with pytest.raises(
        FolderError, match=r"other settings \(size 1, now 2\): give --stage one --again"
    ):
        perform(changed, ["one"], run_in(tmp_path))
    with pytest.raises(FolderError, match=r"other settings \(seed 1, now 2"):
        perform(stages, ["one"], run_in(tmp_path, seed=2))
    perform(changed, ["one"], run_in(tmp_path), again=True)
    assert ran == ["one", "one"]
    assert run_in(tmp_path).facts("one") == {"size": 2}


def test_what_was_made_of_other_inputs_is_told(tmp_path: Path) -> None:
    ran: list[str] = []
    stages = line(ran)
    perform(stages, ["three"], run_in(tmp_path))
    changed = [replace(stages[0], params=Params(size=2)), *stages[1:]]
    perform(changed, ["one"], run_in(tmp_path), again=True)
    with pytest.raises(FolderError, match=r"three was begun with other settings \(one '"):
        perform(changed, ["three"], run_in(tmp_path))


def test_other_files_are_told_by_what_read_them_and_all_above(tmp_path: Path) -> None:
    stages = line([])
    stages[0].reads["files"] = "as they were"
    for _ in range(2):
        perform(stages, ["three"], run_in(tmp_path))
    stages[0].reads["files"] = "changed"
    told = r"begun with other settings \(files of one 'as they were', now 'changed'\)"
    with pytest.raises(FolderError, match=r"one was " + told):
        perform(stages, ["one"], run_in(tmp_path))
    perform(stages, ["one"], run_in(tmp_path), again=True)
    with pytest.raises(FolderError, match=r"three was " + told):
        perform(stages, ["three"], run_in(tmp_path))


def test_files_that_were_not_noted_or_are_gone_are_no_others(tmp_path: Path) -> None:
    ran: list[str] = []
    stages = line(ran)
    for files in ({}, {"files": "as they are"}):
        stages[0].reads.update(files)
        perform(stages, ["one"], run_in(tmp_path))
        perform(stages, ["two"], run_in(tmp_path))
    stages[0].reads.clear()
    perform(stages, ["one"], run_in(tmp_path))
    assert ran == ["one", "two"]


def test_a_copy_of_a_work_folder_goes_on_wherever_it_is(tmp_path: Path) -> None:
    ran: list[str] = []
    here, there = (replace(run_in(tmp_path / name), source=tmp_path / name) for name in "ab")
    perform(line(ran), ["one"], here)
    here.work.rename(there.work)
    perform(line(ran), ["three"], there)
    perform(line(ran), ["three"], replace(there, source=None))
    assert ran == ["one", "three"]


def test_an_older_folder_which_notes_where_games_were_goes_on(tmp_path: Path) -> None:
    ran: list[str] = []
    perform(line(ran), ["three"], run_in(tmp_path))
    for stage in ("one", "three"):
        note = tmp_path / stage / "settings.json"
        older = {**json.loads(note.read_text()), "from": "/games"}
        note.write_text(json.dumps({**older, "needs": dict.fromkeys(older["needs"], "older")}))
    perform(line(ran), ["three"], run_in(tmp_path))
    assert ran == ["one", "three"]
    with pytest.raises(FolderError, match="seed 1, now 2"):
        perform(line(ran), ["three"], run_in(tmp_path, seed=2))


def test_again_takes_away_no_folder_that_no_stage_made(tmp_path: Path) -> None:
    ran: list[str] = []
    treasure = tmp_path / "one" / "treasure"
    treasure.parent.mkdir()
    treasure.write_text("mine")
    perform(line(ran), ["one"], run_in(tmp_path), again=True)
    assert treasure.read_text() == "mine"


@pytest.mark.parametrize("again", [False, True])
def test_games_that_another_verb_keeps_there_are_not_cleared(tmp_path: Path, again: bool) -> None:
    game = tmp_path / "one" / "00000.sgf"
    with begun(game.parent, {"engines": ["a", "b"]}, {}, ""):  # as `gtpbot record` does
        game.write_text("mine")
    with pytest.raises(FolderError, match=r"one was not made by .*: give another --work folder$"):
        perform(line([]), ["one"], run_in(tmp_path), again)
    assert game.read_text() == "mine"


def test_a_folder_in_which_another_run_is_at_work_is_refused_and_left_alone(tmp_path: Path) -> None:
    ran: list[str] = []
    perform(line(ran), ["one"], run_in(tmp_path))
    with (
        claimed(tmp_path, ""),
        pytest.raises(FolderError, match=r"another run is at work in it.* --work folder$"),
    ):
        perform(line(ran), ["one"], run_in(tmp_path), again=True)
    assert ran == ["one"]
    assert (tmp_path / "one" / "done.json").exists()


@pytest.mark.parametrize("text", ["{", "[" * 100_000], ids=["cut off", "nested"])
def test_a_spoiled_note_is_named(text: str, tmp_path: Path) -> None:
    perform(line([]), ["one"], run_in(tmp_path))
    (tmp_path / "one" / "settings.json").write_text(text)
    with pytest.raises(FolderError, match=r"settings\.json: .* give --stage one --again"):
        perform(line([]), ["one"], run_in(tmp_path))


@pytest.mark.parametrize("size", [1, 2])
def test_what_a_kill_left_of_a_stage_that_was_cleared_is_cleared_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    ran: list[str] = []
    stages = line(ran)
    changed = [replace(stages[0], params=Params(size=size)), *stages[1:]]
    perform(stages, ["one"], run_in(tmp_path))
    left = tmp_path / "one" / "generations"
    left.mkdir()

    def killed(path: Path) -> None:
        """As a folder is removed, in whichever order."""
        (path / "settings.json").unlink(missing_ok=True)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("nets.train.pipeline.shutil.rmtree", killed)
        perform(changed, ["one"], run_in(tmp_path), again=True)
    assert left.exists()
    perform(changed, ["one"], run_in(tmp_path))  # as is told after Ctrl-C: without --again
    assert ran == ["one", "one"]
    assert sorted(path.name for path in left.parent.iterdir()) == ["done.json", "settings.json"]
    assert run_in(tmp_path).facts("one") == {"size": size}


@pytest.mark.parametrize(("size", "is_begun"), [(1, True), (2, True), (1, False)])
def test_what_was_to_begin_anew_does_so_after_ctrl_c_in_a_stage_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, is_begun: bool
) -> None:
    """By the command that is told then, the same one without --again."""

    def interrupted(stage: Note, run: Run) -> Facts:
        raise KeyboardInterrupt

    ran: list[str] = []
    stages = line(ran)
    names = [stage.name for stage in stages]
    perform(stages, names, run_in(tmp_path))
    changed = [replace(stages[0], params=Params(size=size)), *stages[1:]]
    if not is_begun:
        rmtree(tmp_path / "one")
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Note, "run", interrupted)
        perform(changed, names, run_in(tmp_path), again=True)
    perform(changed, names, run_in(tmp_path))
    assert ran == [*names, *names]


@pytest.mark.parametrize("text", ["[]", '{"params": {}, "inputs": 5}'])
def test_a_note_of_something_else_is_named(text: str, tmp_path: Path) -> None:
    perform(line([]), ["one"], run_in(tmp_path))
    (tmp_path / "one" / "settings.json").write_text(text)
    with pytest.raises(FolderError, match=r"settings\.json: expected settings, found .[\[{]"):
        perform(line([]), ["one"], run_in(tmp_path))
