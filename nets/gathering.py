"""Nets that value the positions of several searches in common batches.

A search of one position has few leaves at a time for a net, and many searches at once would each
ask for a small batch. Here, as soon as a core is free, whoever comes next takes along all who wait.
"""

import os
import threading
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from nets.runtime import Answer, Floats

LARGEST = 64
"""Positions of a batch; a caller's own are never parted."""


class Forward(Protocol):
    """What a net does."""

    def __call__(self, planes: "Floats") -> "Answer":
        """The policy [B, A] and the value [B] of planes [B, H, W, C]."""


class _Request:
    def __init__(self, planes: "Floats") -> None:
        self.planes = planes.copy()  # the caller's are good only during its call
        self.answer: Answer = (None, None)
        self.error: Exception | None = None
        self.done = threading.Event()


class Gathering:
    """A net that many threads call at once, at work on so many cores."""

    def __init__(self, forward: Forward, cores: int | None = None) -> None:
        """By default on all cores."""
        self._forward = forward
        self._cores = threading.Semaphore(cores or os.cpu_count() or 1)
        self._lock = threading.Lock()
        self._waiting: list[_Request] = []

    def __call__(self, planes: "Floats") -> "Answer":
        """As the net; raises what it raises."""
        request = _Request(planes)
        with self._lock:
            self._waiting.append(request)
        with self._cores:
            batch = self._take(request)
            if batch:
                self._serve(batch)
        request.done.wait()
        if request.error is not None:
            raise request.error
        return request.answer

    def _take(self, own: _Request) -> list[_Request]:
        """This request and others that wait; none if somebody took this one along."""
        with self._lock:
            if own not in self._waiting:
                return []
            self._waiting.remove(own)
            batch, size = [own], len(own.planes)
            while self._waiting and size + len(self._waiting[0].planes) <= LARGEST:
                batch.append(self._waiting.pop(0))
                size += len(batch[-1].planes)
            return batch

    def _serve(self, batch: list[_Request]) -> None:
        import numpy as np

        try:
            policy, value = self._forward(np.concatenate([request.planes for request in batch]))
            begin = 0
            for request in batch:
                rows = slice(begin, begin := begin + len(request.planes))
                request.answer = (
                    None if policy is None else policy[rows],
                    None if value is None else value[rows],
                )
        except Exception as error:
            for request in batch:
                request.error = error
        finally:
            for request in batch:
                request.done.set()
