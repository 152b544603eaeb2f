"""Batches made in threads before they are asked for."""

import threading
import time

import pytest

from nets.train.ahead import HELD, Ahead, Recent


@pytest.mark.parametrize("threads", [1, 4])
def test_batches_are_those_of_their_numbers(threads: int) -> None:
    ahead = Ahead(lambda number: number * number, threads)
    asked = [*range(5), 30, 31, 7, 8]
    assert [ahead(number) for number in asked] == [number * number for number in asked]


def test_the_next_ones_are_made_meanwhile() -> None:
    made = threading.Semaphore(0)

    def make(number: int) -> int:
        made.release()
        return number

    ahead = Ahead(make, 3)
    assert ahead(10) == 10
    assert all(made.acquire(timeout=10) for _ in range(4))
    assert not made.acquire(blocking=False)


def test_one_thread_makes_none_before_its_time() -> None:
    made: list[int] = []
    ahead = Ahead(made.append, 1)
    ahead(3)
    assert made == [3]


def test_what_goes_wrong_is_told_when_the_batch_is_asked_for() -> None:
    def make(number: int) -> int:
        if number == 2:
            raise ValueError("batch 2")
        return number

    ahead = Ahead(make, 2)
    assert [ahead(0), ahead(1)] == [0, 1]
    with pytest.raises(ValueError, match="batch 2"):
        ahead(2)
    assert ahead(3) == 3


def test_threads_wait_rather_than_make_a_thing_twice() -> None:
    made: list[int] = []

    def make(key: int) -> int:
        time.sleep(0.05)
        made.append(key)
        return key

    recent = Recent(make)
    threads = [threading.Thread(target=recent, args=(1,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]
    for key in range(2, 2 + HELD):
        assert recent(key) == key
    assert recent(1) == 1
    assert made == [1, *range(2, 2 + HELD), 1]
