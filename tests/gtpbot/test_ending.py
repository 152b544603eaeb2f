"""SIGTERM and SIGHUP end long work as Ctrl-C does, and leave nothing running that it began."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from shlex import join

import pytest

from tests.support.ended import PATIENCE, alive, kill, wait_for
from tests.support.go_games import packed, random_game
from tests.support.scripted_engine import scripted

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[str]:
    """What all processes of a test have in their environment; those left by a failure are ended."""
    mark = f"GTPBOT_TEST={tmp_path}"
    usual = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # or all would ignore it, under nohup
    yield mark
    signal.signal(signal.SIGHUP, usual)
    kill(mark)


def begin(mark: str, *words: str) -> "subprocess.Popen[str]":
    name, _, value = mark.partition("=")
    return subprocess.Popen(
        [sys.executable, "-m", "gtpbot", *words],
        env={**os.environ, name: value},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def end(process: "subprocess.Popen[str]", mark: str, sent: signal.Signals) -> str:
    """End a process and see that nothing is left; what it had to say."""
    process.send_signal(sent)
    return ended(process, mark)


def ended(process: "subprocess.Popen[str]", mark: str) -> str:
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    wait_for(lambda: not alive(mark))
    assert "Traceback" not in err
    return err


@pytest.mark.parametrize("sent", SIGNALS)
def test_no_process_that_plays_is_left(sent: signal.Signals, mark: str, tmp_path: Path) -> None:
    """Though the games at work would last minutes."""
    words = ["--only", "go9-uct", "--games", "6", "--threads", "2", "--out", str(tmp_path)]
    process = begin(mark, "reproduce", *words)
    wait_for(lambda: len(alive(mark)) == 4)  # it, what looks after its memory, and two at play
    end(process, mark, sent)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("wait", [0.0, 0.2, 0.4])
def test_what_a_terminal_tells_all_is_left_to_the_parent(
    sent: signal.Signals, wait: float, mark: str, tmp_path: Path
) -> None:
    """Also while those who are to play are starting up."""
    words = ["--only", "connect4-mixed-mcts-uct", "--threads", "2", "--out", str(tmp_path)]
    process = begin(mark, "reproduce", *words)
    wait_for(lambda: len(alive(mark)) == 4)
    time.sleep(wait)
    os.killpg(process.pid, sent)
    ended(process, mark)


def labels(mark: str, tmp_path: Path) -> "subprocess.Popen[str]":
    """A run whose engine hangs, and minds no end of its input."""
    packed([random_game(5, 5, seed=1)]).save(tmp_path / "games" / "games.npz")
    asked = tmp_path / "asked"
    code = f"import time; input(); open({str(asked)!r}, 'w'); time.sleep(1000)"
    folders = ["--from", str(tmp_path / "games"), "--out", str(tmp_path / "labels")]
    process = begin(mark, "label", *folders, "--engine", join([sys.executable, "-c", code]))
    wait_for(asked.exists)
    return process


def records(mark: str, tmp_path: Path) -> "subprocess.Popen[str]":
    """A run whose engines hang, for three seconds."""
    hangs = join(scripted({"genmove black": "HANG", "genmove white": "HANG"}))
    words = ["--a", hangs, "--b", hangs, "--out", str(tmp_path / "games"), "--size", "5"]
    process = begin(mark, "record", *words, "--seconds-per-move", "3")
    wait_for(lambda: (tmp_path / "games").exists() and len(alive(mark)) == 3)
    return process


@pytest.mark.parametrize("sent", SIGNALS)
def test_no_engine_that_labels_is_left(sent: signal.Signals, mark: str, tmp_path: Path) -> None:
    end(labels(mark, tmp_path), mark, sent)


@pytest.mark.parametrize("sent", SIGNALS)
def test_no_engine_whose_game_is_kept_is_left(
    sent: signal.Signals, mark: str, tmp_path: Path
) -> None:
    assert "ends with what is at work" in end(records(mark, tmp_path), mark, sent)


@pytest.mark.parametrize("work", [labels, records])
def test_a_closed_terminal_may_be_told_twice(
    work: Callable[[str, Path], "subprocess.Popen[str]"], mark: str, tmp_path: Path
) -> None:
    """By a shell, as it ends, and as it has ended."""
    process = work(mark, tmp_path)
    process.send_signal(signal.SIGHUP)
    time.sleep(0.1)
    end(process, mark, signal.SIGHUP)
