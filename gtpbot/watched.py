"""Long work that a person watches, and may end by Ctrl-C."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from gtpbot.thinking import STOP_EVERY

Result = TypeVar("Result")


def watched(
    work: Callable[[], Result],
    stop: Callable[[], None],
    look: Callable[[], None] = lambda: None,
    every: float = 0.2,
) -> Result:
    """What `work` returns; it is done on a thread of its own, and meanwhile `look` is called.

    Ctrl-C calls `stop` until the work is over, and is then raised as ever.
    """
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            while not wait([future], every).done:
                look()
        except BaseException:
            pause = threading.Event()
            while not future.done():
                stop()
                pause.wait(STOP_EVERY)
            raise
        return future.result()
