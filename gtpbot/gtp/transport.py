"""How lines come in and answers go out: standard input and output.

A thread reads ahead, so that a few lines can act before their turn: `# interrupt` stops the search
in progress, and so do `quit` and the end of the input. All lines, those too, are then served in
the order in which they came.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from queue import Empty, SimpleQueue
from select import POLLERR, POLLHUP, poll, select

from gtpbot.text.stdout import Disconnected, UnwritableError

CHUNK = 1 << 16
LONGEST_WAIT = 1e6
"""Seconds; no system waits for years."""


def read_lines(descriptor: int) -> Iterator[bytes]:
    """The lines of a file descriptor without their ends, of any length, also an unended last one.

    Reads with no lock held, so that the process can end while a thread waits here.
    """
    begun: list[bytes] = []
    while chunk := _read_chunk(descriptor):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            yield b"".join([*begun, end])
            begun = []
        begun.append(rest)
    if any(begun):
        yield b"".join(begun)


def _read_chunk(descriptor: int) -> bytes:
    while True:
        try:
            return os.read(descriptor, CHUNK)
        except BlockingIOError:  # whoever gave us our end made it return at once
            select([descriptor], [], [])
        except OSError:  # the terminal went away
            return b""


def _ignore(line: bytes | None, inbox: "Inbox") -> None:
    return


class Inbox:
    """Lines read ahead by a thread; iterating yields them in order, each when its turn comes."""

    def __init__(
        self, lines: Iterable[bytes], heard: Callable[[bytes | None, "Inbox"], None] = _ignore
    ) -> None:
        """`heard` is called by the reading thread for each line, and with None at the end."""
        self._lines = lines
        self._heard = heard
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        self._next: list[bytes | None] = []
        """What `wait` took out of the queue before its turn."""
        self._received = 0
        self._served = 0
        self._closed = False

    @property
    def behind(self) -> bool:
        """True while lines that came before the one just heard are not all served."""
        return self._served < self._received and not self._closed

    def now(self) -> float:
        """The time in seconds, since some moment."""
        return time.monotonic()

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until there is another line or the input ends; True if so."""
        if not self._next:
            try:
                self._next.append(self._queue.get(timeout=min(max(seconds, 0.0), LONGEST_WAIT)))
            except Empty:
                return False
        return True

    def __iter__(self) -> Iterator[bytes]:
        """Read and yield until the end of the input."""
        threading.Thread(target=self._read, name="reader", daemon=True).start()
        try:
            while (line := self._take()) is not None:
                yield line
                self._served += 1
        finally:
            self._closed = True
            self._heard = _ignore  # the reading thread may outlive all that this refers to

    def _take(self) -> bytes | None:
        return self._next.pop() if self._next else self._queue.get()

    def _read(self) -> None:
        try:
            for line in self._lines:
                self._take_in(line)
        finally:
            self._take_in(None)

    def _take_in(self, line: bytes | None) -> None:
        self._queue.put(line)  # first: an analysis in progress waits for it
        self._heard(line, self)
        self._received += 1


class Outbox:
    """Where answers go; each is flushed at once."""

    def __init__(self, descriptor: int) -> None:
        """Writes to a file descriptor, which is then the Outbox's own."""
        self._descriptor = descriptor

    def write(self, text: str) -> None:
        """Write all of `text` as UTF-8. Raises Disconnected and UnwritableError."""
        left = memoryview(text.encode("utf-8", "backslashreplace"))
        try:
            while left:
                left = left[self._take(left) :]
        except (BrokenPipeError, ConnectionResetError):
            raise Disconnected from None
        except OSError as error:
            raise UnwritableError(f"cannot write an answer: {error.strerror}") from None

    def has_reader(self) -> bool:
        """False once whoever read a pipe, a socket or a terminal has gone, written to or not."""
        watch = poll()
        watch.register(self._descriptor, 0)
        return not any(event & (POLLERR | POLLHUP) for _, event in watch.poll(0))

    def _take(self, data: memoryview) -> int:
        """Write some of `data`; how many bytes."""
        try:
            return os.write(self._descriptor, data)
        except BlockingIOError:  # as in `_read_chunk`: wait until there is room
            select([], [self._descriptor], [])
            return 0


def claim_stdout() -> Outbox:
    """Keep standard output for answers alone: whatever else prints there goes to standard error.

    Raises Disconnected if it is closed.
    """
    try:
        own = os.dup(1)
        os.dup2(2, 1)
    except OSError:
        raise Disconnected from None
    return Outbox(own)
