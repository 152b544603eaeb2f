"""Work on several threads, which Ctrl-C surely ends."""

import sys
import threading
from collections.abc import Callable, Generator, Iterable
from queue import SimpleQueue
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_threads(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Generator[Result, None, None]:
    """What `work` makes of each item, as soon as it is done. Raises what `work` raises.

    Then, after Ctrl-C, and once the iterator is closed, no more is begun, and what is at work is
    finished; after Ctrl-C a line says so. Futures cannot promise that: KeyboardInterrupt in the
    midst of their bookkeeping may leave all of them to be worked off, or a lock held for good.
    """
    listed = list(items)
    left = iter(listed)
    done: SimpleQueue[tuple[Result] | BaseException] = SimpleQueue()
    over = False

    def serve() -> None:
        for item in left:
            if over:
                break
            try:
                done.put((work(item),))
            except BaseException as error:
                done.put(error)

    workers = [
        threading.Thread(target=serve, name="worker") for _ in range(min(threads, len(listed)))
    ]
    try:
        for worker in workers:
            worker.start()
        for _ in listed:
            outcome = done.get()
            if isinstance(outcome, BaseException):
                raise outcome
            yield outcome[0]
    except KeyboardInterrupt:
        print("\nCtrl-C: what is at work is finished first", file=sys.stderr, flush=True)
        raise
    finally:
        over = True
        for worker in workers:
            if worker.ident is not None:
                worker.join()
