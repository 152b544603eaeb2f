"""Folders of work: one run at a time."""

import errno
import fcntl
from pathlib import Path

import pytest

from games.begun_folders import FolderError, begun, claimed
from gtpbot.cli import main

SELF_PLAY = ["selfplay", "go", "--sizes", "2:1", "--games", "1", "--playouts", "2"]


def test_a_second_run_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    with begun(tmp_path / "new", {"seed": 1}, {}, "give another --out folder"):
        (tmp_path / "new" / "game").touch()
        with (
            pytest.raises(FolderError, match=r"new: another run is at work in it; end .* --out"),
            begun(tmp_path / "new", {"seed": 1}, {}, "give another --out folder"),
        ):
            pytest.fail("two at once")
    with begun(tmp_path / "new", {"seed": 1}, {}, ""):
        pass


def test_one_that_failed_leaves_the_folder_to_others(tmp_path: Path) -> None:
    with pytest.raises(KeyError), claimed(tmp_path, ""):
        raise KeyError
    with claimed(tmp_path, ""):
        pass


def test_a_folder_in_which_nothing_was_made_is_gone_again(tmp_path: Path) -> None:
    with begun(tmp_path / "far" / "new", {"seed": 1}, {}, ""):
        pass
    assert list(tmp_path.iterdir()) == []
    with claimed(tmp_path / "far" / "new", ""):
        (tmp_path / "far" / "new" / "game").touch()
    with claimed(tmp_path, ""):
        pass
    assert [path.name for path in tmp_path.rglob("*")] == ["far", "new", "game"]


def test_folders_that_cannot_be_locked_are_used_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(handle: int, how: int) -> None:
        raise OSError(errno.EBADF, "as NFS does")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with claimed(tmp_path, ""), claimed(tmp_path, ""):
        pass


def test_a_verb_says_that_another_is_at_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with claimed(tmp_path, ""):
        assert main([*SELF_PLAY, "--out", str(tmp_path)]) == 2
    assert f"cannot play: {tmp_path}: another run is at work in it" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert main([*SELF_PLAY, "--out", str(tmp_path)]) == 0
