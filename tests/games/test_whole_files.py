"""Files that are whole or not there, though two processes write them at once."""

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from games.whole_files import replacing, replacing_by_name, write_whole

WRITERS = {
    "text": ("games.whole_files", "write_whole", "'text' * 1000", "Path.read_text"),
    "JSON": ("nets.train.pipeline", "write_json", "list(range(1000))", "read_json"),
    "arrays": ("nets.train.arrays", "write_arrays", "{'a': range(1000)}", "read_arrays"),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_two_runs_may_write_the_same_file(kind: str, tmp_path: Path) -> None:
    module, write, content, read = WRITERS[kind]
    program = f"""
from pathlib import Path
from {module} import *
path = Path({str(tmp_path / "file")!r})
for _ in range(100):
    {write}(path, {content})
    {read}(path)
"""
    command = [sys.executable, "-c", program]
    runs = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [run.communicate(timeout=30)[1] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], said
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    left = tmp_path / f"a [b].{done.pid}.unfinished"
    others = [
        tmp_path / f"{name}.unfinished"
        for name in (f"a [b].{os.getppid()}", f"c.{done.pid}", "a [b].mine", f"a [b].{10**30}")
    ]
    for file in (left, *others):
        file.touch()
    write_whole(tmp_path / "a [b]", "碁")
    assert (tmp_path / "a [b]").read_text(encoding="utf-8") == "碁"
    assert not left.exists() and all(file.exists() for file in others)


def test_what_is_no_text_may_be_replaced(tmp_path: Path) -> None:
    write_whole(tmp_path / "card", "net \udcff", errors="replace")
    assert (tmp_path / "card").read_text() == "net ?"
    with pytest.raises(UnicodeEncodeError):
        write_whole(tmp_path / "card", "\udcff")
    assert (tmp_path / "card").read_text() == "net ?"


def test_a_folder_is_looked_through_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or each of thousands of games would take longer to write than the one before."""
    write_whole(tmp_path / "1.sgf", "text")
    monkeypatch.delattr(Path, "glob")
    write_whole(tmp_path / "2.sgf", "text")
    assert (tmp_path / "2.sgf").read_text() == "text"


def test_a_folder_that_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    left = tmp_path / f"net.keras.{done.pid}.unfinished"
    for folder in (left, tmp_path / f"net.keras.{os.getpid()}.unfinished"):
        folder.mkdir()
        (folder / "net.keras").write_text("half")
    with replacing_by_name(tmp_path / "net.keras") as fresh:
        assert fresh.name == "net.keras" and fresh.parent != tmp_path
        fresh.write_text("whole")
    assert (tmp_path / "net.keras").read_text() == "whole"
    assert [file.name for file in tmp_path.iterdir()] == ["net.keras"]


def test_a_file_may_be_the_first_of_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "nets" / "net.onnx"
    with replacing_by_name(path) as fresh:
        fresh.write_text("whole")
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("way", [replacing, replacing_by_name])
def test_a_file_stays_as_it_was_if_writing_fails(way: Any, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("before")
    with pytest.raises(KeyboardInterrupt), way(path) as unfinished:
        unfinished.write_text("half")
        raise KeyboardInterrupt
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("way", [replacing, replacing_by_name])
def test_a_full_disk_is_told_with_what_did_not_fit(way: Any, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="file 1"), way(tmp_path / "file 1"):
        raise OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(OSError, match="another"), way(tmp_path / "file 1"):
        raise OSError(errno.ENOENT, "No such file", "another")
