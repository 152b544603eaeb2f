"""What is told to people: complaints on standard error, and a record of all traffic on request."""

import sys
import time
from contextlib import suppress
from typing import TextIO


def to_stderr(text: str) -> None:
    """Print whole lines at once. Nothing happens if nobody reads standard error."""
    if sys.stderr is None:  # it was closed before this program began, or below
        return
    try:
        print(text, end="", file=sys.stderr, flush=True)
    except OSError:
        sys.stderr = None  # else Python tries again at its end, and exits with status 120


class Journal:
    """Writes to standard error, in a form that no client takes for an answer, and to a file."""

    def __init__(self, record: TextIO | None = None) -> None:
        """`record` gets every line received and answered, with times; its owner closes it."""
        self._record = record

    def received(self, line: bytes) -> None:
        """The controller said this."""
        self._write("<", line.decode("utf-8", "backslashreplace"))

    def answered(self, text: str) -> None:
        """This was answered."""
        self._write(">", text.rstrip("\n"))

    def complain(self, text: str) -> None:
        """Something failed, and this is why. Nothing happens if nobody reads standard error."""
        self._write("!", text)
        lines = (line.replace(" -> ", " to ") for line in text.splitlines())
        to_stderr("".join(f"gtpbot: {line}\n" for line in lines))

    def _write(self, mark: str, text: str) -> None:
        if self._record is None:
            return
        now = time.time()
        stamp = time.strftime("%H:%M:%S", time.localtime(now)) + f".{int(now % 1 * 1000):03}"
        try:
            for line in text.splitlines() or [""]:
                print(stamp, mark, line, file=self._record, flush=True)
        except OSError as error:
            with suppress(OSError):  # else what could not be written is tried again at the end
                self._record.close()
            self._record = None
            self.complain(f"the log ends here: {error}")
