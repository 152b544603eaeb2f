"""What learning needs next, made ready in threads meanwhile; it is the same as without them."""

from collections.abc import Callable, Generator, Hashable
from concurrent.futures import Future
from contextlib import closing
from threading import Condition, Lock
from typing import Generic, TypeVar

from nets.threads import GivenUpError, go_on, in_threads

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

PATIENCE = 0.1
"""Seconds after which a thread that waits for its turn asks whether to go on."""


def ahead(make: Callable[[int], T], numbers: range, threads: int) -> Generator[T, None, None]:
    """What `make` makes of the numbers, which rise by one, in order.

    With several threads, the next ones are made while the last one is used: twice as many as there
    are threads at most. Ends, also by Ctrl-C, as `in_threads` does. Raises what `make` raises.
    """
    if threads == 1:
        yield from map(make, numbers)
        return
    turn = _Turn(numbers.start + 2 * threads)
    made: dict[int, T] = {}
    wanted = numbers.start

    def work(number: int) -> tuple[int, T]:
        turn.wait(number)
        try:
            return number, make(number)
        except BaseException:
            turn.end()  # those who wait would be waited for
            raise

    with closing(in_threads(work, numbers, threads)) as results:
        try:
            for number, result in results:
                made[number] = result
                while wanted in made:
                    yield made.pop(wanted)
                    wanted += 1
                    turn.advance()
        finally:
            turn.end()


class _Turn:
    """Who may begin: all numbers below a limit that rises."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._ended = False
        self._changed = Condition()

    def wait(self, number: int) -> None:
        """Return once it is this number's turn; raises GivenUpError if it never will be."""
        with self._changed:
            while not self._changed.wait_for(lambda: self._ended or number < self._limit, PATIENCE):
                go_on()
            if self._ended:
                raise GivenUpError("no more is wanted")

    def advance(self) -> None:
        """One more may begin."""
        with self._changed:
            self._limit += 1
            self._changed.notify_all()

    def end(self) -> None:
        """None may begin any more."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()


class Recent(Generic[K, T]):
    """The last few things that were wanted; threads wait for one rather than make it twice."""

    def __init__(self, most: int) -> None:
        """So many at once."""
        self._most = most
        self._made: dict[K, Future[T]] = {}
        self._lock = Lock()

    def __call__(self, key: K, make: Callable[[K], T]) -> T:
        """What belongs to this key: `make` tells it if it is not at hand. Raises what it raises."""
        with self._lock:
            made = self._made.pop(key, None)
            is_new = made is None
            while is_new and len(self._made) >= self._most:
                del self._made[next(iter(self._made))]  # makes room first
            made = self._made[key] = made or Future()  # the last one wanted
        if is_new:
            try:
                made.set_result(make(key))
            except BaseException as error:
                with self._lock:
                    self._made.pop(key, None)
                made.set_exception(error)
        return made.result()
