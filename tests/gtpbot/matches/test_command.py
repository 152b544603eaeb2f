"""Whole matches by the command line: scripted engines that behave and that do not."""

import errno
import json
import math
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sgfmill.sgf import Sgf_game

from games.base import Player
from games.sgf import read_sgf
from gtpbot.cli import main
from gtpbot.engines.referee import GameResult
from gtpbot.matches import scorers
from gtpbot.matches.plot import draw
from gtpbot.matches.schedule import Schedule
from gtpbot.matches.standings import Standings, record_of
from gtpbot.measure.results import ResultsFile
from tests.support.ended import alive, wait_for
from tests.support.scripted_engine import Script, scripted

GNUGO = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")
PASSES: Script = {"genmove black": "={id} pass\n\n", "genmove white": "={id} pass\n\n"}
RESIGNS: Script = {"genmove black": "={id} resign\n\n", "genmove white": "={id} resign\n\n"}
GO = ["--size", "5", "--rules", "tromp-taylor", "--komi", "0.5"]


def engine(name: str, script: Script) -> str:
    return f"{name}={shlex.join(scripted(script))}"


def match(out: Path, *words: str) -> int:
    return main(["match", "--out", str(out), *words])


def games(out: Path) -> list[dict[str, Any]]:
    """In the order of their numbers."""
    return sorted(map(json.loads, out.read_text().splitlines()), key=lambda game: game["game"])


def test_colours_alternate_and_the_table_tells_who_won(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.jsonl"
    assert match(out, *GO, "--games", "5", engine("a", PASSES), engine("b", RESIGNS)) == 0
    assert [game["black"] for game in games(out)] == ["a", "b", "a", "b", "a"]
    assert [game["opening"] for game in games(out)] == [0, 0, 1, 1, 2]
    assert {game["winner"] for game in games(out)} == {"a"}
    told = capsys.readouterr()
    row = " ".join(told.out.splitlines()[1].split())
    assert row.startswith("a 5 5 0 0 100.0% 100.0% 100.0% above -15 ")
    assert "game 1: b - a W+R, resignation; a " in told.err
    assert "3 games were played before, move by move" in told.out


@pytest.mark.parametrize(
    ("script", "ending", "reason"),
    [
        ({"genmove black": "DIE 7"}, "crash", "Black: bad has ended with exit code 7"),
        ({"genmove black": "HANG"}, "hang", "has not answered 'genmove black' in 1.5 s"),
        ({"genmove black": "={id} Z99\n\n"}, "nonsense", "move 1, 'Z99'"),
        ({"genmove black": "what?\n"}, "nonsense", "'what?'"),
        ({"play black C3": "?{id} illegal move\n\n"}, "refusal", "'play black C3'"),
        ({"genmove white": "={id} C3\n\n"}, "illegal move", "move 2, 'C3'"),
        ({"genmove white": "?{id} no\n\n"}, "refusal", "'? no'"),
    ],
)
def test_an_engine_that_fails_loses_is_started_again_and_the_match_goes_on(
    script: Script, ending: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.jsonl"
    good: Script = {"genmove black": "={id} C3\n\n", "genmove white": "={id} C3\n\n"}
    words = [engine("bad", {**PASSES, **script}), engine("good", good)]
    kept = ["--sgf", str(tmp_path / "sgf")]
    assert match(out, *GO, "--games", "4", "--patience", "1.5", *kept, *words) == 0
    failed = [game for game in games(out) if game["at_fault"] == "bad"]
    assert [(game["winner"], game["ending"]) for game in failed] == [("good", ending)] * 2
    assert all(reason in game["reason"] for game in failed)
    assert f"bad lost by {ending}: " in capsys.readouterr().out
    record = (tmp_path / "sgf" / f"{failed[0]['game']:05}.sgf").read_bytes()
    told = Sgf_game.from_bytes(record).get_root().get("GC")
    assert told == f"{ending} ({' '.join(failed[0]['reason'].split())})"


@pytest.mark.parametrize("answer", ["HANG", "DIE 7", "what?\n"])
def test_who_fails_to_score_loses_no_game_by_that(
    answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scorers, "ANSWER_SECONDS", 0.5)
    out, bad = tmp_path / "out.jsonl", engine("bad", {**PASSES, "final_score": answer})
    words = ["--score", "engines", bad, engine("good", PASSES)]
    assert match(out, *GO, "--games", "3", *words) == 0
    assert [(game["result"], game["at_fault"]) for game in games(out)] == [("W+0.5", None)] * 3


def test_clocks_are_enforced(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    slow: Script = {"genmove black": "SLEEP 1.5 ={id} C3\n\n", "genmove white": "HANG"}
    clock = ["--seconds", "0.5", "--margin", "0.1"]
    words = [engine("slow", slow), engine("quick", PASSES)]
    assert match(out, *GO, *clock, "--games", "2", *words) == 0
    assert [(game["result"], game["ending"]) for game in games(out)] == [
        ("W+T", "time"),
        ("B+T", "time"),
    ]


def test_a_match_goes_on_and_may_be_made_longer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.jsonl"
    words = [*GO, engine("a", PASSES), engine("b", RESIGNS)]
    match(out, "--games", "3", *words)
    kept = out.read_text()
    out.write_text(kept + '{"game": 3, "bla')
    match(out, "--games", "6", "--parallel", "2", *words)
    assert out.read_text().startswith(kept)
    assert [game["game"] for game in games(out)] == list(range(6))
    before = out.read_text()
    assert match(out, "--games", "6", *words) == 0
    assert out.read_text() == before
    capsys.readouterr()
    assert match(out, "--games", "6", "--move-limit", "9", *words) == 2
    assert "played with move_limit 75, not 9; give another --out" in capsys.readouterr().err


def test_an_engine_that_can_not_be_told_its_time_loses_no_match(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deaf: Script = {**PASSES, "list_commands": "={id} time_settings\ntime_left\n\n"}
    deaf["time_left black 1 1"] = "?{id} syntax error\n\n"
    out = tmp_path / "out.jsonl"
    assert match(out, *GO, "--seconds", "1", engine("deaf", deaf), "random") == 2
    assert "'time_left black 1 1' with '? syntax error'" in capsys.readouterr().err
    assert not out.exists()


def test_a_misprint_loses_no_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.jsonl"
    assert match(out, *GO, "no-such-engine", "random") == 2
    assert not out.exists()
    assert "engine no-such-engine cannot play: cannot start" in capsys.readouterr().err
    assert match(out, *GO, "--referee", "no-such-referee", "random", "random") == 2
    assert not out.exists()
    assert "referee 'no-such-referee' cannot score: cannot start" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--game", "chess", "random", "uct"], "unknown game 'chess'"),
        (["--option", "komi", "random", "uct"], "setting 'komi': expected KEY=VALUE"),
        (["--time", "soon", "random", "uct"], "time control 'soon': expected one of none, "),
        (["--seconds", "1", "--time", "absolute 9", "random", "uct"], "expected one of them"),
        (["--sprt", "0", "5", "random", "uct", "rave"], "--sprt with 3 engines: expected two"),
        (["--sprt", "5", "0", "random", "uct"], "--sprt 5 0: expected the lower Elo first"),
        (["--sprt", "0", "inf", "random", "uct"], "--sprt 0 inf: expected Elo from -2000 to 2000"),
        (["--seconds", "0", "random", "uct"], "--seconds 0: expected more than 0"),
        (
            ["--plot", "a.gif", "random", "uct"],
            "--plot 'a.gif': expected a name with .png",
        ),
        (["--out", "/", "random", "uct"], "Is a directory"),
        (["--referee", "x", "--score", "count", "random", "uct"], "expected one of them"),
        (["--referee", "x", "--game", "coin", "random", "uct"], "only games of Go are scored"),
    ],
)
def test_what_is_no_match(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert match(tmp_path / "out.jsonl", *words) == 2
    assert message in capsys.readouterr().err


def test_the_test_stops_a_match_that_is_decided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.jsonl"
    words = [*GO, "--games", "200", "--sprt", "0", "200"]
    engines = [engine("a", RESIGNS), engine("b", PASSES)]
    assert match(out, *words, *engines) == 0
    played = len(games(out))
    assert played < 40
    assert "SPRT of 0 against 200 Elo: H0 accepted, 0 Elo; " in capsys.readouterr().out
    match(out, *words, *engines)
    assert len(games(out)) == played


def test_several_engines_and_all_that_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, sgf, plot = tmp_path / "out.jsonl", tmp_path / "sgf", tmp_path / "match.png"
    words = [engine("a", PASSES), engine("b", RESIGNS), engine("c", PASSES)]
    kept = ["--sgf", str(sgf), "--plot", str(plot)]
    match(out, *GO, "--games", "2", "--parallel", "2", *kept, *words)
    table = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert table[-3:] == [["a", "2-0-0", "1-0-1"], ["b", "0-0-2", "0-0-2"], ["c", "1-0-1", "2-0-0"]]
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert sorted(file.name for file in sgf.glob("*.sgf")) == [f"0000{n}.sgf" for n in range(6)]
    assert read_sgf(sgf / "00003.sgf").result == "W+0.5"
    (sgf / "00003.sgf").unlink()
    match(out, *GO, "--games", "2", *kept, *words)
    assert (sgf / "00003.sgf").exists()


def test_a_game_that_is_played_anew_is_kept_anew(tmp_path: Path) -> None:
    out, sgf = tmp_path / "out.jsonl", tmp_path / "sgf"
    words = [*GO, "--games", "2", "--sgf", str(sgf), engine("a", PASSES)]
    match(out, *words, engine("b", PASSES))
    assert read_sgf(sgf / "00000.sgf").result == "W+0.5"
    out.unlink()
    (sgf / "00000.sgf").write_text("(;SZ[5]RE[B+R])")
    match(out, *words, engine("b", PASSES))
    assert read_sgf(sgf / "00000.sgf").result == "W+0.5"


def test_a_folder_of_games_is_for_the_players_in_their_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    players = [engine("a", PASSES), engine("b", RESIGNS)]
    words = [*GO, "--games", "2", "--sgf", str(tmp_path / "sgf")]
    assert match(tmp_path / "one.jsonl", *words, *players) == 0
    assert match(tmp_path / "two.jsonl", *words, *players[::-1]) == 2
    assert "was begun with other settings (players" in capsys.readouterr().err


@pytest.mark.parametrize("sprt", [[], ["--sprt", "-10", "10"]])
def test_the_plot_of_two_engines(sprt: list[str], tmp_path: Path) -> None:
    plot = tmp_path / "match.png"
    words = [engine("a", PASSES), engine("b", RESIGNS), "--plot", str(plot), *sprt]
    match(tmp_path / "out.jsonl", *GO, "--games", "4", *words)
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_a_plot_that_cannot_be_drawn_is_told_and_the_one_before_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from matplotlib.figure import Figure

    def full_disk(figure: object, path: Path, **options: object) -> None:
        path.write_bytes(b"\x89P")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    plot = tmp_path / "match.png"
    words = [engine("a", PASSES), engine("b", RESIGNS), "--plot", str(plot)]
    match(tmp_path / "out.jsonl", *GO, "--games", "2", *words)
    before = plot.read_bytes()
    monkeypatch.setattr(Figure, "savefig", full_disk)
    assert match(tmp_path / "out.jsonl", *GO, "--games", "2", *words) == 2
    assert f"cannot draw the match: [Errno 28] No space left on device: '{plot}'" in (
        capsys.readouterr().err
    )
    assert plot.read_bytes() == before
    assert list(tmp_path.glob("*.unfinished")) == []


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("count", [2, 3])
def test_names_are_drawn_as_they_are(count: int, tmp_path: Path) -> None:
    plot = tmp_path / "match.svg"
    standings = Standings(["a$x_^y$", "\u67ef\u6d01", "c"][:count])
    result = GameResult("B+R", "resignation", "", ("C3",), 0, {Player.BLACK: 1.0})
    for game in range(6):
        standings.add(record_of(Schedule(count).fixture(game), standings.names, result))
    draw(standings, None, plot)
    assert all(name in plot.read_text() for name in standings.names)


@pytest.mark.slow
def test_a_gauntlet_of_our_own_agents(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    words = ["--game", "tictactoe", "--tournament", "gauntlet", "--random-moves", "2"]
    match(out, *words, "--games", "2", "uct:playouts=50", "random", "minimax")
    assert {frozenset((game["black"], game["white"])) for game in games(out)} == {
        frozenset(("uct:playouts=50", "random")),
        frozenset(("uct:playouts=50", "minimax")),
    }
    moves = [game["moves"].split()[:2] for game in games(out)]
    assert moves[0] == moves[1] == moves[2] == moves[3]
    assert {game["ending"] for game in games(out)} == {"score"}


def test_a_referee_scores_and_its_failure_ends_the_match(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, words = tmp_path / "out.jsonl", [engine("a", PASSES), engine("b", PASSES)]
    scores = shlex.join(scripted({"final_score": "={id} B+9\n\n"}))
    match(out, *GO, "--games", "2", "--referee", scores, *words)
    assert [(game["result"], game["reason"]) for game in games(out)] == [("B+9", "referee")] * 2
    out.unlink()
    dies = shlex.join(scripted({"final_score": "DIE 3"}))
    plot = ["--plot", str(tmp_path / "nothing.png")]  # there is nothing to draw
    assert match(out, *GO, "--games", "2", "--referee", dies, *plot, *words) == 1
    assert "the referee failed: " in capsys.readouterr().err
    assert games(out) == []


def test_a_file_that_another_run_writes_to_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.jsonl"
    words = [*GO, "--games", "1", engine("a", PASSES), engine("b", RESIGNS)]
    with ResultsFile(out, {}).claimed():
        assert match(out, *words) == 2
    assert "out.jsonl: another run is writing to it" in capsys.readouterr().err
    assert match(out, *words) == 0


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_match_ends_its_engines_and_loses_nothing(
    sent: signal.Signals, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    mark = f"mark {tmp_path.name} {os.getpid()}"
    stuck: Script = {**PASSES, "genmove white": ["={id} pass\n\n", "HANG"], mark: "HANG"}
    words = ["match", "--out", str(out), *GO, "--games", "4"]
    engines = [engine("a", PASSES), engine("b", stuck)]
    process = subprocess.Popen(
        [sys.executable, "-m", "gtpbot", *words, *engines],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: out.exists() and len(games(out)) == 2)
    assert len(alive(mark)) == 2, "the match, and the engine that hangs"
    process.send_signal(sent)
    told, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "interrupted; the same command goes on from here" in err
    assert told.splitlines()[1].split()[1] == "2"
    assert len(games(out)) == 2
    assert alive(mark) == []


@pytest.mark.slow
@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed: apt-get install gnugo")
def test_gnu_go_against_our_own_agent(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    gnugo = f"gnugo={GNUGO} --mode gtp --level 1 --chinese-rules"
    words = ["--size", "5", "--games", "2", "--parallel", "2", "--random-moves", "2"]
    assert match(out, *words, "--time", "byoyomi 2 1 3", gnugo, "rave:playouts=100") == 0
    assert [game["at_fault"] for game in games(out)] == [None, None]


def test_a_file_of_other_games_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.jsonl"
    words = [*GO, "--games", "1", engine("a", PASSES), engine("b", RESIGNS)]
    match(out, *words)
    (game,) = games(out)
    lacking = {key: value for key, value in game.items() if key != "ending"}
    for changed, expected in (
        (lacking, "ending: Field required"),
        ({**game, "moves": None}, "moves: Input should be a valid string"),
        ({**game, "seconds": None}, "seconds: Input should be"),
        ({**game, "game": "0"}, "game: Input should be a valid integer"),
        ({**game, "winner": "nobody"}, "winner 'nobody': expected 'a' or 'b'"),
        ({**game, "at_fault": "nobody"}, "expected 'a' or 'b'"),
        ({**game, "seconds": {"black": -1.0}}, "seconds {'black': -1.0}: expected numbers"),
        ({**game, "seconds": {"black": math.nan}}, "seconds {'black': nan}: expected numbers"),
        ({**game, "game": -7}, "game -7, as it was kept: game -7: expected a number from 0 on"),
        ({**game, "game": 1}, "a against b from opening 0: expected b against a from opening 0"),
        ({**game, "opening": 5}, "from opening 5: expected a against b from opening 0; give ano"),
        ({**game, "moves": "Z9"}, "game 0, as it was kept: vertex 'Z9' is off the board"),
        ({**game, "game": [0]}, "line 1: no game"),
        ({**game, "settings": [0]}, "line 1: no game"),
    ):
        out.write_text(json.dumps(changed) + "\n")
        assert match(out, *words, "--sgf", str(tmp_path / "sgf")) == 2
        assert expected in capsys.readouterr().err.splitlines()[-1]


def test_files_of_other_games_are_not_taken_for_those_of_the_match(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*GO, "--games", "1", "--sgf", str(tmp_path / "sgf"), engine("a", PASSES)]
    assert match(tmp_path / "one.jsonl", *words, engine("b", RESIGNS)) == 0
    assert match(tmp_path / "one.jsonl", *words, engine("b", RESIGNS)) == 0
    assert match(tmp_path / "two.jsonl", *words, engine("c", RESIGNS)) == 2
    told = capsys.readouterr().err
    assert "sgf was begun with other settings" in told and "give another --sgf folder" in told


def test_numbered_games_of_something_else_stay_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = tmp_path / "sgf", tmp_path / "out.jsonl"
    folder.mkdir()
    (folder / "notes.sgf").write_text("of no number")
    words = [*GO, "--games", "2", "--sgf", str(folder), engine("a", PASSES), engine("b", RESIGNS)]
    (folder / "00001.sgf").write_text("all my work")
    assert match(out, *words) == 2
    told = "sgf holds games that were not begun here, such as 00001.sgf: give another --sgf folder"
    assert told in capsys.readouterr().err
    assert not out.exists()
    assert (folder / "00001.sgf").read_text() == "all my work"
    assert len(list(folder.iterdir())) == 2
    (folder / "00001.sgf").unlink()
    assert match(out, *words) == 0
    assert (folder / "notes.sgf").read_text() == "of no number"


def test_a_misprinted_engine_begins_no_folder(tmp_path: Path) -> None:
    words = [*GO, "--games", "1", "--sgf", str(tmp_path / "sgf"), engine("a", PASSES)]
    assert match(tmp_path / "out.jsonl", *words, "no-such-program") == 2
    assert not list(tmp_path.iterdir())
    assert match(tmp_path / "out.jsonl", *words, engine("b", RESIGNS)) == 0


def test_a_plot_that_cannot_be_written_is_told_before_a_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.jsonl"
    assert match(out, *GO, "--plot", str(tmp_path / "no" / "x.png"), "random", "random") == 2
    assert "there is no folder" in capsys.readouterr().err
    assert not out.exists()


def test_an_interrupted_match_does_not_wait_for_its_referee(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    referee = shlex.join(scripted({"final_score": "HANG"}))
    words = ["match", "--out", str(tmp_path / "out.jsonl"), *GO, "--parallel", "2", "--referee"]
    engines = [engine("a", PASSES), engine("b", PASSES)]
    script = tmp_path / "referee.sh"
    script.write_text(f"#!/bin/sh\ntee -a {asked} | {referee}\n")
    script.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-m", "gtpbot", *words, str(script), *engines],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: asked.exists() and "final_score" in asked.read_text())
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "interrupted; the same command goes on from here" in err


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("--games", "0", "at least 1"),
        ("--random-moves", "-1", "at least 0"),
        ("--margin", "nan", "at least 0"),
        ("--move-limit", "0", "at least 1"),
        ("--patience", "0", "more than 0"),
        ("--alpha", "0.5", "more than 0 and less than 0.5"),
        ("--beta", "0", "more than 0 and less than 0.5"),
    ],
)
def test_numbers_out_of_range(
    option: str, value: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["match", option, value, "random", "uct"]) == 2
    assert f"gtpbot: {option} {value}: expected {expected}" in capsys.readouterr().err
