"""Long work that a person watches, and may end by Ctrl-C."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

from gtpbot.gtp.thinking import STOP_EVERY
from nets.threads import interrupts_handled_by

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
    with _held_interrupts() as interrupts, ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            while not wait([future], every).done and not interrupts:
                look()
        finally:
            while not future.done():
                stop()
                time.sleep(STOP_EVERY)
    return future.result()


@contextmanager
def _held_interrupts() -> Iterator[list[int]]:
    """Note each Ctrl-C in the list that this gives; raise KeyboardInterrupt after the body.

    Raised at once, it could strike between two steps of a wait, and leave locked for good what
    the other thread needs.
    """
    held: list[int] = []
    with interrupts_handled_by(lambda number, frame: held.append(number)):
        yield held
    if held:
        raise KeyboardInterrupt
