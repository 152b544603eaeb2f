"""Batches made in threads before they are asked for."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing

import pytest

from nets.train.ahead import Recent, ahead


@pytest.mark.parametrize("threads", [1, 4])
def test_batches_come_in_the_order_of_their_numbers(threads: int) -> None:
    def make(number: int) -> int:
        time.sleep(0.01 * (number % 3))
        return number * number

    assert list(ahead(make, range(5, 40), threads)) == [n * n for n in range(5, 40)]
    assert list(ahead(make, range(3, 3), threads)) == []


def test_the_next_ones_are_made_meanwhile_and_no_more() -> None:
    made = threading.Semaphore(0)

    def make(number: int) -> int:
        made.release()
        return number

    with closing(ahead(make, range(100), 3)) as batches:
        assert next(batches) == 0
        assert all(made.acquire(timeout=10) for _ in range(6))
        assert not made.acquire(timeout=0.3)
        assert next(batches) == 1
        assert made.acquire(timeout=10)
        assert not made.acquire(timeout=0.3)


def test_one_thread_makes_none_before_its_time() -> None:
    made: list[int] = []
    next(ahead(made.append, range(3, 9), 1))
    assert made == [3]


def test_what_goes_wrong_is_told() -> None:
    def make(number: int) -> int:
        if number == 20:
            raise ValueError("batch 20")
        return number

    batches = ahead(make, range(30), 2)
    assert next(batches) == 0
    with pytest.raises(ValueError, match="batch 20"):
        list(batches)


def test_nothing_goes_on_once_no_more_is_wanted() -> None:
    before = threading.active_count()
    with closing(ahead(lambda number: number, range(1_000_000), 4)) as batches:
        next(batches)
        assert threading.active_count() > before
    assert threading.active_count() == before


WAITS = """
import time
from contextlib import closing
from nets.train.ahead import ahead

def make(number):
    time.sleep(IN_THREADS)
    return number

with closing(ahead(make, range(1000), 2)) as batches:
    for number in batches:
        print(number, flush=True)
        time.sleep(MEANWHILE)
"""


@pytest.mark.parametrize(("in_threads", "meanwhile"), [(0, 100), (1, 0)])
def test_ctrl_c_ends_it_soon(in_threads: float, meanwhile: float) -> None:
    """While the batch is used, as well as while it is waited for."""
    program = WAITS.replace("IN_THREADS", str(in_threads)).replace("MEANWHILE", str(meanwhile))
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"0\n"
        os.kill(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=20)
    assert process.returncode == -signal.SIGINT
    assert told.rstrip().endswith(b"KeyboardInterrupt")


def test_threads_wait_rather_than_make_a_thing_twice() -> None:
    made: list[int] = []

    def make(key: int) -> int:
        time.sleep(0.05)
        made.append(key)
        return key

    recent: Recent[int, int] = Recent(2)
    threads = [threading.Thread(target=recent, args=(1, make)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]
    assert [recent(key, make) for key in (2, 3, 2)] == [2, 3, 2]
    assert recent(1, make) == 1
    assert made == [1, 2, 3, 1]


def test_what_is_at_hand_waits_for_nothing_else() -> None:
    recent: Recent[int, int] = Recent(2)
    assert recent(1, abs) == 1
    begun, enough = threading.Event(), threading.Event()

    def slow(key: int) -> int:
        begun.set()
        enough.wait(10)
        return key

    thread = threading.Thread(target=recent, args=(2, slow))
    thread.start()
    assert begun.wait(10)
    assert recent(1, slow) == 1
    assert thread.is_alive()
    enough.set()
    thread.join()


def test_what_failed_to_be_made_is_made_again() -> None:
    recent: Recent[int, float] = Recent(1)
    with pytest.raises(ZeroDivisionError):
        recent(0, lambda key: 1 / key)
    assert recent(0, float) == 0
