"""The engine as a process: pipes that break, searches that end, and how long that takes."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

LONG_SEARCH = ["--game", "connect4", "--agent", "uct", "--seconds", "100", "--threads", "2"]
A_MOMENT = 0.4
"""Seconds after which a search has certainly begun."""
SOON = 1.0
"""Seconds in which a stopped process has certainly ended, on a loaded machine too. That a search
stops within 50 ms is tested where the load can be allowed for, in `test_engine.py`."""
MOVES = [b"=8 %c1\n\n" % column for column in b"ABCDEFG"]


@contextmanager
def engine(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "gtpbot", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )
    try:
        yield process
    finally:
        process.kill()
        with process:  # which closes the pipes
            pass


def send(process: subprocess.Popen[bytes], text: bytes) -> None:
    assert process.stdin
    process.stdin.write(text)


def answer(process: subprocess.Popen[bytes], timeout: float = 20.0) -> bytes:
    """All up to the next empty line."""
    assert process.stdout
    text = b""
    until = time.monotonic() + timeout
    while not text.endswith(b"\n\n"):
        assert select.select([process.stdout], [], [], until - time.monotonic())[0], text
        chunk = os.read(process.stdout.fileno(), 1)
        assert chunk, f"{text!r} and then the end"
        text += chunk
    return text


def searching(process: subprocess.Popen[bytes]) -> None:
    """Bring the engine into the middle of a long search."""
    send(process, b"name\n")
    assert answer(process) == b"= gtpbot\n\n"
    send(process, b"8 genmove b\n")
    time.sleep(A_MOMENT)


def test_interrupt_in_a_search() -> None:
    with engine(*LONG_SEARCH) as process:
        searching(process)
        began = time.monotonic()
        send(process, b"# interrupt\n")
        assert answer(process) in MOVES
        assert time.monotonic() - began < SOON
        send(process, b"name\n")
        assert answer(process) == b"= gtpbot\n\n"


def test_quit_in_a_search() -> None:
    with engine(*LONG_SEARCH) as process:
        searching(process)
        began = time.monotonic()
        send(process, b"9 quit\n")
        assert answer(process) in MOVES
        assert answer(process) == b"=9\n\n"
        assert process.wait(SOON) == 0
        assert time.monotonic() - began < 2 * SOON


def test_end_of_input_in_a_search() -> None:
    with engine(*LONG_SEARCH) as process:
        searching(process)
        assert process.stdin
        process.stdin.close()
        assert answer(process) in MOVES
        assert process.wait(SOON) == 0


def test_ctrl_c_in_a_search() -> None:
    with engine(*LONG_SEARCH) as process:
        searching(process)
        process.send_signal(signal.SIGINT)
        assert process.wait(SOON) == -signal.SIGINT
        assert process.stderr and process.stderr.read() == b""


def test_commands_wait_for_the_search_before_them() -> None:
    with engine("--game", "connect4", "--seconds", "0.5") as process:
        send(process, b"8 genmove b\n9 showboard\n")
        assert answer(process) in MOVES
        assert answer(process).count(b"X") == 1


def test_a_controller_that_reads_no_more() -> None:
    with engine("--agent", "random") as process:
        searching(process)
        assert process.stdout and process.stderr
        process.stdout.close()
        send(process, b"name\n" * 1000)
        assert process.wait(5) == 0
        assert process.stderr.read() == b""


def test_three_hundred_moves_sent_at_once() -> None:
    vertices = [f"{column}{row}" for row in range(1, 18) for column in "ABCDEFGHJKLMNOPQRST"]
    plays = [f"{i} play {'bw'[i % 2]} {v}\n" for i, v in enumerate(vertices[:300])]
    with engine("--agent", "random") as process:
        send(process, "".join(plays).encode() + b"final_score\n")
        for i in range(300):
            assert answer(process) == b"=%d\n\n" % i
        assert answer(process).startswith(b"= ")


@pytest.mark.slow
def test_a_line_of_ten_megabytes() -> None:
    lines = [b"x" * 10_000_000, b"play b " + b"\xff\x00a" * 3_000_000]
    with engine("--agent", "random") as process:
        assert process.stdin
        out, err = process.communicate(b"\n".join([*lines, b"5 name"]), timeout=60)
    assert out.endswith(b"=5 gtpbot\n\n")
    assert out.startswith(b"? unknown command\n\n? syntax error\n\n")
    assert max(map(len, err.splitlines())) < 1000


@pytest.mark.parametrize("begun", [b"name", b"name\nna", b"\n\n"])
def test_a_last_line_without_an_end_counts(begun: bytes) -> None:
    with engine("--agent", "random") as process:
        out, _ = process.communicate(begun, timeout=20)
    assert out == {b"name": b"= gtpbot\n\n", b"\n\n": b""}.get(
        begun, b"= gtpbot\n\n? unknown command\n\n"
    )


def imported(*arguments: str) -> set[str]:
    """The packages that the engine has loaded when it answers its first command."""
    command = [sys.executable, "-X", "importtime", "-m", "gtpbot", *arguments]
    process = subprocess.run(command, input=b"name\n", capture_output=True, timeout=60)
    assert process.stdout == b"= gtpbot\n\n"
    names = (line.rpartition("|")[2].strip() for line in process.stderr.decode().splitlines())
    return {name.partition(".")[0] for name in names}


def test_starting_loads_little() -> None:
    """How long it takes is measured by `gtpbot bench`."""
    loaded = imported("--agent", "rave")
    assert {"pydantic", "search", "gtpcore"} <= loaded
    assert not loaded & {"numpy", "sgfmill", "openvino", "matplotlib", "nets"}


def test_a_net_plays_without_what_trains_it() -> None:
    loaded = imported("--agent", "alphazero", "--size", "9")
    assert {"numpy", "openvino"} <= loaded
    assert not loaded & {"keras", "tensorflow", "onnx", "h5py", "sgfmill", "matplotlib"}


def test_nobody_need_read_stderr() -> None:
    with engine("--agent", "random") as process:
        assert process.stderr
        process.stderr.close()
        process.stderr.close()
        send(process, b"play b z9\nname\nquit\n")
        assert [answer(process) for _ in range(3)] == [
            b"? syntax error\n\n",
            b"= gtpbot\n\n",
            b"=\n\n",
        ]
        assert process.wait(5) == 0


def test_a_match_goes_on_where_standard_error_is_closed(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    words = f"{sys.executable} -m gtpbot match --game coin --games 2 --out {out} random random"
    assert subprocess.run(["sh", "-c", f"{words} 2>&-"], stdout=subprocess.DEVNULL).returncode == 0
    assert len(out.read_text().splitlines()) == 2


def test_the_log_has_all_that_was_said(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with engine("--game", "coin", "--log", str(log)) as process:
        process.communicate(b"name\nplay b 9\n\xffname\n", timeout=20)
    said = [line.split(" ", 1)[1] for line in log.read_text().splitlines()]
    assert said == [
        "< name",
        "> = gtpbot",
        "< play b 9",
        "! play: syntax error: invalid move '9': expected 1 to 2 coins",
        "> ? syntax error",
        r"< \xffname",
        r"! \udcffname: unknown command: did you mean 'name'?",
        "> ? unknown command",
    ]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full, as on macOS")
def test_a_full_disk_is_told_in_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        run = subprocess.run(
            [sys.executable, "-m", "gtpbot", "--agent", "random"],
            input=b"name\n",
            stdout=full,
            stderr=subprocess.PIPE,
        )
    assert run.returncode == 1
    assert run.stderr == b"gtpbot: cannot write an answer: No space left on device\n"
