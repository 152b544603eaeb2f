"""How long work took over all its attempts, also those that were killed."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from games.begun_folders import read_json, write_json

EVERY = 10.0
"""Seconds between two notes; what a kill may leave uncounted."""


@contextmanager
def counted_seconds(file: Path) -> Iterator[Callable[[], float]]:
    """Gives what tells the seconds since the first attempt began, without those between attempts.

    They are noted in `file`. Raises FolderError if that is no such note.
    """
    before = float(read_json(file)["seconds"]) if file.exists() else 0.0
    began, ended = time.monotonic(), threading.Event()

    def seconds() -> float:
        return before + time.monotonic() - began

    def note() -> None:
        with suppress(OSError):  # a full disk is told by who writes what counts
            write_json(file, {"seconds": seconds()})

    def note_now_and_then() -> None:
        while not ended.wait(EVERY):
            note()

    noting = threading.Thread(target=note_now_and_then, name="stopwatch", daemon=True)
    noting.start()
    try:
        yield seconds
    finally:
        ended.set()
        noting.join()
        note()
