"""Which processes play the games of a match, from which openings, and who could not be started."""

from pathlib import Path

import pytest

from gtpbot.engines.referee import GameResult, Terms
from gtpbot.matches.engines import Engine
from gtpbot.matches.openings import Openings
from gtpbot.matches.runner import Match, play
from gtpbot.matches.schedule import Schedule
from gtpbot.matches.scorers import by_count
from gtpbot.options import make_game
from tests.support.scripted_engine import Script, scripted

GO = make_game("go", {"size": "5", "komi": "0.5", "rules": "tromp-taylor"})
PASSES: Script = {"genmove black": "={id} pass\n\n", "genmove white": "={id} pass\n\n"}


def engine(name: str, script: Script) -> Engine:
    return Engine(name, name, tuple(scripted(script)))


def played(*engines: Engine, random_moves: int = 0, fresh: bool = False) -> list[GameResult]:
    """Four games, one after the other."""
    match = Match(engines, Terms(GO, by_count), Openings(GO, random_moves=random_moves), fresh)
    return [result for _, result in play(match, Schedule(2).fixtures(4), parallel=1)]


@pytest.mark.parametrize(("fresh", "third"), [(False, "resignation"), (True, "score")])
def test_engines_are_kept_from_game_to_game_unless_it_is_told_otherwise(
    fresh: bool, third: str
) -> None:
    tires = engine("a", {**PASSES, "genmove black": ["={id} pass\n\n", "={id} resign\n\n"]})
    results = played(tires, engine("b", PASSES), fresh=fresh)
    assert [result.ending for result in results] == ["score", "score", third, "score"]


def test_who_failed_is_started_again_though_it_still_runs() -> None:
    errs = engine("a", {**PASSES, "genmove black": ["={id} Z99\n\n", "={id} pass\n\n"]})
    results = played(errs, engine("b", PASSES))
    assert [result.ending for result in results] == ["nonsense", "score", "nonsense", "score"]


def test_both_games_of_a_pair_begin_alike() -> None:
    results = played(engine("a", PASSES), engine("b", PASSES), random_moves=3)
    first, second, third, fourth = (result.moves[:3] for result in results)
    assert first == second != third == fourth
    assert {(result.given, len(result.moves)) for result in results} == {(3, 5)}


def test_who_can_be_started_no_more_loses(tmp_path: Path) -> None:
    gone = Engine("gone", "gone", (str(tmp_path / "gone"),))
    results = played(gone, engine("b", PASSES))
    assert [result.result for result in results] == ["W+F", "B+F"] * 2
    assert {(result.ending, result.moves) for result in results} == {("crash", ())}
    assert results[0].reason.startswith("Black: cannot start")
