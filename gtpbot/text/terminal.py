"""Lines on a terminal, and one that is written anew."""

import os
import shutil
import sys
import time
from typing import TextIO

CLEAR_LINE = "\r\x1b[K"
USUAL_COLUMNS = 80
BAR = 24
"""Cells of a bar."""


class Terminal:
    """A stream that may be a terminal; plain lines if it is none."""

    def __init__(
        self, stream: TextIO, ascii_only: bool = False, colours: bool | None = None
    ) -> None:
        """None for `colours` means: on a terminal, unless NO_COLOR is set."""
        self._stream = stream
        self.is_live = stream.isatty() and os.environ.get("TERM") != "dumb"
        """True if a line can be written anew."""
        self.has_colours = (
            self.is_live and not os.environ.get("NO_COLOR") if colours is None else colours
        )
        encoding = (getattr(stream, "encoding", None) or "ascii").lower()
        self.has_unicode = not ascii_only and encoding.startswith("utf")
        self._status = ""

    @property
    def width(self) -> int:
        """Columns of the window, though it may not be that of standard output."""
        try:
            columns = os.get_terminal_size(self._stream.fileno()).columns
        except OSError:  # no window
            columns = 0
        return shutil.get_terminal_size((columns or USUAL_COLUMNS, 0)).columns

    def say(self, text: str = "") -> None:
        """Write a line, or several."""
        self.clear()
        self._write(text + "\n")

    def status(self, text: str) -> None:
        """Write the line that later ones replace; nothing where there is no terminal."""
        if self.is_live and text != self._status:
            self._write(CLEAR_LINE + text[: self.width - 1])
            self._status = text

    def clear(self) -> None:
        """Take the status away."""
        if self._status:
            self._write(CLEAR_LINE)
            self._status = ""

    def _write(self, text: str) -> None:
        encoding = getattr(self._stream, "encoding", None) or "ascii"
        self._stream.write(text.encode(encoding, "replace").decode(encoding))
        self._stream.flush()


class Bar:
    """How much of some work is done, on stderr: a bar on a terminal, else a line now and then.

    A context manager, so that no bar is left behind; a last line stays, if all is done.
    """

    INTERVAL = 5.0

    def __init__(self, title: str, total: int, done: int = 0) -> None:
        """So much is done already."""
        self._terminal = Terminal(sys.stderr)
        self._title, self._total, self._before = title, total, done
        self._began = self._told = time.monotonic()

    def tell(self, done: int, how: str) -> None:
        """So much is done; `how` it goes."""
        is_due = time.monotonic() - self._told >= self.INTERVAL
        if done == self._total or (is_due and not self._terminal.is_live):
            self._told = time.monotonic()
            self._terminal.say(f"{self._title}: {done} of {self._total}, {how}")
        elif self._terminal.is_live:
            filled = BAR * done // max(1, self._total)
            bar = "#" * filled + "." * (BAR - filled)
            left = f", {self._left(done)} left" if done > self._before else ""
            self._terminal.status(f"{self._title} [{bar}] {done}/{self._total}{left}  {how}")

    def say(self, text: str) -> None:
        """Write a line that stays, above the bar."""
        self._terminal.say(text)

    def __enter__(self) -> "Bar":
        """The bar itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Take the bar away."""
        self._terminal.clear()

    def _left(self, done: int) -> str:
        seconds = (time.monotonic() - self._began) / (done - self._before) * (self._total - done)
        return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
