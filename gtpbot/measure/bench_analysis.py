"""How soon and how steadily an analysis tells what it found, and what the telling costs.

An engine is watched over pipes as a board program does it: the usual agent, on the empty board.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import IO, NamedTuple, cast

INTERVAL = 0.1
"""Seconds between two lines, as board programs ask."""
WARM_UP = 3.0
"""Seconds of an analysis before any is measured, in which the net is compiled for its batches."""
ROOT = b"rootInfo visits "


class Line(NamedTuple):
    """What an analysis told."""

    seconds: float
    """Since the command."""
    visits: int
    """Of the root."""


def first_line(_: float) -> float:
    """Seconds from the command to the first line."""
    with _engine() as engine:
        return engine.analyze(INTERVAL, 0.0)[0].seconds


def unevenness(seconds: float) -> float:
    """The most seconds by which a line came too early or too late after the one before."""
    with _engine() as engine:
        lines = engine.analyze(INTERVAL, seconds)
    gaps = [after.seconds - line.seconds for line, after in pairwise(lines)]
    return max(abs(gap - INTERVAL) for gap in gaps)


def cost(seconds: float) -> float:
    """The share of a search's speed that is lost where it tells ten times a second, not twice.

    The search that tells comes between two that do not, as later ones may be faster.
    """
    span = max(seconds, 5 * INTERVAL)
    with _engine() as engine:
        before, telling, after = (
            _speed(engine.analyze(each, span)) for each in (span, INTERVAL, span)
        )
    return 1 - 2 * telling / (before + after)


def _speed(lines: list[Line]) -> float:
    """Visits a second between the first line and the last one."""
    first, last = lines[0], lines[-1]
    return (last.visits - first.visits) / (last.seconds - first.seconds)


@contextmanager
def _engine() -> Iterator["_Engine"]:
    """An engine that is warm."""
    command, pipe = [sys.executable, "-m", "gtpbot"], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as process:
        engine = _Engine(process)
        engine.analyze(INTERVAL, WARM_UP)
        yield engine
        process.communicate(b"quit\n")


class _Engine:
    """What stands at the ends of its pipes."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._input = cast(IO[bytes], process.stdin)
        self._output = cast(IO[bytes], process.stdout)

    def analyze(self, interval: float, seconds: float) -> list[Line]:
        """The lines of an analysis from nothing, two at least, the last after so many seconds."""
        self._ask("clear_board")
        begun = time.perf_counter()
        self._send(f"kata-analyze B {round(interval * 100)} rootInfo true ownership true")
        self._expect(b"=")
        lines: list[Line] = []
        while len(lines) < 2 or lines[-1].seconds < seconds:
            text = self._output.readline()
            visits = text.partition(ROOT)[2].split(maxsplit=1)
            if not visits:
                raise RuntimeError(f"the engine said {text!r}: expected a line with {ROOT!r}")
            lines.append(Line(time.perf_counter() - begun, int(visits[0])))
        self._send("name")  # ends it, as any line does
        while self._output.readline() != b"\n":
            pass
        self._expect(b"=")
        self._expect(b"\n")
        return lines

    def _ask(self, command: str) -> None:
        self._send(command)
        self._expect(b"=")
        self._expect(b"\n")

    def _send(self, command: str) -> None:
        self._input.write(f"{command}\n".encode())
        self._input.flush()

    def _expect(self, beginning: bytes) -> None:
        line = self._output.readline()
        if not line.startswith(beginning):
            raise RuntimeError(f"the engine said {line!r}: expected {beginning!r}")
