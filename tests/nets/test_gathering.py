"""Several callers of one net are answered in common batches, each with its own rows."""

import threading

import numpy as np
import pytest

from nets.gathering import LARGEST, Gathering
from tests.support.fakes import Planes


class SlowNet:
    """Says of each position its first number, and waits to be let go on."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.begun = threading.Event()
        self.go_on = threading.Event()

    def __call__(self, planes: Planes) -> tuple[None, Planes]:
        self.batches.append(len(planes))
        self.begun.set()
        assert self.go_on.wait(10)
        if (planes < 0).any():
            raise ValueError("a negative plane")
        return None, planes[:, 0]


def ask_all(net: Gathering, questions: list[Planes], slow: SlowNet) -> list[object]:
    """What each of as many threads was told, of which the first finds the net idle."""
    told: list[object] = [None] * len(questions)

    def ask(number: int) -> None:
        try:
            told[number] = net(questions[number])[1]
        except ValueError as error:
            told[number] = error

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(len(questions))]
    threads[0].start()
    assert slow.begun.wait(10)
    for thread in threads[1:]:
        thread.start()
    while len(net._waiting) < len(questions) - 1:
        threading.Event().wait(0.001)
    slow.go_on.set()
    for thread in threads:
        thread.join(10)
    return told


def positions(*numbers: float) -> Planes:
    return np.array([[number, 7.0] for number in numbers], np.float32)


def test_those_who_wait_share_a_batch() -> None:
    slow = SlowNet()
    asked = [positions(1), positions(2, 3), positions(4), positions(5, 6, 7)]
    told = ask_all(Gathering(slow, cores=1), asked, slow)
    assert slow.batches == [1, 6]
    for question, answer in zip(asked, told, strict=True):
        assert np.array_equal(answer, question[:, 0])  # type: ignore[arg-type]


def test_a_batch_has_a_greatest_size() -> None:
    slow = SlowNet()
    asked = [positions(0), *(positions(*range(40)) for _ in range(3))]
    ask_all(Gathering(slow, cores=1), asked, slow)
    assert slow.batches == [1, 40, 40, 40]
    assert LARGEST < 80


def test_an_error_reaches_all_who_shared_the_batch() -> None:
    slow = SlowNet()
    told = ask_all(Gathering(slow, cores=1), [positions(1), positions(-1), positions(2)], slow)
    assert isinstance(told[1], ValueError)
    assert isinstance(told[2], ValueError)


def test_an_answer_outlives_the_callers_array() -> None:
    slow = SlowNet()
    slow.go_on.set()
    net = Gathering(slow, cores=1)
    planes = positions(3)
    _, value = net(planes)
    planes[:] = 0
    assert value == pytest.approx([3.0])
