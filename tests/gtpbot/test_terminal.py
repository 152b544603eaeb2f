"""How far long work has come, on a terminal and off it."""

import fcntl
import io
import os
import pty
import struct
import termios
from pathlib import Path
from types import SimpleNamespace

import pytest

from gtpbot.text.tables import cut, width
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


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that bars read, which passes only here."""
    now = [100.0]
    monkeypatch.setattr("gtpbot.text.terminal.time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def test_off_a_terminal_long_work_is_told_of_now_and_then(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with Bar("games", 9) as bar:
        for done in range(1, 6):
            clock[0] += 3.0
            bar.tell(done, "so")
    assert capsys.readouterr().err == "games: 2 of 9, so\ngames: 4 of 9, so\n"


def test_what_is_left_is_told_by_what_was_done_since_the_start(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    window = Window()
    monkeypatch.setattr("sys.stderr", window)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    with Bar("games", 10, done=4) as bar:
        bar.tell(4, "so")
        clock[0] += 130.0
        bar.say("a line")
        bar.tell(6, "so")
    clear = "\r\x1b[K"
    assert window.getvalue() == (
        f"{clear}games [{'#' * 9}{'.' * 15}] 4/10  so{clear}a line\n"
        f"{clear}games [{'#' * 14}{'.' * 10}] 6/10, 4:20 left  so{clear}"
    )


def test_a_status_is_written_once_and_cut_to_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "10")
    window = Window()
    terminal = Terminal(window)
    for _ in range(2):
        terminal.status("0123456789")
    assert window.getvalue() == "\r\x1b[K012345678"


@pytest.mark.parametrize(
    ("kind", "no_color", "stream", "expected"),
    [
        ("xterm", "", Window(), True),
        ("xterm", "1", Window(), False),
        ("dumb", "", Window(), False),
        ("xterm", "", io.StringIO(), False),
    ],
)
def test_colours_are_for_terminals_that_want_some(
    kind: str,
    no_color: str,
    stream: io.StringIO,
    expected: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", kind)
    monkeypatch.setenv("NO_COLOR", no_color)
    assert Terminal(stream).has_colours is expected
    assert Terminal(stream, colours=True).has_colours


def test_what_an_encoding_lacks_is_neither_drawn_nor_in_the_way() -> None:
    whole = "Zoë\n".encode()
    for encoding, said in (("UTF-8", whole), ("utf8", whole), ("ascii", b"Zo?\n")):
        written = io.BytesIO()
        stream = io.TextIOWrapper(written, encoding=encoding)
        terminal = Terminal(stream)
        terminal.say("Zoë")
        assert written.getvalue() == said  # at once
        assert terminal.has_unicode is (encoding != "ascii")
        assert not Terminal(stream, ascii_only=True).has_unicode


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


def test_how_wide_letters_are() -> None:
    """Twice for Chinese letters and Latin ones of that width, and not at all for an accent."""
    assert [width(letter) for letter in ("囲", "\uff21", "A", "\u0301")] == [2, 2, 1, 0]
    assert cut("e\u0301e", 1) == "e\u0301"
