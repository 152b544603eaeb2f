"""Files that are whole or not there, whenever the program is killed, whoever else writes."""

import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a file, or leave it as it was. Raises OSError."""
    with replacing(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A new file beside `path`, which takes its place if all goes well.

    What others have left there of the same, who were killed, is removed. What an OSError is about
    is `path`, unless it says otherwise.
    """
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.unfinished")
    for left in path.parent.glob(f"{glob.escape(path.name)}.*.unfinished"):
        if not _is_alive(left.suffixes[-2].removeprefix(".")):
            left.unlink(missing_ok=True)
    try:
        yield unfinished
        unfinished.replace(path)
    except BaseException as error:
        unfinished.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:  # as where a disk is full
            error.filename = str(path)
        raise


def _is_alive(process: str) -> bool:
    """True unless it is sure that this process is over."""
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except (OSError, ValueError, OverflowError):  # somebody else's, or no number of one
        return True
    return True
