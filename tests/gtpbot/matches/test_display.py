"""A match as it goes on, on a terminal and elsewhere."""

import io

import pytest

from games.base import Player
from gtpbot.engines.referee import GameResult
from gtpbot.matches.display import Display
from gtpbot.matches.report import told
from gtpbot.matches.schedule import Schedule
from gtpbot.matches.sprt import Sprt
from gtpbot.matches.standings import Record, Standings, record_of
from gtpbot.text.tables import aligned, width


@pytest.fixture(autouse=True)
def _on_a_good_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def played(number: int) -> Record:
    reason = "White: b has ended with exit code 1; it said:\n  out of\n  memory"
    result = GameResult("B+F", "crash", reason, ("C3",), 0, {Player.BLACK: 1.0})
    return record_of(Schedule(2).fixture(number), ["a", "b"], result)


def tell(stream: io.StringIO, games: int) -> Display:
    display, standings = Display(stream, Sprt(0, 10), 10), Standings(["a", "b"])
    for number in range(games):
        standings.add(played(number))
        display.tell(played(number), standings)
    return display


def test_a_line_for_each_game() -> None:
    stream = io.StringIO()
    tell(stream, 2)
    first, second = stream.getvalue().splitlines()
    assert first == (
        "game 0: a - b B+F, crash (White: b has ended with exit code 1; it said: out of memory); "
        "a 1-0-0, 100.0%, Elo above -636, superior 84.1%, log-likelihood ratio 0.00"
    )
    assert second.startswith("game 1: b - a B+F, crash")


def test_a_line_for_each_game_where_none_can_be_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    terminal = Terminal()
    tell(terminal, 2).clear()
    assert len(terminal.getvalue().splitlines()) == 2
    assert "\x1b" not in terminal.getvalue()


def test_a_wide_line_takes_no_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    display, standings = Display(Terminal(), None, 10), Standings(["\u67ef\u6d01" * 20, "b"])
    result = GameResult("B+R", "resignation", "", ("C3",), 0, {Player.BLACK: 1.0})
    record = record_of(Schedule(2).fixture(0), standings.names, result)
    standings.add(record)
    display.tell(record, standings)
    stream = display._stream
    assert isinstance(stream, Terminal)
    assert max(map(width, stream.getvalue().splitlines())) <= 39


def test_what_an_engine_wrote_does_not_steer_the_terminal() -> None:
    """A bar that Keras goes back over, and a colour that a cut line would leave switched on."""
    result = GameResult("B+F", "crash", "it said:\n  [==]\b\b\x1b[31mKO\x1b[0m", ("C3",))
    assert told(record_of(Schedule(2).fixture(0), ["a", "b"], result)).endswith(
        r"crash (it said: [==]\x08\x08\x1b[31mKO\x1b[0m)"
    )


def test_time_to_go() -> None:
    terminal, standings = Terminal(), Standings(["a", "b"], [played(0)])
    display = Display(terminal, None, 10)
    display._began -= 600
    display.tell(played(0), standings)
    assert "9 games to play in about 90.0 minutes; Ctrl-C" in terminal.getvalue()


def test_columns_of_wide_letters_are_aligned() -> None:
    assert aligned([("\u67ef\u6d01", "1"), ("abcde", "22")], "<>") == "\u67ef\u6d01    1\nabcde  22"


def test_a_table_that_is_drawn_anew_but_not_too_often() -> None:
    terminal = Terminal()
    display = tell(terminal, 5)
    drawn = terminal.getvalue()
    assert drawn.count("engine  games") == 1
    assert drawn.count("\n") == 8
    assert "9 games to play in about 0.0 minutes" in drawn
    display.clear()
    display.clear()
    assert terminal.getvalue() == drawn + "\x1b[8F\x1b[J"
