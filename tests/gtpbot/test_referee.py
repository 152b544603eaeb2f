"""Games between scripted engines: who won, why, and what everybody was told."""

import time

import pytest

from games.base import Game, Player
from gtpbot.engines.client import GtpClient
from gtpbot.engines.referee import GameResult, Terms, _Clock, play_game, preparation
from gtpbot.gtp.clock import Canadian, Fischer, Left, TimeControl
from gtpbot.matches.scorers import scorer_of
from gtpbot.options import make_game
from tests.support.scripted_engine import Script, scripted

GO = make_game("go", {"size": "9", "komi": "7.5", "rules": "tromp-taylor"})


def mover(color: str, moves: str, script: Script | None = None) -> Script:
    """An engine that plays `moves`, separated by spaces."""
    answers = [f"={{id}} {move}\n\n" for move in moves.split()]
    return {f"genmove {color}": answers, **(script or {})}


def play(
    black: Script,
    white: Script,
    *,
    game: Game = GO,
    control: TimeControl | None = None,
    move_limit: int | None = None,
    opening: str = "",
) -> GameResult:
    terms = Terms(game, scorer_of(game, None), control, 0.1, patience=0.5, move_limit=move_limit)
    actions = [game.string_to_action(game.new_state(), word) for word in opening.split()]
    with GtpClient(scripted(black), 10) as first, GtpClient(scripted(white), 10) as second:
        result = play_game({Player.BLACK: first, Player.WHITE: second}, terms, actions)
        for client in (first, second):
            client.close(patience=0.2)  # one that hangs is not waited for
    return result


def test_two_passes_end_the_game_and_the_scorer_scores() -> None:
    result = play(mover("black", "E5 PASS D4 pass"), mover("white", "C3 G7 pass"))
    assert (result.result, result.ending, result.reason) == ("W+7.5", "score", "count")
    assert result.moves == ("E5", "C3", "pass", "G7", "D4", "pass", "pass")
    assert result.winner == Player.WHITE and result.at_fault is None
    assert set(result.seconds) == set(Player)


def test_everybody_is_told_every_move_of_the_other_and_must_agree() -> None:
    refuses: Script = {"play black E5": "?{id} illegal move\n\n"}
    result = play(mover("black", "E5"), mover("white", "C3", refuses))
    assert (result.result, result.ending) == ("B+F", "refusal")
    assert "'play black E5' with '? illegal move'" in result.reason
    refuses = {"play white C3": "?{id} illegal move\n\n"}
    assert play(mover("black", "E5", refuses), mover("white", "C3")).result == "W+F"
    refuses = {"play white pass": "?{id} not yet\n\n"}  # the last one, with nothing asked after it
    assert play(mover("black", "pass", refuses), mover("white", "pass")).result == "W+F"


@pytest.mark.parametrize("command", ["boardsize 9", "clear_board", "komi 7.5"])
def test_who_cannot_be_set_up_loses(command: str) -> None:
    refuses: Script = {command: "?{id} never\n\n"}
    for scripts, result in ((refuses, {}), "W+F"), (({}, refuses), "B+F"):
        game = play(*scripts)
        assert (game.result, game.ending) == (result, "refusal")
        assert f"'{command}' with '? never'" in game.reason


def test_resignation() -> None:
    assert play(mover("black", "Resign"), {}).result == "W+R"
    result = play(mover("black", "E5"), mover("white", "resign"))
    assert (result.result, result.ending, result.winner) == ("B+R", "resignation", Player.BLACK)


@pytest.mark.parametrize(
    ("move", "ending", "reason"),
    [
        ("E5", "illegal move", "White: move 2, 'E5': "),
        ("nonsense", "nonsense", "White: move 2, 'nonsense': "),
        ("", "nonsense", "White: move 2, '': "),
    ],
)
def test_what_is_no_legal_move_loses(move: str, ending: str, reason: str) -> None:
    result = play(mover("black", "E5"), {"genmove white": f"={{id}} {move}\n\n"})
    assert (result.result, result.ending, result.at_fault) == ("B+F", ending, Player.WHITE)
    assert result.reason.startswith(reason)
    assert result.moves == ("E5",)


@pytest.mark.parametrize(
    ("rules", "ending"), [("chinese", "score"), ("tromp-taylor", "illegal move")]
)
def test_the_rules_of_the_match_say_which_repetitions_are_illegal(rules: str, ending: str) -> None:
    """White sends two stones and takes one back: the position before is there again."""
    game = make_game("go", {"size": "9", "rules": rules})
    black, white = mover("black", "pass C1 pass"), mover("white", "A1 B1 pass")
    result = play(black, white, game=game, opening="A2 B1 B2 C2 J9 D1")
    assert (result.ending, result.at_fault) == (ending, Player.WHITE if ending != "score" else None)


@pytest.mark.parametrize(
    ("answer", "ending"),
    [("DIE 3", "crash"), ("HANG", "hang"), ("so what\n", "nonsense"), ("?{id} no\n\n", "refusal")],
)
def test_whose_engine_fails_loses(answer: str, ending: str) -> None:
    result = play({"genmove black": answer}, {})
    assert (result.result, result.ending, result.at_fault) == ("W+F", ending, Player.BLACK)
    result = play(mover("black", "E5"), {"genmove white": answer})
    assert (result.result, result.ending, result.at_fault) == ("B+F", ending, Player.WHITE)


def test_an_opening_is_told_to_both() -> None:
    refuses: Script = {"play white C3": "?{id} never\n\n"}
    assert play(refuses, {}, opening="E5 C3").result == "W+F"
    result = play({}, refuses, opening="E5 C3")
    assert (result.result, result.moves) == ("B+F", ("E5", "C3"))
    result = play(mover("black", "pass"), mover("white", "pass"), opening="E5 C3")
    assert (result.moves, result.given) == (("E5", "C3", "pass", "pass"), 2)


def test_the_move_limit() -> None:
    result = play(mover("black", "A1 A2"), mover("white", "B1 B2"), move_limit=3)
    assert (result.ending, len(result.moves)) == ("move limit", 3)


def test_a_clock_that_runs_out_loses_whether_the_answer_comes_or_not() -> None:
    result = play({"genmove black": "HANG"}, {}, control=Fischer(0.2))
    assert (result.result, result.ending) == ("W+T", "time")
    slow: Script = {"genmove black": "SLEEP 0.4 ={id} E5\n\n"}
    assert play(slow, {}, control=Canadian(0, 0.2, 1)).result == "W+T"
    assert play(slow, mover("white", "resign"), control=Canadian(0, 5, 1)).result == "B+R"


def test_a_clock_is_charged_move_by_move() -> None:
    slow: Script = {"genmove black": ["SLEEP 0.4 ={id} E5\n\n", "SLEEP 0.4 ={id} E6\n\n"]}
    others = mover("white", "A1 resign")
    assert play(slow, others, control=Fischer(0.5)).result == "W+T"
    result = play(slow, others, control=Fischer(0.5, 0.6))
    assert result.result == "B+R" and result.seconds[Player.BLACK] >= 0.8


def test_to_be_told_of_a_move_and_to_answer_it_is_one_wait() -> None:
    slow: Script = {
        "play black E5": "SLEEP 0.4 ={id}\n\n",
        "genmove white": "SLEEP 0.4 ={id} A1\n\n",
    }
    result = play(mover("black", "E5"), slow, control=Canadian(0, 0.5, 1))
    assert result.result == "B+T"


def test_a_clock_may_be_overstepped_by_the_margin_which_is_forgiven() -> None:
    clock = _Clock(Terms(GO, scorer_of(GO, None), Fischer(10, 2), margin=0.5))
    assert clock.patience == 10.5
    clock.charge(10.4)
    assert clock.left == Left(2, 0)


def test_engines_are_told_of_the_clock_as_far_as_they_know_it() -> None:
    listed = "={id} time_settings\ntime_left\n\n"
    refuses_settings: Script = {"list_commands": listed, "time_settings 0 9 1": "?{id} a\n\n"}
    assert "'time_settings 0 9 1'" in play(refuses_settings, {}, control=Canadian(0, 9, 1)).reason
    refuses_left: Script = {"list_commands": listed, "time_left black 9 1": "?{id} b\n\n"}
    assert "'time_left black 9 1'" in play(refuses_left, {}, control=Canadian(0, 9, 1)).reason
    refuses_left = {"list_commands": "={id} kata-time_settings\ntime_left\n\n"}
    refuses_left["time_left black 1.90 1"] = "?{id} b\n\n"
    assert "'time_left black 1.90 1'" in play(refuses_left, {}, control=Canadian(0, 1.9, 1)).reason
    knows_neither: Script = {
        "list_commands": "={id} genmove\n\n",
        "time_settings 0 9 1": "?{id} a\n\n",
        "time_left black 9 1": "?{id} b\n\n",
    }
    resigns = mover("black", "resign", knows_neither)
    assert play(resigns, {}, control=Canadian(0, 9, 1)).ending == "resignation"


@pytest.mark.parametrize(
    ("listed", "told"),
    [
        ("", "boardsize clear_board komi"),
        ("kata-set-rules time_settings", "kata-set-rules boardsize clear_board komi time_settings"),
    ],
)
def test_an_engine_is_set_up_in_this_order(listed: str, told: str) -> None:
    """The size before the board is cleared, as by the standard it may leave stones there."""
    with GtpClient(scripted({"list_commands": f"={{id}} {listed}\n\n"})) as client:
        commands = preparation(client, GO, Canadian(0, 9, 1))
    assert [command.split()[0] for command in commands] == told.split()


def test_other_games_end_by_their_own_rules() -> None:
    coin = make_game("coin", {"pile": "3"})
    result = play(mover("black", "2"), mover("white", "A1"), game=coin, move_limit=9)
    assert result.moves == ("B1", "A1")


@pytest.mark.slow
def test_a_game_costs_this_process_less_than_a_hundredth_of_the_engines_time() -> None:
    vertices = [f"{column}{row}" for row in range(1, 6) for column in "ABCDE"]
    slow: Script = {
        f"genmove {color}": [f"SLEEP 0.5 ={{id}} {vertex}\n\n" for vertex in own]
        for color, own in (("black", vertices[:10:2]), ("white", [*vertices[1:9:2], "resign"]))
    }
    with GtpClient(scripted(slow), 10) as first, GtpClient(scripted(slow), 10) as second:
        engines = {Player.BLACK: first, Player.WHITE: second}
        began = time.process_time()
        result = play_game(engines, Terms(GO, scorer_of(GO, None)))
        spent = time.process_time() - began
    assert len(result.moves) == 9
    assert spent < 0.01 * sum(result.seconds.values())
