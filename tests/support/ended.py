"""Processes that a test starts, and what they leave running."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

PATIENCE = 20.0
"""Seconds."""


def wait_for(condition: Callable[[], object]) -> None:
    """Return once it is true."""
    ends = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.02)


def alive(mark: str) -> list[int]:
    """The processes with `mark` in their command lines or environments."""
    processes = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    return [process for process in processes if mark.encode() in _facts(process)]


def _facts(process: int) -> bytes:
    facts = b""
    with suppress(OSError):  # it has ended, or is somebody else's
        for name in ("cmdline", "environ"):
            facts += Path(f"/proc/{process}/{name}").read_bytes()
    return facts


def kill(mark: str) -> None:
    """End those that are left."""
    for process in alive(mark):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
