"""What learning needs next, made ready in threads meanwhile; it is the same as without them."""

from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

HELD = 2
"""Windows or orders at once: while the last batches of one are drawn, so are the first of the next.
"""


class Ahead(Generic[T]):
    """Batches by their numbers; when one is asked for, those after it are made already."""

    def __init__(self, make: Callable[[int], T], threads: int) -> None:
        """`make` may be called in several threads; with one, a batch is made when asked for."""
        self._make = make
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads, "batches") if threads > 1 else None
        self._begun: dict[int, Future[T]] = {}

    def __call__(self, number: int) -> T:
        """The batch of this number; raises what making it raised."""
        if self._pool is None:
            return self._make(number)
        for each in range(number, number + 1 + self._threads):
            if each not in self._begun:
                self._begun[each] = self._pool.submit(self._make, each)
        self._begun = {each: batch for each, batch in self._begun.items() if each >= number}
        return self._begun.pop(number).result()


class Recent(Generic[K, T]):
    """The last few things that were made; threads wait for one rather than make it twice."""

    def __init__(self, make: Callable[[K], T]) -> None:
        """`make` tells what belongs to a key."""
        self._make = make
        self._made: dict[K, T] = {}
        self._lock = Lock()

    def __call__(self, key: K) -> T:
        """What belongs to this key."""
        with self._lock:
            if key not in self._made:
                while len(self._made) >= HELD:
                    del self._made[next(iter(self._made))]  # makes room first
                self._made[key] = self._make(key)
            return self._made[key]
