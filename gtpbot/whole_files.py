"""Text files that are whole or not there, whenever the program is killed, whoever else writes."""

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a file, or leave it as it was. Raises OSError."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.unfinished")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)
