"""What a client asks of an analysis: `[COLOUR] [INTERVAL] {KEY VALUE...}`.

The interval is in hundredths of a second. `avoid` and `allow` take three values: a colour, vertices
between commas, and for how many moves from the position on. All keys are in one table below.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from games.base import Player
from games.errors import InvalidMoveError
from games.position import Position
from gtpbot.gtp.arguments import (
    Arguments,
    interpret_float,
    interpret_int,
    interpret_player,
    is_player,
    syntax_error,
)
from gtpbot.gtp.protocol import GtpError
from gtpbot.report.info_lines import Dialect, Wanted
from gtpbot.report.named_moves import NamedMoves, leaves_nothing
from gtpbot.text.words import quote, suggest
from search.agent import Ban

NUMBERS = {"minmoves": "least_moves", "maxmoves": "most_moves"}
SWITCHES = {
    "rootInfo": "root_info",
    "ownership": "ownership",
    "ownershipStdev": "ownership_deviation",
    "movesOwnership": "moves_ownership",
    "movesOwnershipStdev": "moves_ownership_deviation",
    "pvVisits": "variation_visits",
    "pvEdgeVisits": "edge_visits",
    "noResultValue": "no_result_value",
}
"""`true` or `false`; of the dialect `kata` alone. The values are fields of Wanted."""


@dataclass(frozen=True)
class Request:
    """An analysis as it was asked for."""

    wanted: Wanted
    player: Player | None = None
    """None: whoever is to move."""
    interval: float | None = None
    """Seconds between lines; None: none are wanted."""
    avoid: tuple[NamedMoves, ...] = ()
    allow: NamedMoves | None = None

    def bans(self, position: Position) -> tuple[Ban, ...]:
        """The moves that must not be looked at. Raises GtpError if that is all there are."""
        try:
            bans = [ban for moves in self.avoid for ban in moves.avoided(position)]
            bans += self.allow.allowed(position) if self.allow else []
        except InvalidMoveError as error:
            raise syntax_error(error) from None
        if leaves_nothing(position, bans):
            raise GtpError("no move left to analyze", "avoid and allow ban every legal move")
        return tuple(bans)


def interpret_request(args: Arguments, dialect: Dialect) -> Request:
    """The request in the arguments of a command. Raises GtpError."""
    words = args.words
    request = Request(Wanted(dialect))
    if words and is_player(words[0]):
        request = replace(request, player=interpret_player(words.pop(0)))
    if words and not words[0].isalpha():
        request = replace(request, interval=_interval(words.pop(0)))
    rest = iter(words)
    for key in rest:
        request = _with(request, key, rest)
    return request


def _with(request: Request, key: str, rest: Iterator[str]) -> Request:
    """The request with one key more, whose values are next in `rest`."""
    if key == "interval":
        return replace(request, interval=_interval(_value(key, rest)))
    if key in ("avoid", "allow"):
        return _restricted(request, key, rest)
    reader = _readers(request.wanted.dialect).get(key)
    if reader is None:
        known = ["black", "white", "interval", "avoid", "allow", *_readers(request.wanted.dialect)]
        raise syntax_error(f"key {quote(key)}: {suggest(key, known)}")
    return replace(request, wanted=replace(request.wanted, **reader(_value(key, rest))))


def _readers(dialect: Dialect) -> Mapping[str, Callable[[str], dict[str, Any]]]:
    """What each key does to Wanted."""

    def number(field: str) -> Callable[[str], dict[str, Any]]:
        return lambda text: {field: _count(text)}

    def switch(field: str) -> Callable[[str], dict[str, Any]]:
        return lambda text: {field: _truth(text)}

    numbers = {key: number(field) for key, field in NUMBERS.items()}
    switches = {key: switch(field) for key, field in SWITCHES.items()}
    return numbers | switches if dialect == "kata" else numbers


def _restricted(request: Request, key: str, rest: Iterator[str]) -> Request:
    player, vertices, plies = (_value(key, rest) for _ in range(3))
    moves = NamedMoves(interpret_player(player), tuple(vertices.split(",")), _count(plies))
    if request.allow or (key == "allow" and request.avoid):
        raise syntax_error(f"{key}: expected any number of avoid, or one allow, and not both")
    if key == "allow":
        return replace(request, allow=moves)
    return replace(request, avoid=(*request.avoid, moves))


def _value(key: str, rest: Iterator[str]) -> str:
    for word in rest:
        return word
    raise syntax_error(f"key {quote(key)} has no value")


def _interval(text: str) -> float:
    hundredths = interpret_float(text)
    if hundredths < 0:
        raise syntax_error(f"interval {quote(text)}: expected hundredths of a second, 0 or more")
    return hundredths / 100


def _count(text: str) -> int:
    number = interpret_int(text)
    if number < 0:
        raise syntax_error(f"number {quote(text)}: expected 0 or more")
    return number


def _truth(text: str) -> bool:
    if text not in ("true", "false"):
        raise syntax_error(f"switch {quote(text)}: expected true or false")
    return text == "true"
