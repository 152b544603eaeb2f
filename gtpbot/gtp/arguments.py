"""Readers of arguments: text becomes a value, or a GtpError that names the text."""

import re
from dataclasses import dataclass

from games.base import Player
from gtpbot.gtp.protocol import SYNTAX_ERROR, GtpError
from gtpbot.text.words import quote

_PLAYERS = {"b": Player.BLACK, "black": Player.BLACK, "w": Player.WHITE, "white": Player.WHITE}
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")


@dataclass(frozen=True)
class Arguments:
    """All that follows the name of a command."""

    text: str

    @property
    def words(self) -> list[str]:
        """The text split at spaces."""
        return [word for word in self.text.split(" ") if word]

    def none(self) -> None:
        """Refuse any argument."""
        self.between(0, 0)

    def one(self) -> str:
        """The only argument."""
        return self.exactly(1)[0]

    def exactly(self, count: int) -> list[str]:
        """As many arguments as expected."""
        return self.between(count, count)

    def between(self, least: int, most: int) -> list[str]:
        """From `least` to `most` arguments."""
        words = self.words
        if not least <= len(words) <= most:
            expected = str(least) if least == most else f"{least} to {most}"
            raise syntax_error(f"{len(words)} arguments: expected {expected}")
        return words

    def pairs(self) -> list[tuple[str, str]]:
        """All arguments, two by two."""
        words = self.words
        if len(words) % 2:
            raise syntax_error(f"{len(words)} arguments: expected pairs of colour and vertex")
        return list(zip(words[::2], words[1::2], strict=True))

    def settings(self, begin: int) -> dict[str, str]:
        """The arguments from the one numbered `begin` on, each KEY=VALUE."""
        return dict(interpret_setting(word) for word in self.words[begin:])


def syntax_error(reason: object) -> GtpError:
    """The standard's error for arguments of the wrong form."""
    return GtpError(SYNTAX_ERROR, reason)


def is_player(text: str) -> bool:
    """True for what `interpret_player` understands."""
    return text.lower() in _PLAYERS


def interpret_player(text: str) -> Player:
    """`b`, `w`, `black` or `white`, in any case."""
    try:
        return _PLAYERS[text.lower()]
    except KeyError:
        raise syntax_error(f"colour {quote(text)}: expected b or w") from None


def interpret_int(text: str) -> int:
    """An integer of at most 18 digits."""
    if not _INTEGER.fullmatch(text):
        raise syntax_error(f"number {quote(text)}: expected an integer")
    return int(text)


def interpret_float(text: str) -> float:
    """A decimal number."""
    if not _DECIMAL.fullmatch(text):
        raise syntax_error(f"number {quote(text)}: expected a decimal number")
    return float(text)


def interpret_setting(text: str) -> tuple[str, str]:
    """KEY=VALUE."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise syntax_error(f"setting {quote(text)}: expected KEY=VALUE")
    return key, value
