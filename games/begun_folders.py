"""Folders of work that goes on where it was ended: what each was begun with, and notes in JSON."""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from games.whole_files import write_whole


class FolderError(ValueError):
    """A folder that was begun with something else or is in use, or a note that cannot be read."""


def digest_of(content: Any) -> str:
    """A short digest of what JSON can hold."""
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def begin(
    folder: Path,
    settings: Mapping[str, Any],
    inputs: Mapping[str, str],
    advice: str,
) -> None:
    """Note what a folder is begun with. Raises FolderError if that was something else."""
    file = folder / "settings.json"
    if not file.exists():
        write_json(file, {**settings, "inputs": inputs})
        return
    old = read_json(file, advice)
    if not isinstance(old, dict) or not isinstance(old.get("inputs", {}), dict):
        raise FolderError(f"{file}: expected settings, found {str(old)[:40]!r}; {advice}")
    noted = old.pop("inputs", {})  # older folders have none, but a path, also in digests of needs
    if "needs" in settings and old.pop("from", None):
        old["needs"] = settings["needs"]
    met = {name: digest for name, digest in inputs.items() if name in noted}
    changes = ", ".join([*_differences(old, settings), *_differences(noted, {**noted, **met})])
    if changes:
        raise FolderError(f"{folder} was begun with other settings ({changes}): {advice}")


@contextmanager
def begun(
    folder: Path, settings: Mapping[str, Any], inputs: Mapping[str, str], advice: str
) -> Iterator[None]:
    """`begin`, and have the folder alone; FolderError if another run is at work in it.

    The note is taken back if nothing is made, as where a name was a misprint.
    """
    with claimed(folder, advice):
        begin(folder, settings, inputs, advice)
        try:
            yield
        finally:
            note = folder / "settings.json"
            if list(folder.iterdir()) == [note]:
                note.unlink()


@contextmanager
def claimed(folder: Path, advice: str) -> Iterator[None]:
    """Keep other runs out of a folder; FolderError if one is at work in it.

    The folder is made, and removed at the end if nothing came into it.
    """
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FolderError(
                f"{folder}: another run is at work in it; end that one, or {advice}"
            ) from None
        except OSError:  # some file systems of networks lock no folders
            pass
        yield
    finally:
        os.close(handle)
        with suppress(OSError):  # it holds something
            for path in made:
                path.rmdir()


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for key in {**old, **new}:
        one, other = old.get(key), new.get(key)
        if isinstance(one, dict) and isinstance(other, dict):
            yield from _differences(one, other)
        elif one != other:
            yield f"{key} {one!r}, now {other!r}"


def read_json(path: Path, advice: str = "give --again to begin anew") -> Any:
    """What `write_json` wrote. Raises FolderError."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # the last of many brackets
        raise FolderError(f"{path}: {error}; {advice}") from None


def write_json(path: Path, content: Any) -> None:
    """Write a file that is whole or not there, for all who write."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(content, indent=1) + "\n")
