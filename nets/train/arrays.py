"""Named arrays as `.npz` files that are whole or not there."""

import math
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.lib.format import (
    MAGIC_PREFIX,
    read_array_header_1_0,
    read_array_header_2_0,
    read_magic,
)
from numpy.typing import NDArray

from games.whole_files import replacing

UNREADABLE = (OSError, ValueError, KeyError, TypeError, IndexError, OverflowError)
"""What reading a file raises that is damaged, and making of its arrays what they are not."""


MOST_BYTES = 2**31
"""Of an array; a shard of three million positions takes a tenth of it."""


def write_arrays(path: Path, arrays: Mapping[str, Any], packed: bool = True) -> None:
    """Write a file, such that it is whole or not there, even if power fails, for all who write.

    Weights are best not `packed`: it makes them little smaller, and takes far longer.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as unfinished, unfinished.open("wb") as file:
        (np.savez_compressed if packed else np.savez)(file, **arrays)
        file.flush()
        os.fsync(file.fileno())


def read_arrays(path: Path, *names: str) -> dict[str, NDArray[Any]]:
    """The arrays of a file, or those of these names; nothing in it is executed.

    Raises OSError or ValueError, and KeyError if there is no array of a name.
    """
    with _opened(path) as arrays:
        for name in names or arrays:
            _check_size(arrays, name)
        return {name: arrays[name] for name in names or arrays}


def names_of_arrays(path: Path) -> frozenset[str]:
    """What arrays a file has. Raises OSError or ValueError."""
    with _opened(path) as arrays:
        return frozenset(arrays)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """A file of arrays, none of which is read yet; all that it raises is OSError or ValueError."""
    with path.open("rb") as file:
        if file.read(len(MAGIC_PREFIX)) == MAGIC_PREFIX:  # which NumPy would read at once
            raise ValueError("expected named arrays, found one without a name")
        file.seek(0)
        try:
            with np.load(file, allow_pickle=False) as arrays:
                yield arrays
        # A zip file says in many ways that it is damaged, encrypted or packed by strange means.
        except (BadZipFile, zlib.error, EOFError, TypeError, IndexError, RuntimeError) as error:
            raise ValueError(str(error)) from None
        except MemoryError as error:
            raise ValueError(f"too large: {error}") from None


def _check_size(arrays: Any, name: str) -> None:
    """Refuse an array that the file does not hold before room is made for it. Raises ValueError.

    What its header promises, a damaged or hostile file need not keep.
    """
    file = name if name in arrays.zip.namelist() else f"{name}.npy"
    with arrays.zip.open(file) as member:
        readers = {(1, 0): read_array_header_1_0, (2, 0): read_array_header_2_0}
        version = read_magic(member)
        if version not in readers:
            raise ValueError(f"array {name!r}: format {version}: expected 1 or 2")
        shape, _, dtype = readers[version](member)
    promised, held = math.prod(shape) * dtype.itemsize, arrays.zip.getinfo(file).file_size
    if promised > min(held, MOST_BYTES):
        raise ValueError(f"array {name!r}: promises {promised:,} bytes, of {held:,} in the file")
