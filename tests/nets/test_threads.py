"""Work on several threads, and its end before it is done."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from nets.threads import in_threads

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
    assert run.stderr == "\nCtrl-C: what is at work is finished first\n"
