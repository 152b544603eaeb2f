"""Records of games, and who scored how much against whom."""

from dataclasses import asdict
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from games.base import Player
from gtpbot.engines.referee import GameResult
from gtpbot.matches.schedule import Schedule
from gtpbot.matches.standings import Record, Standings, record_of
from gtpbot.measure.results import ResultsFile

NAMES = ["a", "b", "c"]


def record(number: int, result: GameResult) -> Record:
    return record_of(Schedule(3).fixture(number), NAMES, result)


WON = GameResult("B+3", "score", "count", ("C3", "D4", "E5"), 1, {Player.BLACK: 4.0})
FAILED = GameResult("B+F", "crash", "White: died", ("C3", "D4"), 0, {Player.BLACK: 1.0})
DRAWN = GameResult("0", "score", "count", ("C3",), 1, {})


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    kept = record(1, FAILED)
    assert (kept.black, kept.white, kept.opening) == ("b", "a", 0)
    assert (kept.winner, kept.at_fault) == ("b", "a")
    ResultsFile(tmp_path / "games.jsonl", {}).add(asdict(kept))
    again = ResultsFile(tmp_path / "games.jsonl", {})
    assert again.games(TypeAdapter(Record), lambda game: None) == [kept]


def test_who_scored_how_much_against_whom() -> None:
    standings = Standings(NAMES, [record(0, WON), record(1, FAILED), record(2, DRAWN)])
    assert standings.between("a", "b").blocks == {(1.0, 0.0): 1}
    assert standings.between("b", "a").blocks == {(0.0, 1.0): 1}
    assert standings.between("b", "c").games == 0
    assert standings.of("a").wins_draws_losses == (1, 1, 1)
    assert standings.with_color("a", "white").wins_draws_losses == (0, 0, 1)
    assert [standings.faults(name) for name in NAMES] == [1, 0, 0]


def test_tallies_do_not_change_when_more_games_are_played() -> None:
    standings = Standings(NAMES, [record(0, WON)])
    before = standings.between("a", "b")
    standings.add(record(1, FAILED))
    assert (before.games, standings.between("a", "b").games) == (1, 2)


def test_what_is_told_after_each_game_is_not_counted_anew() -> None:
    standings = Standings(NAMES, [record(number, WON) for number in range(60)])
    assert standings.between("a", "b").blocks == {(1.0, 0.0): 10}
    assert (standings.between("a", "b").games, standings.of("a").games) == (20, 40)
    standings.records.clear()
    assert standings.with_color("a", "black").wins_draws_losses == (20, 0, 0)
    assert standings.seconds_a_move("a") == 2.0


def test_to_resign_is_a_choice_too() -> None:
    """It took its time, which counts as well."""
    seconds = {Player.BLACK: 0.25, Player.WHITE: 0.5}
    given_up = GameResult("B+R", "resignation", "", ("C3", "D4", "E5"), 1, seconds)
    standings = Standings(NAMES, [record(0, given_up)])
    assert standings.records[0].moves_of == {"black": 1, "white": 2}
    assert [standings.seconds_a_move(name) for name in "ab"] == [0.25, 0.25]


@pytest.mark.parametrize(
    ("moves", "given", "black", "white"),
    [(0, 0, 0, 0), (5, 0, 3, 2), (6, 0, 3, 3), (6, 1, 2, 3), (7, 2, 3, 2), (7, 3, 2, 2)],
)
def test_players_take_turns_after_the_opening(
    moves: int, given: int, black: int, white: int
) -> None:
    result = GameResult("B+3", "score", "count", ("pass",) * moves, given, {})
    assert record(0, result).moves_of == {"black": black, "white": white}


def test_moves_of_the_opening_are_nobodys() -> None:
    standings = Standings(NAMES, [record(0, WON)])
    assert record(0, WON).moves_of == {"black": 1, "white": 1}
    assert standings.seconds_a_move("a") == 4.0
    assert standings.seconds_a_move("c") == 0.0
