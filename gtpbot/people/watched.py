"""Long work that a person watches, and may end by Ctrl-C."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from gtpbot.gtp.thinking import STOP_EVERY
from nets.threads import held_interrupts

LOOK_EVERY = 0.2
"""Seconds."""

Result = TypeVar("Result")


def watched(
    work: Callable[[], Result],
    stop: Callable[[], None],
    look: Callable[[], None] = lambda: None,
) -> Result:
    """What `work` returns; it is done on a thread of its own, and meanwhile `look` is called.

    Ctrl-C calls `stop` until the work is over, and is then raised as ever.
    """
    with held_interrupts() as interrupts, ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            while not wait([future], LOOK_EVERY).done and not interrupts:
                look()
        finally:
            while not future.done():
                stop()
                time.sleep(STOP_EVERY)
    return future.result()
