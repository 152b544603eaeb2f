"""Time controls as GUIs and servers write them."""

from math import inf

import pytest

from gtpbot.gtp.clock import Byoyomi, Canadian, Clock, Fischer, Left, TimeControl
from gtpbot.gtp.time_settings import (
    TimeSettingsError,
    parse_kind,
    parse_time_settings,
    written,
    written_left,
)


@pytest.mark.parametrize(
    ("words", "control"),
    [
        ("300 0 0", Fischer(300)),
        ("300 30 5", Canadian(300, 30, 5)),
        ("0 2.5 1", Canadian(0, 2.5, 1)),
        ("300 0 5", Fischer(300)),
        ("0 1 0", None),
        ("1 1 0", None),
        ("0 0 0", None),
        ("2147483647 0 0", Fischer(2147483647)),
    ],
)
def test_time_settings(words: str, control: TimeControl | None) -> None:
    assert parse_time_settings(words.split()) == control


@pytest.mark.parametrize(
    ("words", "control"),
    [
        ("none", None),
        ("absolute 600", Fischer(600)),
        ("Absolute 0", None),
        ("byoyomi 600 30 5", Byoyomi(600, 30, 5)),
        ("byoyomi 600 30 0", Fischer(600)),
        ("byoyomi 600 0 5", Fischer(600)),
        ("canadian 600 300 25", Canadian(600, 300, 25)),
        ("canadian 600 300 0", Fischer(600)),
        ("fischer 60 5.5", Fischer(60, 5.5)),
        ("fischer 0 5", Fischer(0, 5)),
        ("fischer-capped 120 30 300 -1", Fischer(120, 30, 300, inf)),
        ("fischer-capped 120 30 -1 15", Fischer(120, 30, inf, 15)),
    ],
)
def test_kinds(words: str, control: TimeControl | None) -> None:
    assert parse_kind(words.split()) == control


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "time settings '': expected MAIN PERIOD STONES"),
        ("300", "time settings '300': expected MAIN PERIOD STONES"),
        ("300 0 0 0", "time settings '300 0 0 0': expected MAIN PERIOD STONES"),
        ("x 0 0", "time 'x': expected seconds from 0 to "),
        ("-1 0 0", "time '-1': expected seconds from 0 to "),
        ("nan 0 0", "time 'nan': expected seconds"),
        ("inf 0 0", "time 'inf': expected seconds"),
        ("1e300 0 0", "time '1e300': expected seconds"),
        ("1 1 -1", "number '-1': expected a number from 0 to "),
        ("1 1 1.5", "number '1.5': expected a number"),
        ("1 1 ٣", "number '٣': expected a number"),
        ("1 1 99999999999", "number '99999999999': expected a number"),
    ],
)
def test_bad_time_settings(words: str, message: str) -> None:
    with pytest.raises(TimeSettingsError) as error:
        parse_time_settings(words.split())
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "time control nothing: expected one of none, absolute, byoyomi, canadian, fischer, "),
        ("japanese 1", "time control 'japanese': expected one of none, "),
        ("none 1", "time settings '1': expected no more"),
        ("byoyomi 600 30", "time settings '600 30': expected MAIN PERIOD PERIODS"),
        ("fischer-capped 60 5 -x -1", "time 'x': expected seconds"),
    ],
)
def test_bad_kinds(words: str, message: str) -> None:
    with pytest.raises(TimeSettingsError) as error:
        parse_kind(words.split())
    assert message in str(error.value)


@pytest.mark.parametrize("period", [0.5, 1.9, 2.5])
@pytest.mark.parametrize("commands", [["kata-time_settings"], []])
def test_an_engine_that_takes_fractions_of_a_second_is_given_them(
    period: float, commands: list[str]
) -> None:
    told = written(Canadian(0, period, 1), commands)
    name, *words = told.split()
    clock = Clock((parse_kind if name == "kata-time_settings" else parse_time_settings)(words))
    _, _, seconds, count = written_left("black", Left(period, 1), told).split()
    clock.time_left(float(seconds), int(count))
    assert clock.left == Left(period, 1)


@pytest.mark.parametrize("commands", [["kgs-time_settings"], []])
def test_other_engines_are_given_whole_seconds(commands: list[str]) -> None:
    """Some read two integers, and refuse a point."""
    told = written(Byoyomi(300, 10, 5), commands)
    assert written_left("black", Left(299.9, 0), told) == "time_left black 299 0"


@pytest.mark.parametrize(("left", "told"), [(5.0, "5 1"), (12.9, "5 1"), (2.2, "2 1")])
def test_an_increment_told_as_a_period_is_told_so_at_each_move(left: float, told: str) -> None:
    settings = written(Fischer(0, 5), [])
    assert written_left("white", Left(left, 0), settings) == f"time_left white {told}"


@pytest.mark.parametrize("kind", ["fischer-capped 60 5 -1 0.5", "fischer-capped 60 5 90 -1"])
def test_caps_are_told(kind: str) -> None:
    control = parse_kind(kind.split())
    assert control is not None
    told = written(control, ["kata-time_settings"])
    assert told == f"kata-time_settings {kind}"
    assert parse_kind(told.split()[1:]) == control


KATA, KGS = "kata-time_settings", "kgs-time_settings"


@pytest.mark.parametrize(
    ("control", "commands", "told"),
    [
        (Fischer(60), [KATA, KGS], "time_settings 60 0 0"),
        (Fischer(60, 5), [KATA], "kata-time_settings fischer 60 5"),
        (Fischer(60, 5), [KGS], "time_settings 60 0 0"),
        (Fischer(60, 5, 90), [KGS], "time_settings 60 0 0"),
        (Byoyomi(60, 10, 3), [KATA], "kata-time_settings byoyomi 60 10 3"),
        (Byoyomi(60, 10, 3), [KATA, KGS], "kgs-time_settings byoyomi 60 10 3"),
        (Byoyomi(60, 10, 3), [], "time_settings 60 10 1"),
        (Canadian(60, 10, 3), [KATA], "kata-time_settings canadian 60 10 3"),
        (Canadian(60, 10, 3), [KGS], "time_settings 60 10 3"),
    ],
)
def test_a_control_is_told_in_the_words_that_an_engine_knows(
    control: TimeControl, commands: list[str], told: str
) -> None:
    assert written(control, commands) == told


@pytest.mark.parametrize(
    ("told", "left", "shown"),
    [
        ("kata-time_settings fischer 60 5", Left(9.56, 0), "9.56 0"),
        ("kata-time_settings byoyomi 60 10 3", Left(9.56, 2), "9.56 2"),
        ("kgs-time_settings byoyomi 60 10 3", Left(9.56, 2), "9 2"),
        ("time_settings 60 10 3", Left(9.56, 2), "9 2"),
        ("time_settings 60 10 1", Left(9.56, 2), "9 1"),
        ("time_settings 60 10 1", Left(29.56, 0), "29 0"),
    ],
)
def test_what_is_left_is_told_as_the_control_was(told: str, left: Left, shown: str) -> None:
    assert written_left("black", left, told) == f"time_left black {shown}"


def test_increments_alone_are_told_as_periods_and_long_times_in_full() -> None:
    """To who knows neither increments nor another form of numbers."""
    assert written(Fischer(0, 5), []) == "time_settings 0 5 1"
    assert written(Fischer(1234567), []) == "time_settings 1234567 0 0"
