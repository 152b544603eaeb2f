"""Analysis by a real process: lines that stop it, pipes that break, and the same over JSON."""

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from gtpbot.cli import main

PATIENCE = 30


@contextmanager
def engine(*arguments: str) -> Iterator[tuple[IO[bytes], IO[bytes], subprocess.Popen[bytes]]]:
    """What to write to, what to read from, and the process."""
    command = [sys.executable, "-m", "gtpbot", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0) as process:
        try:
            assert process.stdin and process.stdout
            yield process.stdin, process.stdout, process
        finally:
            process.kill()


@contextmanager
def analyzing() -> Iterator[tuple[IO[bytes], IO[bytes], subprocess.Popen[bytes]]]:
    """An engine that has told the first line."""
    with engine("--game", "connect4", "--agent", "uct") as (stdin, stdout, process):
        stdin.write(b"5 kata-analyze 10\n")
        assert stdout.readline() == b"=5\n"
        assert stdout.readline().startswith(b"info move ")
        yield stdin, stdout, process


@pytest.mark.parametrize("line", [b"\n", b"# comment\r\n", b"7 name\n", b"\t\n"])
def test_a_line_stops_it(line: bytes) -> None:
    with analyzing() as (stdin, stdout, process):
        stdin.write(line + b"8 quit\n")
        told = stdout.read().decode()
        assert process.wait(PATIENCE) == 0
    named = "=7 gtpbot\n\n" if b"name" in line else ""
    assert re.fullmatch(rf"(info .*\n)*\n{named}=8\n\n", told)


@pytest.mark.parametrize("half", [b"", b"nam"])
def test_the_end_of_the_input_stops_it(half: bytes) -> None:
    """Also in the middle of a line."""
    with analyzing() as (stdin, stdout, process):
        stdin.write(half)
        stdin.close()
        told = stdout.read().decode()
        assert process.wait(PATIENCE) == 0
    assert re.fullmatch(r"(info .*\n)*\n(\? unknown command\n\n)?", told)


def test_a_reader_that_goes_away_stops_it() -> None:
    with analyzing() as (_, stdout, process):
        stdout.close()
        assert process.wait(PATIENCE) == 0


def test_queries_are_answered_after_the_end_of_the_input() -> None:
    queries = [{"id": str(n), "moves": [], "maxVisits": 50} for n in range(5)]
    run = subprocess.run(
        [sys.executable, "-m", "gtpbot", "analysis", "--game", "tictactoe", "--positions", "2"],
        input="".join(json.dumps(query) + "\n" for query in queries).encode(),
        capture_output=True,
        timeout=PATIENCE,
        check=True,
    )
    told = [json.loads(line) for line in run.stdout.splitlines()]
    assert sorted(each["id"] for each in told) == ["0", "1", "2", "3", "4"]
    assert all(each["moveInfos"][0]["visits"] > 5 for each in told)


def test_clients_may_start_it_as_they_start_katago() -> None:
    katagos = ["-config", "no.cfg", "-model=no.bin.gz", "-override-config", "a=1,b=2"]
    words = ["analysis", *katagos, "-quit-without-waiting", "-analysis-threads", "3"]
    run = subprocess.run(
        [sys.executable, "-m", "gtpbot", *words, "--game", "coin", "--agent", "random"],
        input=b'{"id":"q"}\n',
        capture_output=True,
        timeout=PATIENCE,
        check=True,
    )
    assert json.loads(run.stdout)["moveInfos"]
    ignored = b"-config, -model, -override-config, -analysis-threads, -quit-without-waiting"
    assert run.stderr.startswith(b"gtpbot: " + ignored + b": KataGo's own, without effect here\n")


def test_who_it_says_it_is_and_what_it_keeps_of_all_that_was_said(tmp_path: Path) -> None:
    log, query = tmp_path / "log", '{"id":"v","action":"query_version"}'
    words = ["analysis", "--identity", "KataGo/1.16.0", "--log", str(log)]
    run = subprocess.run(
        [sys.executable, "-m", "gtpbot", *words, "--game", "coin", "--agent", "random"],
        input=f"{query}\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert json.loads(run.stdout)["version"] == "1.16.0"
    assert run.stderr == "gtpbot: 1.16.0, ready to begin handling requests\n"
    kept = log.read_text()
    assert query in kept and run.stdout.strip() in kept


def test_a_client_may_ask_everything_before_it_reads_anything() -> None:
    """More than the pipes hold."""
    number = 2500
    with engine("analysis", "--agent", "random") as (stdin, stdout, _):
        asking = threading.Thread(target=stdin.write, args=(number * (b"x" * 200 + b"\n"),))
        asking.start()
        asking.join(10)
        assert not asking.is_alive()
        assert all(b"no JSON" in stdout.readline() for _ in range(number))


def test_a_client_of_queries_that_goes_away() -> None:
    with engine("analysis", "--game", "connect4") as (stdin, stdout, process):
        query = {"id": "q", "maxVisits": 10**9, "reportDuringSearchEvery": 0.05}
        stdin.write(json.dumps(query).encode() + b"\n")
        assert json.loads(stdout.readline())["isDuringSearch"]
        stdout.close()
        stdin.close()
        assert process.wait(PATIENCE) == 0


def test_a_client_that_goes_away_before_it_is_told_anything() -> None:
    """As one that is killed; the search would have nothing to write for hours."""
    with engine("analysis", "--game", "connect4", "--agent", "uct") as (stdin, stdout, process):
        queries = [{"id": "q", "maxVisits": 10**12}, {"id": "t", "action": "query_version"}]
        stdin.write(b"".join(json.dumps(query).encode() + b"\n" for query in queries))
        assert json.loads(stdout.readline())["id"] == "t"
        stdout.close()
        stdin.close()
        assert process.wait(PATIENCE) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full, as on macOS")
def test_a_full_disk_is_told_in_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        run = subprocess.run(
            [sys.executable, "-m", "gtpbot", "analysis", "--game", "coin", "--agent", "random"],
            input=b'{"id":"q"}\n',
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=PATIENCE,
        )
    assert run.returncode == 1
    _, *told = run.stderr.splitlines()
    assert told == [b"gtpbot: cannot write an answer: No space left on device"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--positions", "0"], "--positions 0: expected 1 or more"),
        (["--record", "games"], "--record games: no game is played here"),
        (["--agent", "nobody"], "unknown agent 'nobody'"),
        (["--agent", "random", "--playouts", "5"], "agent random has no 'playouts'"),
    ],
)
def test_options_that_do_not_fit(
    arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["analysis", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert reason in err
