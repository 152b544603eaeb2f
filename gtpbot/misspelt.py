"""What a word that nobody knows was probably meant to be."""

from collections.abc import Iterable
from difflib import get_close_matches

ALIKE = 0.65
"""How much of two words must be the same, from 0 to 1, for one to be meant by the other."""


def suggest(word: str, known: Iterable[str]) -> str:
    """The hint that ends a message about an unknown word."""
    names = list(known)
    if not names:
        return "there are none"
    near = nearest(word, names)
    return f"did you mean {near!r}?" if near else f"expected one of {', '.join(names)}"


def nearest(word: str, names: Iterable[str]) -> str | None:
    """The name that was probably meant; None if none is alike."""
    return next(iter(get_close_matches(word, list(names), n=1, cutoff=ALIKE)), None)
