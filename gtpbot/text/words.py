"""A user's words in messages: quoted, cut to a sane length, and what was probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches

LONGEST_QUOTE = 80
ALIKE = 0.65
"""How much of two words must be the same, from 0 to 1, for one to be meant by the other."""


def suggest(word: str, known: Iterable[str]) -> str:
    """The hint that ends a message about an unknown word."""
    names = list(known)
    if not names:
        return "there are none"
    return hint(word, names, f"expected one of {', '.join(names)}")


def hint(word: str, names: Iterable[str], otherwise: str = "") -> str:
    """The name that was probably meant, as a question; `otherwise` if none is alike."""
    near = get_close_matches(word, list(names), n=1, cutoff=ALIKE)
    return f"did you mean {near[0]!r}?" if near else otherwise


def quote(text: str) -> str:
    """`text` for a message: in quotes, with escapes for what cannot be printed, and not too long.

    >>> quote("D4")
    "'D4'"
    """
    return repr(text) if len(text) <= LONGEST_QUOTE else repr(text[:LONGEST_QUOTE]) + "..."


def shorten(text: str, longest: int) -> str:
    """`text`, or its beginning and the number of characters left out."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}... ({len(text) - longest} more)"
