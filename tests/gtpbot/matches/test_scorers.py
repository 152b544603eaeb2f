"""Who scores a finished game, and what comes of it where the engines do not agree."""

import shlex
import shutil

import pytest

from games.base import Game, Player
from gtpbot.engines.child import EngineError
from gtpbot.engines.client import GtpClient
from gtpbot.engines.referee import Scorer
from gtpbot.matches.scorers import (
    Referee,
    by_count,
    by_engines,
    by_outcome,
    by_playouts,
    by_rules,
    scorer_of,
)
from gtpbot.matches.sgf_files import replayed
from gtpbot.options import OptionsError, make_game
from tests.support.scripted_engine import Script, scripted

CHINESE = make_game("go", {"size": "5", "komi": "0.5", "rules": "chinese"})
TROMP_TAYLOR = make_game("go", {"size": "5", "komi": "0.5", "rules": "tromp-taylor"})
DEAD_STONE = "C2 E5 C1 pass C3 pass C4 pass C5 pass B2 pass B4 pass D2 pass D4 pass pass"
"""Black has the board but for a dead stone of White's."""
GNUGO = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")


def verdict(scorer: Scorer, black: Script, white: Script, game: Game = CHINESE) -> tuple[str, str]:
    with GtpClient(scripted(black), 10) as first, GtpClient(scripted(white), 10) as second:
        engines = {Player.BLACK: first, Player.WHITE: second}
        return scorer(replayed(game, DEAD_STONE.split()), engines)


def says(result: str) -> Script:
    return {"final_score": f"={{id}} {result}\n\n"}


@pytest.mark.parametrize(("game", "by_its_rules"), [(CHINESE, "B+24.5"), (TROMP_TAYLOR, "B+15.5")])
def test_all_stones_count_or_playouts_tell_the_dead(game: Game, by_its_rules: str) -> None:
    position = replayed(game, DEAD_STONE.split())
    assert by_count(position, {})[0] == "B+15.5"
    assert by_playouts(position, {})[0] == "B+24.5"
    assert by_rules(position, {})[0] == by_its_rules


@pytest.mark.parametrize(
    ("black", "white", "expected"),
    [
        ("B+24.5", "b+24.50", ("B+24.5", "both engines")),
        ("B+24.5", "B+13.5", ("B+13.5", "both engines")),
        ("W+5", "W+3", ("W+5", "both engines")),
        ("0", "W+0", ("0", "both engines")),
        ("0", "W+R", ("B+24.5", "playouts, as the engines said 0 and nothing")),
        ("W+R", "0", ("B+24.5", "playouts, as the engines said nothing and 0")),
        ("B+24.5", "W+1", ("B+24.5", "playouts, as the engines said B+24.5 and W+1")),
        ("B+24.5", "W+R", ("B+24.5", "playouts, as the engines said B+24.5 and nothing")),
    ],
)
def test_what_both_engines_say_counts_where_they_agree(
    black: str, white: str, expected: tuple[str, str]
) -> None:
    assert verdict(by_engines, says(black), says(white)) == expected


def test_an_engine_that_fails_to_score_says_nothing() -> None:
    for answer in ("?{id} cannot score\n\n", "DIE 1"):
        result, reason = verdict(by_engines, says("W+1"), {"final_score": answer})
        assert (result, reason) == ("B+24.5", "playouts, as the engines said W+1 and nothing")


def test_the_rules_choose_the_scorer() -> None:
    coin = make_game("coin", {"pile": "2"})
    assert scorer_of(CHINESE, None) is by_engines
    assert scorer_of(TROMP_TAYLOR, None) is by_count
    assert scorer_of(CHINESE, "playouts") is by_playouts
    assert scorer_of(coin, None) is by_outcome
    assert by_outcome(replayed(coin, ["2"]), {}) == ("B+1", "the rules")
    assert by_outcome(replayed(coin, ["1"]), {}) == ("0", "the rules")
    with pytest.raises(OptionsError, match="--score count: only games of Go are scored"):
        scorer_of(coin, "count")


def test_a_referee_is_shown_the_game_and_started_anew_if_it_fails() -> None:
    referee = Referee(shlex.join(scripted({"final_score": ["={id} b+3\n\n", "DIE 1"]})))
    position = replayed(CHINESE, DEAD_STONE.split())
    assert referee(position, {}) == ("B+3", "referee")
    assert referee(position, {}) == ("B+3", "referee")
    referee.close()


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (says("who knows"), "answered final_score with 'who knows': no result"),
        ({"play white E5": "?{id} illegal move\n\n"}, "'play white E5'"),
    ],
)
def test_a_referee_without_a_verdict_is_an_error(script: Script, message: str) -> None:
    referee = Referee(shlex.join(scripted(script)))
    with pytest.raises(EngineError, match=message):
        referee(replayed(CHINESE, DEAD_STONE.split()), {})
    referee.close()


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed: apt-get install gnugo")
def test_gnu_go_as_referee() -> None:
    referee = Referee(f"{GNUGO} --mode gtp --chinese-rules")
    assert referee(replayed(CHINESE, DEAD_STONE.split()), {}) == ("B+24.5", "referee")
    referee.close()
