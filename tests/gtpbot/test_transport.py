"""Lines in, text out, over real pipes."""

import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gtpbot.cli import main
from gtpbot.gtp.transport import CHUNK, Inbox, Outbox, read_lines
from gtpbot.text.stdout import Disconnected, tell


def lines_of(data: bytes) -> list[bytes]:
    reading, writing = os.pipe()

    def write() -> None:
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(data)

    writer = threading.Thread(target=write)
    writer.start()
    lines = list(read_lines(reading))
    writer.join()
    os.close(reading)
    return lines


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"a", [b"a"]),
        (b"a\n", [b"a"]),
        (b"\n", [b""]),
        (b"a\n\nb\r\nc", [b"a", b"", b"b\r", b"c"]),
        (b"\0\xff\n", [b"\0\xff"]),
    ],
)
def test_lines(data: bytes, lines: list[bytes]) -> None:
    assert lines_of(data) == lines


def test_lines_longer_than_a_chunk() -> None:
    long = b"x" * (3 * CHUNK + 5)
    assert lines_of(long + b"\n" + long[: CHUNK - 1] + b"\n" + long) == [
        long,
        long[: CHUNK - 1],
        long,
    ]


def test_a_lost_input_is_an_ended_one() -> None:
    reading, writing = os.pipe()
    os.close(writing)
    os.close(reading)
    assert list(read_lines(reading)) == []


def test_an_input_that_returns_at_once_is_waited_for() -> None:
    """Some controllers give us a pipe that does not block."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    lines = read_lines(reading)
    later = threading.Timer(0.1, os.write, (writing, b"name\n"))
    later.start()
    assert next(lines) == b"name"
    later.join()
    os.close(writing)
    assert list(lines) == []
    os.close(reading)


def test_an_output_that_is_full_is_waited_for() -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    text = "x" * (1 << 20)
    writer = threading.Thread(target=Outbox(writing).write, args=(text,))
    writer.start()
    writer.join(0.1)
    assert writer.is_alive(), "it gave up, or the pipe holds all of the text"
    with os.fdopen(reading, "rb") as pipe:
        assert pipe.read(len(text)).decode() == text
    writer.join()
    os.close(writing)


def test_text_goes_out_whole_as_utf8() -> None:
    reading, writing = os.pipe()
    text = "é\udcff" + "x" * 300_000
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.extend(read_lines(reading)))
    reader.start()
    Outbox(writing).write(text)
    os.close(writing)
    reader.join()
    os.close(reading)
    assert b"".join(received) == b"\xc3\xa9\\udcff" + b"x" * 300_000


def test_nobody_listens() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with pytest.raises(Disconnected):
        Outbox(writing).write("text")
    os.close(writing)


def test_it_is_known_without_writing_that_nobody_listens() -> None:
    reading, writing = os.pipe()
    outbox = Outbox(writing)
    outbox.write("text")
    assert outbox.has_reader()
    os.close(reading)
    assert not outbox.has_reader()
    os.close(writing)


def test_a_file_is_taken_to_be_read(tmp_path: Path) -> None:
    with (tmp_path / "answers").open("wb") as file:
        assert Outbox(file.fileno()).has_reader()


def test_an_inbox_hears_each_line_and_the_end() -> None:
    heard: list[bytes | None] = []
    inbox = Inbox([b"a", b"b"], lambda line, inbox: heard.append(line))
    assert list(inbox) == [b"a", b"b"]
    assert heard == [b"a", b"b", None]


def test_whatever_prints_goes_to_stderr() -> None:
    program = """
import os
from gtpbot.gtp.transport import claim_stdout
out = claim_stdout()
print("noise", flush=True)
os.system("echo more noise")
out.write("answer")
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=20)
    assert run.stdout == b"answer"
    assert run.stderr == b"noise\nmore noise\n"


def test_answers_to_nobody_do_not_land_in_the_log(tmp_path: Path) -> None:
    """A file that is opened while standard output is closed takes its number."""
    log = tmp_path / "log"
    command = f"exec {sys.executable} -m gtpbot --agent random --log {log} >&-"
    run = subprocess.run(["sh", "-c", command], input=b"name\n", stderr=subprocess.PIPE, timeout=60)
    assert not log.exists()
    assert b"= gtpbot" not in run.stderr


TICTACTOE = ["openings", "--game", "tictactoe", "--count", "1", "--moves", "3"]


def test_who_leaves_before_the_results_are_there_is_told_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        assert main(TICTACTOE) == 0
    assert "Error" not in capsys.readouterr().err


def test_what_a_terminal_cannot_show_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(shown, encoding="ascii"))
    tell("\u0141ukasz won")
    assert shown.getvalue() == b"?ukasz won\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(TICTACTOE) == 1
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.startswith("gtpbot: cannot write to standard output: ")
