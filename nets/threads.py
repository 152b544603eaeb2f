"""Work on several threads, which Ctrl-C surely ends."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from types import FrameType
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_interrupted = threading.Event()
"""Whether Ctrl-C has ended the work that the main thread waits for."""


class GivenUpError(Exception):
    """Work was left undone after Ctrl-C."""


def go_on() -> None:
    """Between two steps of long work that may be lost: raise GivenUpError after Ctrl-C."""
    if _interrupted.is_set():
        raise GivenUpError("left undone after Ctrl-C")


def in_threads(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Generator[Result, None, None]:
    """What `work` makes of each item, as soon as it is done. Raises what `work` raises.

    Then, after Ctrl-C, and once the iterator is closed, no more is begun, and what is at work is
    finished, or given up where it asks whether to `go_on`; work may use threads of its own so.
    After Ctrl-C a line says this, and a second one ends the process. Futures cannot promise that:
    KeyboardInterrupt in the midst of their bookkeeping may leave all of them to be worked off, or a
    lock held for good.
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
                go_on()
                done.put((work(item),))
            except BaseException as error:
                done.put(error)

    workers = [
        threading.Thread(target=serve, name="worker") for _ in range(min(threads, len(listed)))
    ]
    if threading.current_thread() is threading.main_thread():
        _interrupted.clear()
    try:
        for worker in workers:
            worker.start()
        for _ in listed:
            outcome = done.get()
            if isinstance(outcome, BaseException):
                raise outcome
            yield outcome[0]
    except KeyboardInterrupt:
        over = True
        _interrupted.set()
        with _ctrl_c_ends_the_process():
            said = "Ctrl-C: ends with what is at work; again: at once"
            print(f"\n{said}", file=sys.stderr, flush=True)
            _join(workers)
        raise
    finally:
        over = True
        with _ctrl_c_ends_the_process():
            _join(workers)


def _join(workers: Iterable[threading.Thread]) -> None:
    for worker in workers:
        if worker.ident is not None:
            worker.join()


@contextmanager
def _ctrl_c_ends_the_process() -> Iterator[None]:
    """Not by an exception, after which Python would wait for all threads.

    Nothing is damaged by it, as files are written whole or not at all.
    """
    with interrupts_handled_by(lambda *_: os._exit(130)):
        yield


@contextmanager
def interrupts_handled_by(handler: Callable[[int, FrameType | None], Any]) -> Iterator[None]:
    """Call this instead of raising KeyboardInterrupt: after Ctrl-C, and where other signals do so.

    Who has ways of their own with these signals, or ignores them, keeps to them.
    """
    is_main = threading.current_thread() is threading.main_thread()
    all_three = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if is_main else ()
    met = {number: signal.getsignal(number) for number in all_three}
    usual = {n: way for n, way in met.items() if way in (signal.default_int_handler, hang_up)}
    for number in usual:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, way in usual.items():
            signal.signal(number, way)


def hang_up(number: int, frame: FrameType | None) -> None:
    """Handler: raise KeyboardInterrupt as the terminal is closed, the first time alone.

    A shell tells its programs of that twice, at once: no sign that they should end without a care
    for the engines that they began.
    """
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


@contextmanager
def held_interrupts() -> Iterator[list[int]]:
    """Note each Ctrl-C in the list that this gives; raise KeyboardInterrupt after the body.

    Raised at once, it could strike between two steps of a wait, and leave locked for good what
    another thread needs, or a process half started.
    """
    held: list[int] = []
    with interrupts_handled_by(lambda number, frame: held.append(number)):
        yield held
    if held:
        raise KeyboardInterrupt
