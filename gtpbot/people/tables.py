"""Tables of text."""

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
