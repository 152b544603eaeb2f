"""Work on several threads, and its end before it is done."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from nets.threads import in_threads, interrupts_handled_by

ROOT = Path(__file__).parents[2]


def test_all_is_worked_off_by_several_threads_at_once() -> None:
    together = threading.Barrier(3, timeout=5)

    def work(number: int) -> int:
        together.wait()
        return number * number

    assert sorted(in_threads(work, range(6), 3)) == [0, 1, 4, 9, 16, 25]
    assert list(in_threads(work, [], 3)) == []


def test_an_error_is_raised_and_ends_the_work() -> None:
    begun: list[int] = []

    def work(number: int) -> None:
        begun.append(number)
        if number == 2:
            raise ValueError("two")
        time.sleep(0.01 if number < 2 else 0.2)

    with pytest.raises(ValueError, match="two"):
        list(in_threads(work, range(100), 1))
    assert len(begun) < 10


INTERRUPTED = """
import os, signal, sys, time
from nets.threads import in_threads

begun = []

def work(number):
    begun.append(number)
    if number == 5:
        os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.001 if number < 5 else 0.1)

try:
    list(in_threads(work, range(100_000), 1))
except KeyboardInterrupt:
    print(len(begun))
"""


def test_ctrl_c_lets_nothing_more_begin() -> None:
    """Not even while what there is to do is still being given out; a line tells why it waits."""
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=30, cwd=ROOT
    )
    assert 6 <= int(run.stdout) < 10, run.stderr
    assert run.stderr == "\nCtrl-C: ends with what is at work; again: at once\n"


GIVEN_UP = """
import os, signal, threading, time
from nets.threads import GivenUpError, go_on, in_threads

both_at_work = threading.Barrier(2)
given_up = []

def step(number):
    both_at_work.wait()
    if number == 0:
        os.kill(os.getpid(), signal.SIGINT)
    try:
        while True:
            go_on()
            time.sleep(0.001)
    except GivenUpError:
        try:
            list(in_threads(lambda _: go_on(), [None], 1))
        except GivenUpError:
            given_up.append(number)
        raise

try:
    list(in_threads(lambda _: list(in_threads(step, range(9), 2)), [None], 1))
except KeyboardInterrupt:
    print(sorted(given_up), flush=True)
for _ in in_threads(lambda _: go_on(), [None], 1):
    print("what comes later is not given up")
"""


def test_what_asks_whether_to_go_on_is_given_up_after_ctrl_c() -> None:
    """In threads that threads have begun, and that they begin later, too."""
    run = subprocess.run(
        [sys.executable, "-c", GIVEN_UP], capture_output=True, text=True, timeout=30, cwd=ROOT
    )
    assert run.stdout == "[0, 1]\nwhat comes later is not given up\n", run.stderr


TWICE = """
import os, signal, sys, threading
from nets.threads import in_threads

sent = signal.Signals[sys.argv[1]]
signal.signal(signal.SIGTERM, signal.default_int_handler)  # as the command line has it

def work(number):
    os.kill(os.getpid(), sent)
    os.read(0, 1)  # until the first one has been told of
    os.kill(os.getpid(), sent)
    threading.Event().wait()

list(in_threads(work, [1], 1))
"""


@pytest.mark.parametrize("sent", ["SIGINT", "SIGTERM"])
def test_ctrl_c_again_ends_the_process_at_once(sent: str) -> None:
    """Though its threads would never end."""
    command = [sys.executable, "-c", TWICE, sent]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdin is not None and process.stderr is not None
        assert process.stderr.readline() == "\n"
        assert process.stderr.readline().startswith("Ctrl-C: ends with what is at work")
        process.stdin.write("\n")
        process.stdin.flush()
        try:
            assert process.wait(timeout=60) == 130
        finally:
            process.kill()
        assert process.stderr.read() == ""


def test_a_signal_that_is_ignored_stays_so() -> None:
    """As `nohup` has it with SIGHUP."""
    met, usual = list[int](), signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupts_handled_by(lambda number, frame: met.append(number)):
            signal.raise_signal(signal.SIGHUP)
        assert met == []
    finally:
        signal.signal(signal.SIGHUP, usual)
