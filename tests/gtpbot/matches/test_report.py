"""What a match says of itself at its end."""

import pytest

from games.base import Player
from gtpbot.engines.referee import GameResult
from gtpbot.matches.elo import elo_of
from gtpbot.matches.report import rated, summary, table
from gtpbot.matches.schedule import Schedule
from gtpbot.matches.standings import Record, Standings, record_of

NAMES = ["a", "b"]
WHITE_WON = GameResult("W+R", "resignation", "", ("C3",), 0, {})
BLACK_WON = GameResult("B+R", "resignation", "", ("C3",), 0, {})
WHITE_CRASHED = GameResult("B+F", "crash", "White: died", ("C3",), 0, {Player.BLACK: 1.0})


def told(*results: GameResult) -> str:
    schedule = Schedule(2)
    records: list[Record] = [
        record_of(schedule.fixture(number), NAMES, result) for number, result in enumerate(results)
    ]
    return summary(Standings(NAMES, records), None)


def test_openings_that_one_colour_wins_are_called_uneven() -> None:
    said = told(*[WHITE_WON] * 17, *[BLACK_WON] * 3)
    assert "White won 17 of 20 games: openings so uneven say little of who is stronger" in said
    assert "Black won 18 of 20 games" in told(*[BLACK_WON] * 18, *[WHITE_WON] * 2)


@pytest.mark.parametrize(
    "results",
    [
        [WHITE_WON] * 16 + [BLACK_WON] * 4,
        [WHITE_WON] * 19,
        [BLACK_WON] * 10 + [WHITE_CRASHED] * 10,
    ],
    ids=["nearly", "few games", "crashes"],
)
def test_others_are_not(results: list[GameResult]) -> None:
    assert "uneven" not in told(*results)


def test_games_that_engines_failed_in_are_no_repetitions() -> None:
    """Other openings would not help."""
    assert "4 games were played before" in told(*[BLACK_WON] * 6)
    assert "played before" not in told(*[WHITE_CRASHED] * 6)


def test_points_are_told_by_colour() -> None:
    row = told(WHITE_WON, WHITE_WON, WHITE_WON).splitlines()[1]
    assert row.split()[:8] == ["b", "3", "2", "0", "1", "66.7%", "0.0%", "100.0%"]


def test_many_faults_are_counted() -> None:
    said = told(*[WHITE_CRASHED] * 10)
    assert said.count(" lost by crash: ") == 10 and " more" not in said
    said = told(*[WHITE_CRASHED] * 12)
    assert said.count(" lost by crash: ") == 10 and said.endswith("\nand 2 more")


def test_the_table_can_be_told_before_all_have_played() -> None:
    """As on a terminal, after the first game of three engines."""
    names = ["a", "b", "c"]
    standings = Standings(names, [record_of(Schedule(3).fixture(0), names, BLACK_WON)])
    assert [row.split()[0] for row in table(standings).splitlines()] == ["engine", "a", "c", "b"]


def test_who_does_not_meet_in_a_gauntlet_is_given_no_drawn_game() -> None:
    """The second wins all, the third nothing, both against the first alone."""
    schedule, names, strength = Schedule(3, "gauntlet"), ["first", "second", "third"], (1, 2, 0)
    records = []
    for fixture in schedule.fixtures(8):
        black_wins = strength[fixture.black] > strength[fixture.white]
        records.append(record_of(fixture, names, BLACK_WON if black_wins else WHITE_WON))
    ratings = rated(Standings(names, records))
    gap = elo_of((8 + 0.5) / (8 + 1))
    assert ratings["second"].elo - ratings["first"].elo == pytest.approx(gap, abs=1e-4)
    assert ratings["first"].elo - ratings["third"].elo == pytest.approx(gap, abs=1e-4)
