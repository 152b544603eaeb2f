"""Games between scripted engines: who won, why, and what everybody was told."""

import pytest

from gtpbot.client import CommandFailedError, EngineTimeoutError, GtpClient
from gtpbot.referee import GameResult, play_game
from tests.support.scripted_engine import Script, scripted

SCORED: Script = {"final_score": "={id} W+2.5\n\n"}


def mover(color: str, moves: str, script: Script | None = None) -> Script:
    """An engine that plays `moves`, separated by spaces."""
    answers = [f"={{id}} {move}\n\n" for move in moves.split()]
    return {f"genmove {color}": answers, **(script or {})}


def play(black: Script, white: Script, judge: Script, limit: int | None = None) -> GameResult:
    with (
        GtpClient(scripted(black), 10) as first,
        GtpClient(scripted(white), 10) as second,
        GtpClient(scripted(judge), 10) as third,
    ):
        return play_game(first, second, third, 9, 7.5, limit, seconds_per_move=0.5)


def test_two_passes_end_the_game_and_the_judge_scores() -> None:
    result = play(mover("black", "E5 PASS D4 pass"), mover("white", "C3 G7 pass"), SCORED)
    assert (result.result, result.reason, result.winner) == ("W+2.5", "score", "white")
    assert result.moves == ("e5", "c3", "pass", "g7", "d4", "pass", "pass")
    assert set(result.seconds) == {"black", "white"}


def test_everybody_is_told_every_move_of_the_others() -> None:
    refuses_e5: Script = {"play black e5": "?{id} illegal move\n\n"}
    with pytest.raises(CommandFailedError, match="'play black e5'"):
        play(mover("black", "E5"), mover("white", "C3", refuses_e5), SCORED)
    refuses_c3: Script = {"play white c3": "?{id} illegal move\n\n"}
    with pytest.raises(CommandFailedError, match="'play white c3'"):
        play(mover("black", "E5", refuses_c3), mover("white", "C3"), SCORED)


@pytest.mark.parametrize("command", ["boardsize 9", "clear_board", "komi 7.5"])
def test_everybody_is_set_up(command: str) -> None:
    refuses: Script = {command: "?{id} never\n\n"}
    casts: list[tuple[Script, Script, Script]] = [
        (refuses, {}, SCORED),
        ({}, refuses, SCORED),
        ({}, {}, refuses),
    ]
    for engines in casts:
        with pytest.raises(CommandFailedError, match=f"'{command}'"):
            play(*engines)


def test_resignation() -> None:
    assert play(mover("black", "Resign"), {}, SCORED).result == "W+R"
    result = play(mover("black", "E5"), mover("white", "resign"), SCORED)
    assert (result.result, result.reason, result.winner) == ("B+R", "resignation", "black")


@pytest.mark.parametrize("move", ["E5", "nonsense"])
def test_what_the_judge_refuses_forfeits(move: str) -> None:
    judge: Script = {f"play white {move.lower()}": "?{id} illegal move\n\n"}
    result = play(mover("black", "E5"), mover("white", move), judge)
    assert (result.result, result.winner) == ("B+F", "black")
    assert f"white played '{move.lower()}'" in result.reason
    assert result.moves == ("e5",)


def test_no_move_at_all_forfeits() -> None:
    refuses_nothing: Script = {"play black ": "?{id} syntax error\n\n", "play black": "?{id} x\n\n"}
    assert play({}, {}, refuses_nothing).result == "W+F"


def test_the_move_limit() -> None:
    result = play(mover("black", "A1 A2"), mover("white", "B1 B2"), SCORED, limit=3)
    assert (result.reason, len(result.moves)) == ("move limit", 3)


def test_a_hanging_engine_is_an_error() -> None:
    with pytest.raises(EngineTimeoutError, match=r"'genmove black' in 0\.5 s"):
        play({"genmove black": "HANG"}, {}, SCORED)
