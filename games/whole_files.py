"""Files that are whole or not there, whenever the program is killed, whoever else writes."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path


def write_whole(path: Path, text: str, errors: str = "strict") -> None:
    """Write a file, or leave it as it was; `errors` are those of `str.encode`. Raises OSError."""
    with replacing(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8", errors=errors)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A new file beside `path`, which takes its place if all goes well.

    What others had left there of the same, who were killed, is removed. What an OSError is about
    is `path`, unless it says otherwise.
    """
    unfinished = _unfinished(path)
    try:
        yield unfinished
        unfinished.replace(path)
    except BaseException as error:
        unfinished.unlink(missing_ok=True)
        _name(error, path)
        raise


@contextmanager
def replacing_by_name(path: Path) -> Iterator[Path]:
    """As `replacing`, for who minds what a file is called: a new one of that name in a folder."""
    folder = _unfinished(path)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield folder / path.name
        (folder / path.name).replace(path)
    except OSError as error:
        _name(error, path)
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _name(error: BaseException, path: Path) -> None:
    """Say which file an OSError is about that does not, as where a disk is full."""
    if isinstance(error, OSError) and error.filename is None:
        error.filename = str(path)


def _unfinished(path: Path) -> Path:
    """What is to take the place of `path`; what the killed have left there is removed."""
    for left in _left_in(path.parent.absolute()).get(path.name, ()):
        if not _is_alive(left.suffixes[-2].removeprefix(".")):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)
    return path.with_name(f"{path.name}.{os.getpid()}.unfinished")


@cache
def _left_in(folder: Path) -> Mapping[str, Sequence[Path]]:
    """What was unfinished when this process first wrote in a folder, by the names of the files.

    It is not looked for anew each time, as there may be thousands of files to look through.
    """
    left: dict[str, list[Path]] = {}
    for path in folder.glob("*.*.unfinished"):
        name = path.name.removesuffix(".unfinished").rpartition(".")[0]
        left.setdefault(name, []).append(path)
    return left


def _is_alive(process: str) -> bool:
    """True unless it is sure that this process is over."""
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except (OSError, ValueError, OverflowError):  # somebody else's, or no number of one
        return True
    return True
