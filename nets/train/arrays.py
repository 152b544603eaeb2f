"""Named arrays as `.npz` files that are whole or not there."""

import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from games.whole_files import replacing

UNREADABLE = (OSError, ValueError, KeyError, TypeError, IndexError, OverflowError)
"""What reading a file raises that is damaged, and making of its arrays what they are not."""


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write a file, such that it is whole or not there, even if power fails, for all who write."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as unfinished, unfinished.open("wb") as file:
        np.savez_compressed(file, **arrays)
        file.flush()
        os.fsync(file.fileno())


def read_arrays(path: Path, *names: str) -> dict[str, NDArray[Any]]:
    """The arrays of a file, or those of these names; nothing in it is executed.

    Raises OSError or ValueError, and KeyError if there is no array of a name.
    """
    with path.open("rb") as file:
        try:
            arrays = np.load(file, allow_pickle=False)
            if isinstance(arrays, np.ndarray):
                raise ValueError("expected named arrays, found one without a name")
            return {name: arrays[name] for name in names or arrays}
        # A zip file says in many ways that it is damaged, encrypted or packed by strange means.
        except (BadZipFile, zlib.error, EOFError, TypeError, IndexError, RuntimeError) as error:
            raise ValueError(str(error)) from None
