"""A GTP engine as a subprocess, driven over pipes.

Three threads stand between the caller and the pipes: one writes commands, one reads answers, one
drains stderr. So no side ever waits for the other with a full pipe, and every wait has a timeout.
Commands carry ids; an answer with another id means that the engine has lost its place.
"""

import itertools
import os
import re
import shlex
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import IO

LONGEST_LINE = 1 << 24
"""Bytes; an engine that writes a longer line is taken for broken."""
LONGEST_STDERR = 1 << 10
"""Bytes; a longer line of stderr is kept in pieces."""
STDERR_LINES = 20
"""How many of the last lines of stderr an error tells."""

_HEADER = re.compile(r"([=?])(\d*)(?:[ \t]+(.*))?")


class EngineError(RuntimeError):
    """Something went wrong with an engine."""


class EngineDiedError(EngineError):
    """The engine could not be started, or has ended."""


class EngineTimeoutError(EngineError):
    """The engine has not answered in time; its answer, should it come, will not be mistaken."""


class GarbledAnswerError(EngineError):
    """The engine wrote what is no answer, or the answer to another command."""


class CommandFailedError(EngineError):
    """The engine answered with `?`; `text` is what it said."""

    def __init__(self, engine: str, command: str, text: str) -> None:
        """`engine` and `command` are for the message."""
        super().__init__(f"{engine} answered {command!r} with '? {text}'")
        self.text = text


@dataclass(frozen=True)
class Answer:
    """One answer of an engine."""

    id: str
    """As sent with the command; empty if there was none."""
    success: bool
    """True for `=`, False for `?`."""
    text: str
    """Without the final empty line and trailing blanks."""


def parse_answers(lines: Iterable[str]) -> Iterator[Answer]:
    """The answers in the lines that an engine writes; empty lines between them do not matter.

    What follows the last empty line is no answer yet. Raises GarbledAnswerError.
    """
    answer: Answer | None = None
    for line in lines:
        text = line.rstrip()
        if not text:
            if answer:
                yield answer
            answer = None
        elif answer:
            answer = replace(answer, text=f"{answer.text}\n{text}")
        else:
            answer = _parse_header(text)


def _parse_header(line: str) -> Answer:
    header = _HEADER.fullmatch(line)
    if not header:
        raise GarbledAnswerError(f"line {line[:80]!r}: expected an answer, beginning with = or ?")
    status, command_id, text = header.groups()
    return Answer(command_id, status == "=", text or "")


class Reply:
    """The answer to a command that was sent, once it is there."""

    def __init__(self, client: "GtpClient", command: str, future: "Future[str]") -> None:
        """Made by GtpClient.send."""
        self._client = client
        self._command = command
        self._future = future

    def text(self, timeout: float | None = None) -> str:
        """What the engine answered, waiting for `timeout` seconds, by default the client's.

        Raises CommandFailedError and every other EngineError.
        """
        seconds = self._client.timeout if timeout is None else timeout
        try:
            return self._future.result(min(seconds, threading.TIMEOUT_MAX))
        except FutureTimeoutError:
            self._client.check_alive()
            raise EngineTimeoutError(
                f"{self._client.name} has not answered {self._command!r} in {seconds:.3g} s"
            ) from None


class GtpClient:
    """Starts an engine and talks to it; a context manager, so that the engine surely ends.

    >>> import sys
    >>> with GtpClient([sys.executable, "-m", "gtpbot"]) as engine:
    ...     engine.ask("protocol_version")
    '2'
    """

    def __init__(self, command: str | Sequence[str], timeout: float = 60.0) -> None:
        """Start `command`, given as a shell would split it or in words.

        `timeout` is the longest wait for an answer, in seconds. Raises EngineDiedError if there
        is no such program.
        """
        self.command = _words(command) if isinstance(command, str) else list(command)
        self.timeout = timeout
        self.name = shlex.join(self.command)[:200]
        self._process = self._spawn()
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        self._pending: deque[tuple[str, str, Future[str]]] = deque()
        self._failure: EngineError | None = None
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._closed = False
        self._commands: frozenset[str] | None = None
        self._threads = [
            threading.Thread(target=target, name=f"{target.__name__} {self.name}", daemon=True)
            for target in (self._write, self._drain, self._read)
        ]
        for thread in self._threads:
            thread.start()

    def send(self, command: str) -> Reply:
        """Send a command without waiting; answers come in the order of the commands."""
        if not command.strip() or re.search(r"[\n\r#]", command):
            raise ValueError(f"command {command[:80]!r}: expected one line without a comment")
        future: Future[str] = Future()
        with self._lock:
            if self._failure:
                raise self._failure
            command_id = str(next(self._ids))
            self._pending.append((command_id, command, future))
            self._outgoing.put(f"{command_id} {command}\n".encode())
        return Reply(self, command, future)

    def ask(self, command: str, timeout: float | None = None) -> str:
        """Send a command and wait for its answer; see Reply.text."""
        return self.send(command).text(timeout)

    @property
    def commands(self) -> frozenset[str]:
        """All that the engine lists as its commands; asked once. Raises EngineError."""
        if self._commands is None:
            self._commands = frozenset(self.ask("list_commands").split())
        return self._commands

    def check_alive(self) -> None:
        """Raise EngineDiedError if the process has ended."""
        if self._process.poll() is not None:
            raise self._died()

    @property
    def stderr(self) -> Sequence[str]:
        """The last lines that the engine wrote to stderr."""
        return tuple(self._stderr)

    @property
    def exit_code(self) -> int | None:
        """The exit code of the engine, negative for a signal; None while it runs."""
        return self._process.poll()

    def close(self, patience: float = 2.0) -> None:
        """Ask the engine to quit; after `patience` seconds, kill it and whatever it started.

        May be called twice.
        """
        if not self._closed:
            self._closed = True
            self._failure = self._failure or EngineDiedError(f"{self.name} was closed")
            self._outgoing.put(b"quit\n")
            self._outgoing.put(None)
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):  # ended at this moment
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        for thread in self._threads:
            thread.join(patience)

    def __enter__(self) -> "GtpClient":
        """The client itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close."""
        self.close()

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
        """Thread: commands to stdin, until None. A broken pipe is the reader's to tell."""
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

    def _read(self) -> None:
        """Thread: answers from stdout to those who wait for them."""
        assert self._process.stdout
        with self._process.stdout as pipe:
            try:
                for answer in parse_answers(_lines(pipe)):
                    self._deliver(answer)
                self._fail(self._died())
            except GarbledAnswerError as error:
                self._fail(GarbledAnswerError(f"{self.name}: {error}"))
                _discard(pipe)

    def _deliver(self, answer: Answer) -> None:
        with self._lock:
            if not self._pending and self._closed:
                return
            if not self._pending or answer.id != self._pending[0][0]:
                asked = " ".join(self._pending[0][:2])[:80] if self._pending else ""
                raise GarbledAnswerError(
                    f"answer {answer.text[:80]!r} with id {answer.id!r}: it was asked {asked!r}"
                )
            _, command, future = self._pending.popleft()
        if answer.success:
            future.set_result(answer.text)
        else:
            future.set_exception(CommandFailedError(self.name, command, answer.text))

    def _fail(self, failure: EngineError) -> None:
        """Nothing more will be answered."""
        with self._lock:
            self._failure = self._failure or failure
            waiting = list(self._pending)
            self._pending.clear()
        for _, _, future in waiting:
            future.set_exception(failure)

    def _died(self) -> EngineDiedError:
        try:
            ending = f"has ended with exit code {self._process.wait(1.0)}"
            self._threads[1].join(1.0)
        except subprocess.TimeoutExpired:
            ending = "has closed its output"
        said = "".join(f"\n  {line}" for line in self.stderr)
        return EngineDiedError(f"{self.name} {ending}" + (f"; it said:{said}" if said else ""))


def _words(command: str) -> list[str]:
    """A command split as a shell would. Raises EngineDiedError."""
    try:
        return shlex.split(command)
    except ValueError as error:
        raise EngineDiedError(f"cannot start {command[:200]!r}: {error}") from None


def _lines(pipe: IO[bytes]) -> Iterator[str]:
    """The lines of a pipe up to its end. Raises GarbledAnswerError for an endless one."""
    while line := pipe.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE:
            raise GarbledAnswerError(f"a line longer than {LONGEST_LINE} bytes")
        yield line.decode("utf-8", "replace")


def _discard(pipe: IO[bytes]) -> None:
    while pipe.read(1 << 16):
        pass
