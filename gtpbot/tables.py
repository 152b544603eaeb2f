"""Tables of text, and word of how far a long piece of work has come."""

import sys
import time
from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]], sides: str) -> str:
    """The rows with their columns aligned to the left or right, as `sides` has `<` or `>` for each.

    >>> print(aligned([("figure", "value"), ("one", "1"), ("ten", "10")], "<>"))
    figure  value
    one         1
    ten        10
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    formats = [f"{{:{side}{width}}}" for side, width in zip(sides, widths, strict=True)]
    return "\n".join("  ".join(formats).format(*row).rstrip() for row in rows)


class Progress:
    """Tells on stderr how much of some work is done, every few seconds and at the end."""

    INTERVAL = 5.0

    def __init__(self, title: str, total: int) -> None:
        """Nothing is done yet."""
        self._title = title
        self._total = total
        self._told = time.monotonic()

    def tell(self, done: int, how: str) -> None:
        """So much is done, and `how` it went."""
        now = time.monotonic()
        if done == self._total or now - self._told >= self.INTERVAL:
            print(f"{self._title}: {done} of {self._total}, {how}", file=sys.stderr, flush=True)
            self._told = now
