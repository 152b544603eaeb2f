"""What was found out is printed, or it is said in a line why it cannot be."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """A review, of which all is written but what is told."""
    path = tmp_path / "game.sgf"
    path.write_text("(;SZ[5]PB[井山];B[cc])", encoding="utf-8")
    words = ["review", str(path), "--agent", "random", "--no-curve"]
    return [sys.executable, "-m", "gtpbot", *words]


def ended(command: list[str], **how: Any) -> tuple[int, str]:
    """The exit status, and what is complained of."""
    run = subprocess.run(command, stderr=subprocess.PIPE, text=True, **how)
    return run.returncode, run.stderr.partition("no winrate\n")[2]


def test_letters_that_an_encoding_lacks_are_replaced(command: list[str], tmp_path: Path) -> None:
    printed = tmp_path / "printed"
    with printed.open("wb") as file:
        environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
        assert ended(command, stdout=file, env=environment) == (0, "")
    assert b": ?? - White; random" in printed.read_bytes()


def test_who_looks_no_more_is_told_nothing(command: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert ended(command, stdout=writer) == (0, "")
    finally:
        os.close(writer)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full, as on macOS")
def test_a_full_disk_is_told_in_one_line(command: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        complaint = "gtpbot: cannot write to standard output: No space left on device\n"
        assert ended(command, stdout=full) == (1, complaint)
