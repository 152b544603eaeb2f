"""A person at the board where nothing can be written, on the screen or on the disk."""

import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from games.base import Player
from gtpbot.gtp.recorder import Recorder
from gtpbot.people.person import PlayError
from tests.support.table import Table


def test_ctrl_c_that_ends_the_whole_pipeline_says_nothing() -> None:
    words = ["coin", "--colour", "none", "--agent", "uct", "--seconds", "100", "--threads", "1"]
    with subprocess.Popen(
        [sys.executable, "-m", "gtpbot", "play", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout and process.stderr
        process.stdout.readline()
        process.stdout.close()  # as `tee` does, which hears of the Ctrl-C too
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_what_could_not_be_saved_leaves_no_file(tmp_path: Path) -> None:
    """So that the same name can be given once there is room."""
    table = Table("tictactoe")
    table.say("B2")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, limits[1]))  # as if the disk were full
    try:
        with pytest.raises(PlayError, match="cannot save the game"):
            table.say(f"save {tmp_path / 'x'}")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not list(tmp_path.iterdir())
    assert "Saved in" in table.say(f"save {tmp_path / 'x'}")


def test_a_game_that_cannot_be_recorded_goes_on(tmp_path: Path) -> None:
    table, folder = Table("tictactoe"), tmp_path / "played"
    table.play._recorder = Recorder(folder, {Player.BLACK: "me"})
    folder.rmdir()
    assert "The game cannot be recorded: [Errno 2]" in table.say("B2")
    assert len(table.moves) == 2
