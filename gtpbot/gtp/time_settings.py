"""Time controls as clients write them: GTP's own three numbers, and KGS's and KataGo's kinds."""

from collections.abc import Callable, Container, Mapping, Sequence
from math import inf
from typing import Any

from gtpbot.gtp.clock import Byoyomi, Canadian, Fischer, Left, TimeControl

MOST_SECONDS = 2.0**32
"""More than any client sends for "no limit"."""
MOST_COUNT = 2**31


class TimeSettingsError(ValueError):
    """The words are no time control."""


def parse_time_settings(words: Sequence[str]) -> TimeControl | None:
    """The control of `time_settings MAIN PERIOD STONES`; None means no limit.

    A period without stones means no limit, as the standard has it, and so does no time at all.
    Raises TimeSettingsError.

    >>> parse_time_settings("300 30 5".split())
    Canadian(main=300.0, period=30.0, stones=5)
    """
    main, period, stones = _read("MAIN PERIOD STONES", words)
    return None if period and not stones else _canadian(main, period, stones)


def parse_kind(words: Sequence[str]) -> TimeControl | None:
    """The control of `kgs-time_settings KIND ...` and `kata-time_settings KIND ...`.

    None means no limit. Raises TimeSettingsError.

    >>> parse_kind("byoyomi 600 30 5".split())
    Byoyomi(main=600.0, period=30.0, periods=5)
    """
    if not words or words[0].lower() not in KINDS:
        named = repr(words[0][:80]) if words else "nothing"
        raise TimeSettingsError(f"time control {named}: expected one of {', '.join(KINDS)}")
    fields, make = KINDS[words[0].lower()]
    return make(*_read(fields, words[1:]))


def written(control: TimeControl, commands: Container[str]) -> str:
    """The command that tells an engine, which knows these `commands`, of a control.

    One that knows only the standard's is told of less time than it has: of no increments, of a
    single period.

    >>> written(Byoyomi(600, 30, 5), ["kgs-time_settings"])
    'kgs-time_settings byoyomi 600 30 5'
    >>> written(Byoyomi(600, 30, 5), [])
    'time_settings 600 30 1'
    """
    kata, kgs = "kata-time_settings" in commands, "kgs-time_settings" in commands
    match control:
        case Fischer(main, increment, most, each) if kata and min(most, each) < inf:
            caps = f"{_written_limit(most)} {_written_limit(each)}"
            return f"kata-time_settings fischer-capped {main:.10g} {increment:.10g} {caps}"
        case Fischer(main, increment) if increment and kata:
            return f"kata-time_settings fischer {main:.10g} {increment:.10g}"
        case Byoyomi(main, period, periods) if kata or kgs:
            kind = "kgs" if kgs else "kata"
            return f"{kind}-time_settings byoyomi {main:.10g} {period:.10g} {periods}"
        case Canadian(main, period, stones) if kata:  # the standard's numbers are whole
            return f"kata-time_settings canadian {main:.10g} {period:.10g} {stones}"
        case Canadian(main, period, stones):
            return f"time_settings {main:.10g} {period:.10g} {stones}"
        case Byoyomi(main, period):
            return f"time_settings {main:.10g} {period:.10g} 1"
        case Fischer(0, increment):  # no time at all would be no limit
            return f"time_settings 0 {increment:.10g} 1"
        case Fischer(main):
            return f"time_settings {main:.10g} 0 0"
    raise TypeError(f"time control {control!r}: expected Fischer, Canadian or Byoyomi")


def written_left(color: str, left: Left, told: str) -> str:
    """`time_left` for an engine that was `told` of the control by this command.

    Whole seconds, as the standard and KGS have it, except for engines that know KataGo's kinds, or
    took a control with fractions: a period of half a second would be none.

    >>> written_left("black", Left(9.56, 3), "time_settings 600 30 1")
    'time_left black 9 1'
    >>> written_left("black", Left(0.5, 1), "time_settings 0 0.5 1")
    'time_left black 0.50 1'

    Who was told of an increment as of a period, which each move has anew, has no more than that.

    >>> written_left("black", Left(9.56, 0), "time_settings 0 3 1")
    'time_left black 3 1'
    """
    command, *numbers = told.split()
    is_whole = not told.startswith("kata-") and "." not in told
    remains, count = left.seconds, left.count
    if command == "time_settings" and numbers[-1] == "1":
        count = min(count, 1)
        if numbers[0] == "0" and not count:
            remains, count = min(remains, float(numbers[1])), 1
    seconds = f"{int(remains)}" if is_whole else f"{remains:.2f}"
    return f"time_left {color} {seconds} {count}"


def parse_seconds(word: str) -> float:
    """A time in seconds from 0 on. Raises TimeSettingsError."""
    try:
        seconds = float(word)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= MOST_SECONDS:
        raise TimeSettingsError(
            f"time {word[:80]!r}: expected seconds from 0 to {MOST_SECONDS:.0f}"
        )
    return seconds


def parse_count(word: str) -> int:
    """A number of stones or periods from 0 on. Raises TimeSettingsError."""
    count = int(word) if word.isascii() and word.isdigit() and len(word) <= 10 else -1
    if not 0 <= count <= MOST_COUNT:
        raise TimeSettingsError(f"number {word[:80]!r}: expected a number from 0 to {MOST_COUNT}")
    return count


def _read(fields: str, words: Sequence[str]) -> list[Any]:
    """The values of `words`, one for each of the space-separated `fields`."""
    names = fields.split()
    if len(words) != len(names):
        given = " ".join(words)[:80]
        raise TimeSettingsError(f"time settings {given!r}: expected {fields or 'no more'}")
    return [_READERS[name](word) for name, word in zip(names, words, strict=True)]


def _fischer(
    main: float, increment: float = 0.0, most: float = inf, most_per_move: float = inf
) -> TimeControl | None:
    """No time at all is nobody's clock: clients that send it mean that they keep none."""
    return Fischer(main, increment, most, most_per_move) if main or increment else None


def _canadian(main: float, period: float, stones: int) -> TimeControl | None:
    return Canadian(main, period, stones) if period and stones else _fischer(main)


def _byoyomi(main: float, period: float, periods: int) -> TimeControl | None:
    return Byoyomi(main, period, periods) if period and periods else _fischer(main)


def _parse_limit(word: str) -> float:
    """Seconds, or no limit if negative."""
    return inf if word.startswith("-") and parse_seconds(word[1:]) else parse_seconds(word)


def _written_limit(seconds: float) -> str:
    return f"{seconds:.10g}" if seconds < inf else "-1"


_READERS: Mapping[str, Callable[[str], Any]] = {
    "MAIN": parse_seconds,
    "PERIOD": parse_seconds,
    "PERIODS": parse_count,
    "STONES": parse_count,
    "INCREMENT": parse_seconds,
    "LIMIT": _parse_limit,
    "LIMIT_PER_MOVE": _parse_limit,
}

KINDS: Mapping[str, tuple[str, Callable[..., TimeControl | None]]] = {
    "none": ("", lambda: None),
    "absolute": ("MAIN", _fischer),
    "byoyomi": ("MAIN PERIOD PERIODS", _byoyomi),
    "canadian": ("MAIN PERIOD STONES", _canadian),
    "fischer": ("MAIN INCREMENT", _fischer),
    "fischer-capped": ("MAIN INCREMENT LIMIT LIMIT_PER_MOVE", _fischer),
}
"""The words after each kind, in the order that `kata-list_time_settings` gives the kinds."""
