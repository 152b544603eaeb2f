"""How far long work has come, on a terminal and off it."""

import fcntl
import io
import os
import pty
import struct
import termios
from pathlib import Path

import pytest

from gtpbot.text.terminal import Bar, Terminal


class Window(io.StringIO):
    """A terminal that shows all that was ever written."""

    def isatty(self) -> bool:
        return True


def test_off_a_terminal_the_end_alone_is_told_of_quick_work(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Bar("games", 2) as bar:
        bar.tell(1, "one")
        bar.tell(2, "two")
    assert capsys.readouterr().err == "games: 2 of 2, two\n"


def test_on_a_terminal_a_bar_gives_way_to_the_last_line(monkeypatch: pytest.MonkeyPatch) -> None:
    window = Window()
    monkeypatch.setattr("sys.stderr", window)
    monkeypatch.setenv("TERM", "xterm")
    with Bar("games", 2) as bar:
        bar.tell(1, "one")
        bar.tell(2, "two")
    clear = "\r\x1b[K"
    assert window.getvalue() == (
        f"{clear}games [{'#' * 12}{'.' * 12}] 1/2, 0:00 left  one{clear}games: 2 of 2, two\n"
    )


def test_work_that_is_broken_off_leaves_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    window = Window()
    monkeypatch.setattr("sys.stderr", window)
    monkeypatch.setenv("TERM", "xterm")
    with pytest.raises(KeyboardInterrupt), Bar("games", 2) as bar:
        bar.tell(1, "one")
        raise KeyboardInterrupt
    assert window.getvalue().endswith("one\r\x1b[K")


def test_the_window_of_a_stream_is_not_that_of_standard_output(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    master, slave = pty.openpty()
    with os.fdopen(master), os.fdopen(slave, "w") as window, Path(os.devnull).open("w") as nowhere:
        monkeypatch.setattr("sys.__stdout__", nowhere)
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("4H", 10, 33, 0, 0))
        assert Terminal(window).width == 33
        assert Terminal(nowhere).width == Terminal(io.StringIO()).width == 80
