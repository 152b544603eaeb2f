"""Readers of arguments: text becomes a value, or a GtpError that names the text."""

from dataclasses import dataclass

from games.base import Player
from gtpbot.protocol import SYNTAX_ERROR, GtpError, quote

_PLAYERS = {"b": Player.BLACK, "black": Player.BLACK, "w": Player.WHITE, "white": Player.WHITE}


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
        return self.between(1, 1)[0]

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


def syntax_error(reason: object) -> GtpError:
    """The standard's error for arguments of the wrong form."""
    return GtpError(SYNTAX_ERROR, reason)


def interpret_player(text: str) -> Player:
    """`b`, `w`, `black` or `white`, in any case."""
    try:
        return _PLAYERS[text.lower()]
    except KeyError:
        raise syntax_error(f"colour {quote(text)}: expected b or w") from None


def interpret_int(text: str, least: int, most: int) -> int:
    """An integer from `least` to `most`."""
    digits = text.removeprefix("-").removeprefix("+")
    if digits.isascii() and digits.isdigit() and len(digits) <= 18 and least <= int(text) <= most:
        return int(text)
    raise syntax_error(f"number {quote(text)}: expected an integer from {least} to {most}")
