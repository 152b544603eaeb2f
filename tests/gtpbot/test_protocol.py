"""Lines and frames."""

import pytest

from gtpbot.gtp.protocol import Command, failure, is_interrupt, parse_line, success
from gtpbot.text.words import quote


@pytest.mark.parametrize(
    ("line", "command"),
    [
        (b"name", Command("", "name", "")),
        (b"12 name", Command("12", "name", "")),
        (b"  0012   name  ", Command("0012", "name", "")),
        (b"play B\tD4 ", Command("", "play", "B D4")),
        (b"loadsgf a  file.SGF 3\r", Command("", "loadsgf", "a  file.SGF 3")),
        (b"na\0m\x1be\x7f", Command("", "name", "")),
        (b"name# comment", Command("", "name", "")),
        (b"12", Command("12", "", "")),
        (b"-1 name", Command("", "-1", "name")),
        (b"2147483648 name", Command("", "2147483648", "name")),
        ("٣ name".encode(), Command("", "٣", "name")),
        ("gogui-title é\u00a0x".encode(), Command("", "gogui-title", "é\u00a0x")),
        (b"loadsgf \xe9.sgf", Command("", "loadsgf", "\udce9.sgf")),
    ],
)
def test_parse_line(line: bytes, command: Command) -> None:
    assert parse_line(line) == command


@pytest.mark.parametrize("line", [b"", b" \t ", b"\r", b"# name", b"\0\x07", b"  # 7 name"])
def test_lines_without_a_command(line: bytes) -> None:
    assert parse_line(line) is None


def test_interrupt_is_one_comment_and_no_other() -> None:
    assert is_interrupt(b"# interrupt\r")
    assert not is_interrupt(b"# interrupted")
    assert not is_interrupt(b"name # interrupt")


@pytest.mark.parametrize(
    ("text", "frame"),
    [
        ("", "=7\n\n"),
        ("two words", "=7 two words\n\n"),
        ("one\ntwo\n\n\nthree\n", "=7 one\ntwo\nthree\n\n"),
        ("\n. .\n. .", "=7 \n. .\n. .\n\n"),
        ("one\n \n\ttwo", "=7 one\n\ttwo\n\n"),
        ("one\n= two\n?3\ninfo", "=7 one\n = two\n ?3\ninfo\n\n"),
        ("a\rb\0c\r\nd", "=7 abc\nd\n\n"),
    ],
)
def test_success(text: str, frame: str) -> None:
    assert success("7", text) == frame


def test_an_answer_without_id() -> None:
    assert success("", "text") == "= text\n\n"
    assert success("") == "=\n\n"


def test_failure_is_one_line_of_sane_length() -> None:
    assert failure("7", "two\n\nlines ") == "?7 two lines\n\n"
    assert failure("", "x" * 1000) == f"? {'x' * 400}... (600 more)\n\n"


def test_quotes_are_printable_and_short() -> None:
    assert quote("a'b") == '"a\'b"'
    assert quote("\udcff\u2028\n") == r"'\udcff\u2028\n'"
    assert quote("x" * 81) == f"'{'x' * 80}'..."
