"""What is printed on standard output, and what is said when it cannot be."""

import io
import os
import sys


class Disconnected(Exception):  # noqa: N818 - the usual way for a controller to leave
    """The controller closed its end; nothing can be answered any more."""


class UnwritableError(Exception):
    """Answers cannot be written, as on a full disk."""


def tell(text: str) -> None:
    """Print what was found out. Raises Disconnected and UnwritableError."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # a name may have letters that a terminal lacks
        sys.stdout.reconfigure(errors="replace")
    try:
        print(text, flush=True)
    except OSError as error:
        # Python tries once more to write it at its end, and would tell of that in its own way.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise Disconnected from None
        raise UnwritableError(f"cannot write to standard output: {error.strerror}") from None
