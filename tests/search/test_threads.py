"""The threads of a search: their errors, and what happens where there are not enough of them.

In processes of their own, as a failure is one that hangs.
"""

import subprocess
import sys

import pytest

ERRORS = """
import threading

import numpy as np

import gtpcore


class Failing:
    calls = 0

    def __call__(self, planes):
        self.calls += 1
        if self.calls > 40:  # by now all threads ask
            raise ValueError("no")
        return np.full((len(planes), 7), 1 / 7, np.float32), np.zeros(len(planes), np.float32)


def run(search):
    try:
        search.run(1000)
    except ValueError:
        print("raised")


state = gtpcore.ConnectFourState()
for _ in range(20):
    net = gtpcore.Net(Failing(), state.planes().shape, 7, has_policy=True, has_value=True)
    evaluator = gtpcore.NetEvaluator(prior=net, value=net, value_weight=1.0, batch_size=1)
    search = gtpcore.Search(state, evaluator, gtpcore.Puct(1.25), threads=8, max_bytes=1 << 20)
    thread = threading.Thread(target=run, args=(search,))
    thread.start()
    while thread.is_alive():
        search.children()
"""

NO_MEMORY = """
import resource
from pathlib import Path

import gtpcore

search = gtpcore.Search(
    gtpcore.GoState(9), gtpcore.Evaluator(), gtpcore.Ucb1(), threads=100, max_bytes=1 << 20
)
pages = int(Path("/proc/self/statm").read_text().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (200 << 20),) * 2)
try:
    search.run()
except RuntimeError:
    print("raised")
"""


def output(program: str) -> str:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout


def test_errors_of_several_threads_at_once_while_somebody_looks_on() -> None:
    """An error of Python ends under the interpreter's lock, which who looks on may hold."""
    assert output(ERRORS) == 20 * "raised\n"


@pytest.mark.skipif(sys.platform != "linux", reason="the limit works on Linux alone")
def test_a_search_without_enough_threads_raises() -> None:
    assert output(NO_MEMORY) == "raised\n"
