"""What a command line makes of the games that are kept: the same match, or another."""

from pathlib import Path

import pytest

from gtpbot.engines.referee import GameResult
from gtpbot.matches.plan import Plan, parser, read_plan
from gtpbot.matches.schedule import Schedule
from gtpbot.matches.scorers import Referee
from gtpbot.matches.sprt import Sprt
from gtpbot.matches.standings import record_of
from gtpbot.options import OptionsError

ENGINES = ("random", "uct")


def plan(folder: Path, *words: str) -> Plan:
    """Nobody is started."""
    options = parser().read(["--out", str(folder / "out.jsonl"), *words])
    return read_plan(options, Referee(options.referee) if options.referee else None)


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """The folder of a match with one game of two."""
    (tmp_path / "openings.txt").write_text("C3 D4\n")
    result = GameResult("B+3", "score", "count", ("C3",), 0, {})
    plan(tmp_path, *ENGINES, "--games", "2").add(record_of(Schedule(2).fixture(0), ENGINES, result))
    return tmp_path


@pytest.mark.parametrize(
    "words",
    ["--games 4", "--parallel 2", "--fresh", "--sprt 0 9 --alpha 0.1 --beta 0.1", "--sgf s"],
)
def test_what_may_be_changed(begun: Path, words: str) -> None:
    again = plan(begun, *ENGINES, "--games", "2", *words.split())
    assert [fixture.number for fixture in again.missing][:1] == [1]
    assert len(again.standings.records) == 1


@pytest.mark.parametrize(
    "words",
    [
        "--game tictactoe --move-limit 1083", "--size 9", "--komi 5", "--rules japanese",
        "--tournament gauntlet", "--random-moves 1", "--seed 2", "--seconds 1", "--margin 1",
        "--patience 9", "--score count", "--referee x", "--move-limit 9",
        "--openings FOLDER/openings.txt",
    ],
)  # fmt: skip
def test_what_makes_another_match(begun: Path, words: str) -> None:
    changed = words.replace("FOLDER", str(begun)).split()
    with pytest.raises(OptionsError, match=r"line 1: played with .*; give another --out"):
        plan(begun, *ENGINES, *changed)


def test_what_is_asked_for_is_planned(tmp_path: Path) -> None:
    words = "--sprt 0 9 --alpha 0.1 --beta 0.2 --random-moves 4 --seed 3 --parallel 5 --fresh"
    made = plan(tmp_path, *ENGINES, *words.split())
    openings = made.match.openings
    assert made.sprt == Sprt(elo0=0, elo1=9, alpha=0.1, beta=0.2)
    assert (openings.random_moves, openings.seed, made.parallel, made.match.fresh) == (
        4,
        3,
        5,
        True,
    )


def test_engines_in_another_order_make_another_match(begun: Path) -> None:
    with pytest.raises(OptionsError, match="played with engines"):
        plan(begun, *reversed(ENGINES))
