"""Another program as a subprocess, talked to over pipes.

Two threads stand between the caller and its pipes: one writes, one drains stderr; who reads has a
third. So no side ever waits for the other with a full pipe.
"""

import os
import shlex
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from queue import SimpleQueue

LONGEST_LINE = 1 << 24
"""Bytes; an engine that writes a longer line is taken for broken."""
LONGEST_STDERR = 1 << 10
"""Bytes; a longer line of stderr is kept in pieces."""
STDERR_LINES = 20
"""How many of the last lines of stderr an error tells."""


class EngineError(RuntimeError):
    """Something went wrong with an engine."""


class EngineDiedError(EngineError):
    """The engine could not be started, or has ended."""


class EngineTimeoutError(EngineError):
    """The engine has not answered in time; its answer, should it come, will not be mistaken."""


class GarbledAnswerError(EngineError):
    """The engine wrote what is no answer, or the answer to another command."""


class Child:
    """An engine that runs; `close` it."""

    def __init__(self, command: str | Sequence[str]) -> None:
        """Start `command`, given as a shell would split it or in words.

        Raises EngineDiedError if there is no such program.
        """
        self.command = _words(command) if isinstance(command, str) else list(command)
        self.name = shlex.join(self.command)[:200]
        self._process = self._spawn()
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._writer, self._drainer = (
            threading.Thread(target=target, name=f"{target.__name__} {self.name}", daemon=True)
            for target in (self._write, self._drain)
        )
        self._writer.start()
        self._drainer.start()

    def send(self, line: str) -> None:
        """Write a line without waiting; that the program has ended is for who reads to find."""
        self._outgoing.put(f"{line}\n".encode())

    def lines(self) -> Iterator[str]:
        """The lines that it writes, up to its end. Raises GarbledAnswerError for an endless one."""
        assert self._process.stdout
        while line := self._process.stdout.readline(LONGEST_LINE):
            if len(line) == LONGEST_LINE:
                raise GarbledAnswerError(f"a line longer than {LONGEST_LINE} bytes")
            yield line.decode("utf-8", "replace")
        self._process.stdout.close()

    def discard(self) -> None:
        """Read whatever it still writes, lest it waits for a reader."""
        assert self._process.stdout
        with self._process.stdout as pipe:
            while pipe.read(1 << 16):
                pass

    def check_alive(self) -> None:
        """Raise EngineDiedError if the process has ended."""
        if self._process.poll() is not None:
            raise self.died()

    def died(self) -> EngineDiedError:
        """How it ended, or what else it means that it writes no more."""
        try:
            ending = f"has ended with exit code {self._process.wait(1.0)}"
            self._drainer.join(1.0)
        except subprocess.TimeoutExpired:
            ending = "has closed its output"
        said = "".join(f"\n  {line}" for line in self.stderr)
        return EngineDiedError(f"{self.name} {ending}" + (f"; it said:{said}" if said else ""))

    @property
    def stderr(self) -> Sequence[str]:
        """The last lines that it wrote to stderr."""
        return tuple(self._stderr)

    @property
    def exit_code(self) -> int | None:
        """Its exit code, negative for a signal; None while it runs."""
        return self._process.poll()

    def finish(self) -> None:
        """Close its input, once all that was sent is written."""
        self._outgoing.put(None)

    def close(self, patience: float) -> None:
        """Wait for its end after `finish`; after `patience` seconds kill it and what it started."""
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):  # ended at this moment
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        for thread in (self._writer, self._drainer):
            thread.join(patience)

    def _spawn(self) -> "subprocess.Popen[bytes]":
        pipe = subprocess.PIPE
        try:
            return subprocess.Popen(
                self.command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
            )
        except IndexError:
            raise EngineDiedError("cannot start '': expected the command of an engine") from None
        except OSError as error:
            raise EngineDiedError(f"cannot start {self.name!r}: {error}") from None

    def _write(self) -> None:
        """Thread: lines to stdin, until None. A broken pipe is the reader's to tell."""
        assert self._process.stdin
        try:
            with self._process.stdin as pipe:
                while (line := self._outgoing.get()) is not None:
                    pipe.write(line)
                    pipe.flush()
        except OSError:
            pass

    def _drain(self) -> None:
        """Thread: stderr to the last lines."""
        assert self._process.stderr
        with self._process.stderr as pipe:
            while line := pipe.readline(LONGEST_STDERR):
                self._stderr.append(line.decode("utf-8", "replace").rstrip())


def _words(command: str) -> list[str]:
    """A command split as a shell would. Raises EngineDiedError."""
    try:
        return shlex.split(command)
    except ValueError as error:
        raise EngineDiedError(f"cannot start {command[:200]!r}: {error}") from None
