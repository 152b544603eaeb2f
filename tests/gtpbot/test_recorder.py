"""Recorded games: what is in the files, which file is whose, and that none is ever lost."""

import io
import os
import re
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from games.base import Player
from games.go import Go
from games.position import Position
from games.sgf_tree import GameTree, read_tree
from gtpbot.gtp.engine import Engine
from gtpbot.gtp.recorder import Recorder
from gtpbot.gtp.session import Session
from gtpbot.options import AgentChoice, OptionsError, make_game
from gtpbot.people.person import Play
from gtpbot.text.terminal import Terminal
from tests.support.agents import CallbackAgent

NAME = "2026-11-21-140509-{}.sgf"


def noon() -> datetime:
    return datetime(2026, 11, 21, 14, 5, 9)


SEEDED = {"seed": "1"}
"""An agent by chance must not pass when a test does not expect it."""


def engine(target: Path, game: str = "coin", agent: str = "alphabeta", **options: str) -> Engine:
    session = Session(
        make_game(game, options), AgentChoice(agent, SEEDED if agent == "random" else {})
    )
    recorder = Recorder(target, {Player.WHITE: "guest"}, noon)
    return Engine(session, lambda answer: None, recorder=recorder)


def coins(target: Path) -> Engine:
    """An agent that moves first, wins, and has one good move each time: W1, then T1."""
    return engine(target, pile="22")


def say(engine: Engine, *lines: str) -> None:
    for line in lines:
        engine.serve(line.encode())


def read(path: Path) -> GameTree:
    return read_tree(path, Go())


def moves(path: Path) -> list[str]:
    position = read(path).final_position()
    states = zip(position.states, position.moves, strict=False)
    return [position.game.action_to_string(state, move.action) for state, move in states]


def test_a_whole_game(tmp_path: Path) -> None:
    say(engine(tmp_path / "new", pile="4"), "genmove b", "play w C1", "genmove b")
    (path,) = (tmp_path / "new").iterdir()
    assert path.name == NAME.format("coin")
    assert path.read_text().replace("\n", "") == (
        "(;FF[4]AP[gtpbot:0.1.0]CA[UTF-8]DT[2026-11-21]GM[100]GTPBOT[coin pile=4 max_take=2]"
        "PB[gtpbot (alphabeta)]PW[guest]RE[B+1];B[D1]C[alphabeta: 15 playouts, Black 100.0 %]"
        "SBKV[100.00];W[C1];B[A1]C[alphabeta: 2 playouts, Black 100.0 %]SBKV[100.00])"
    )


def test_winrates_are_black_s(tmp_path: Path) -> None:
    say(engine(tmp_path, pile="4"), "play b D1", "genmove w")
    say(engine(tmp_path, pile="4"), "play b C1", "genmove w")
    won, lost = (tmp_path / NAME.format(name) for name in ("coin", "coin-2"))
    assert re.findall(r"SBKV\[(.*?)\]", won.read_text()) == ["100.00"]
    assert re.findall(r"SBKV\[(.*?)\]", lost.read_text()) == ["0.00"]
    say(engine(tmp_path, "tictactoe"), "genmove b")
    assert "SBKV[50.00]" in (tmp_path / NAME.format("tictactoe")).read_text()


def test_nothing_is_begun_before_the_agent_moves(tmp_path: Path) -> None:
    session = Session(make_game("coin", {}), AgentChoice("alphabeta"))
    one = Engine(session, lambda answer: None, recorder=Recorder(tmp_path))
    say(one, "play b U1", "reg_genmove w", "showboard", "clear_board")
    assert list(tmp_path.iterdir()) == []
    say(one, "genmove b")
    assert len(list(tmp_path.iterdir())) == 1


def test_what_was_taken_back_stays_as_a_variation(tmp_path: Path) -> None:
    one = coins(tmp_path)
    say(one, "genmove b", "play w 1", "genmove b", "undo", "undo", "play w 2", "genmove b")
    (path,) = tmp_path.iterdir()
    assert moves(path) == ["W1", "U1", "T1"]
    assert len(read(path).root[0]) == 2
    say(one, "undo", "undo", "play w 1")
    assert moves(path) == ["W1", "V1"]
    say(one, "play b 2")
    assert moves(path) == ["W1", "V1", "T1"]


def test_the_main_line_ends_before_what_was_taken_back(tmp_path: Path) -> None:
    one = coins(tmp_path)
    say(one, "genmove b", "play w 1", "genmove b", "undo")
    (path,) = tmp_path.iterdir()
    assert moves(path) == ["W1", "V1"]
    assert path.read_text().replace("\n", "").count("(;)(;B[T1]") == 1
    say(one, "undo", "undo")
    assert moves(path) == []
    say(one, "play b 1", "play w 1", "play b 2")
    assert moves(path) == ["W1", "V1", "T1"]
    assert ";)" not in path.read_text()


def test_a_board_cleared_and_played_again_is_the_same_game(tmp_path: Path) -> None:
    one = coins(tmp_path)
    say(one, "genmove b", "play w 1", "clear_board", "play b 1", "play w 2", "genmove b")
    (path,) = tmp_path.iterdir()
    assert moves(path) == ["W1", "U1", "T1"]
    say(one, "clear_board", "play b 1", "play w 1")
    assert moves(path) == ["W1", "V1"]
    assert len(list(tmp_path.iterdir())) == 1


def test_every_game_has_its_file(tmp_path: Path) -> None:
    one = coins(tmp_path)
    say(one, "genmove b", "clear_board", "genmove b", "clear_board", "play b 2", "genmove w")
    say(one, "gtpbot-game coin pile=4", "genmove b", "play w C1", "genmove b")
    say(one, "clear_board", "play b 1", "genmove w")
    say(one, "gtpbot-game tictactoe", "genmove b")
    names = {path.name for path in tmp_path.iterdir()}
    files = {NAME.format(f"coin{number}") for number in ("", "-2", "-3", "-4", "-5")}
    assert names == {*files, NAME.format("tictactoe")}


def test_a_game_that_begins_as_the_one_before_is_another(tmp_path: Path) -> None:
    one = coins(tmp_path)
    say(one, "genmove b", "clear_board", "genmove b", "play w 1")
    before, now = (tmp_path / NAME.format(name) for name in ("coin", "coin-2"))
    assert (moves(before), moves(now)) == (["W1"], ["W1", "V1"])
    say(one, "gtpbot-game coin pile=22 max_take=3", "play b W1")
    assert moves(tmp_path / NAME.format("coin-3")) == ["W1"]


def test_a_game_of_another_handicap_is_another_though_its_moves_are_the_same(
    tmp_path: Path,
) -> None:
    one = engine(tmp_path, "go", "random", size="7")
    say(one, "set_free_handicap A1 B1", "genmove w")
    (move,) = moves(tmp_path / NAME.format("go"))
    points = [point for point in ("C1", "D1", "E1") if point != move]
    say(one, "clear_board", f"set_free_handicap {' '.join(points[:2])}", f"play w {move}")
    assert moves(tmp_path / NAME.format("go-2")) == [move]


def test_no_file_is_touched_that_is_there_already(tmp_path: Path) -> None:
    path = tmp_path / "game.SGF"
    path.write_text("mine")
    for _ in range(2):
        say(engine(path), "genmove b")
    assert path.read_text() == "mine"
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "game-2.SGF",
        "game-3.SGF",
        "game.SGF",
    ]


def test_resignation(tmp_path: Path) -> None:
    one = coins(tmp_path)
    say(one, "genmove b", "play w 1")
    one.session.thinker.agent = CallbackAgent(lambda position, limits: None)
    say(one, "genmove b")
    (path,) = tmp_path.iterdir()
    assert read(path).fact("RE") == "W+R"
    assert "C[callback resigns]" in path.read_text()
    say(one, "undo")
    assert read(path).fact("RE") == ""


def test_go(tmp_path: Path) -> None:
    one = engine(tmp_path, "go", "random", size="5")
    say(one, "komi 0.5", "fixed_handicap 2", "boardsize 7", "fixed_handicap 2")
    say(one, "time_settings 90 10 5", "genmove w", "time_left w 7 3", "genmove w")
    say(one, "play b pass", "play w pass")
    (path,) = tmp_path.iterdir()
    text = path.read_text().replace("\n", "")
    assert "PB[" not in text
    for piece in ("HA[2]", "AB[ce][ec]", "KM[0.5]", "PW[gtpbot (random)]", "TM[90]", "SZ[7]"):
        assert piece in text
    assert "OT[5/10 Canadian]" in text
    assert re.search(r"WL\[(90\.0|89\.\d)\]", text) and re.search(r"OW\[2\]", text)
    assert re.match(r"[BW]\+\d", read(path).fact("RE"))


def test_a_handicap_told_by_moves_is_read_again(tmp_path: Path) -> None:
    one = engine(tmp_path, "go", "random", size="5")
    say(one, "play b B2", "play b D4", "play w pass", "play b pass")
    (path,) = tmp_path.iterdir()
    assert "HA[2]" in path.read_text()
    assert read(path).fact("RE") == "B+15.5"
    say(one, f"loadsgf {path}")
    assert one.session.score() == "B+15.5"


def test_the_clock_is_shown_as_the_client_has_it(tmp_path: Path) -> None:
    """What this program lays aside for its lag, or does not count on, is still there."""
    one = engine(tmp_path, "go", "random", size="9")
    say(one, "time_settings 60 0 0", "genmove w")
    (path,) = tmp_path.iterdir()
    text = path.read_text()
    assert "TM[60]" in text and "WL[" in text
    assert "OT[" not in text and "OW[" not in text
    say(one, "time_settings 60 10 5", "time_left w 9 3", "genmove w")
    assert re.search(r"WL\[(9\.0|8\.\d)\]", path.read_text())
    left = one.session.clocks[Player.WHITE].left
    assert left is not None and (left.seconds, left.count) == (4, 2)


def test_what_the_controller_tells(tmp_path: Path) -> None:
    session = Session(make_game("go", {"size": "5"}), AgentChoice("random", SEEDED))
    one = Engine(session, lambda answer: None, recorder=Recorder(tmp_path, now=noon))
    say(one, "cgos-opponent_name Otto-1", "genmove b", "komi 3.5", "kata-set-rules japanese")
    say(one, "genmove w", "cgos-gameover B+Time")
    (path,) = tmp_path.iterdir()
    tree = read(path)
    facts = [tree.fact(key) for key in ("PB", "RE", "KM", "RU")]
    assert facts == ["gtpbot (random)", "B+Time", "3.5", "japanese"]
    say(one, "clear_board", "cgos-opponent_name Otto-2", "genmove b", "genmove w", "undo")
    assert read(tmp_path / NAME.format("go-2")).fact("RE") == ""


def test_komi_told_for_the_next_game_is_not_that_of_the_last(tmp_path: Path) -> None:
    session = Session(make_game("go", {"size": "5"}), AgentChoice("random", SEEDED))
    one = Engine(session, lambda answer: None, recorder=Recorder(tmp_path, now=noon))
    say(one, "komi 5.5", "genmove b", "komi 0.5", "kata-set-rules aga", "clear_board", "genmove b")
    told = [read(tmp_path / NAME.format(name)) for name in ("go", "go-2")]
    assert [(tree.fact("KM"), tree.fact("RU")) for tree in told] == [
        ("5.5", "chinese"),
        ("0.5", "aga"),
    ]


def test_a_game_that_goes_on_has_no_result(tmp_path: Path) -> None:
    one = engine(tmp_path, "go", "random", size="5")
    say(one, "genmove b", "cgos-gameover W+Time")
    (path,) = tmp_path.iterdir()
    assert read(path).fact("RE") == "W+Time"
    say(one, "undo")
    assert read(path).fact("RE") == ""
    say(one, "genmove b", "play w pass", "play b pass", "play w pass")
    assert re.match(r"[BW]\+\d", read(path).fact("RE"))
    say(one, "play b A1")
    assert read(path).fact("RE") == ""


def test_a_result_without_its_plus_is_made_whole(tmp_path: Path) -> None:
    session = Session(make_game("go", {"size": "5"}), AgentChoice("random", SEEDED))
    one = Engine(session, lambda answer: None, recorder=Recorder(tmp_path, now=noon))
    say(one, "genmove b", "cgos-gameover BForfeit")
    assert read(tmp_path / NAME.format("go")).fact("RE") == "B+Forfeit"


def test_the_opponents_name(tmp_path: Path) -> None:
    session = Session(make_game("go", {"size": "5"}), AgentChoice("random", SEEDED))
    one = Engine(session, lambda answer: None, recorder=Recorder(tmp_path, now=noon))
    say(one, "cgos-opponent_name Otto", "genmove b", "play w pass")
    assert read(tmp_path / NAME.format("go")).fact("PW") == "Otto"


def test_a_streamed_move_is_recorded_before_it_is_told(tmp_path: Path) -> None:
    session = Session(make_game("go", {"size": "5"}), AgentChoice("random", SEEDED))
    there: list[bool] = []

    def write(text: str) -> None:
        if text.startswith("play"):
            there.append(any("B[" in path.read_text() for path in tmp_path.iterdir()))

    say(Engine(session, write, recorder=Recorder(tmp_path)), "lz-genmove_analyze b 10")
    assert there == [True]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OptionsError, match="cannot record games: "):
        Recorder(tmp_path / "file" / "games")


def test_a_failure_to_write_is_told_and_the_game_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers: list[str] = []
    session = Session(make_game("coin", {}), AgentChoice("alphabeta"))
    one = Engine(session, answers.append, recorder=Recorder(tmp_path / "games", now=noon))
    say(one, "genmove b")
    (path,) = (tmp_path / "games").iterdir()
    path.unlink()
    path.parent.rmdir()
    say(one, "play w 1", "genmove b")
    assert [answer[:1] for answer in answers] == ["=", "=", "="]
    assert "the game cannot be recorded" in capsys.readouterr().err
    path.parent.mkdir()
    say(one, "play w 1")
    assert len(moves(path)) == 4


@pytest.mark.parametrize("command", ["genmove", "cgos-genmove_analyze", "lz-genmove_analyze"])
def test_white_may_open(command: str, tmp_path: Path) -> None:
    one = engine(tmp_path, "go", "random", size="5")
    say(one, f"{command} w", f"{command} b")
    (path,) = tmp_path.iterdir()
    position = read(path).final_position()
    assert [move.player for move in position.moves] == [Player.WHITE, Player.BLACK]
    assert position.moves == one.session.position.moves


class BrokenRecorder(Recorder):
    def follow(self, session: Session) -> None:
        raise ValueError("a bug")


def test_a_bug_in_the_recorder_is_told_and_the_game_goes_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answers: list[str] = []
    session = Session(make_game("coin", {"pile": "22"}), AgentChoice("alphabeta"))
    one = Engine(session, answers.append, recorder=BrokenRecorder(None))
    say(one, "genmove b", "genmove w", "genmove b")
    assert [answer[:2] for answer in answers] == ["= "] * 3
    told = capsys.readouterr().err
    assert "the game cannot be recorded: " in told and "ValueError: a bug" in told
    seen = io.StringIO()
    play = Play(session, frozenset([Player.WHITE]), Terminal(seen), BrokenRecorder(None))
    play.obey("1")
    assert "The game cannot be recorded: a bug" in seen.getvalue()


@pytest.mark.parametrize(
    ("people", "first"),
    [
        (frozenset([Player.WHITE]), ["swap"]),  # who begins again with the move of the agent
        (frozenset(Player), ["1", "1", "undo"]),  # and is where the game before was left
    ],
    ids=str,
)
def test_a_new_game_of_people_is_another_though_it_begins_alike(
    people: frozenset[Player], first: list[str], tmp_path: Path
) -> None:
    session = Session(make_game("coin", {"pile": "22"}), AgentChoice("alphabeta", {}))
    recorder = Recorder(tmp_path, dict.fromkeys(people, "guest"), noon)
    play = Play(session, people, Terminal(io.StringIO()), recorder)
    play.answer()
    for line in [*first, "new", "1"]:
        play.obey(line)
    before, now = (tmp_path / NAME.format(game) for game in ("coin", "coin-2"))
    assert moves(now)[0] == moves(before)[0]
    assert read(now).fact("PB") == "guest"


def test_a_kill_loses_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gtpbot", "--game", "connect4", "--agent", "random"]
    with subprocess.Popen(
        [*command, "--record", str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin and process.stdout
        answered = []
        for player in "bwbwb":
            os.write(process.stdin.fileno(), f"genmove {player}\n".encode())
            answered.append(process.stdout.readline().decode().split()[1])
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    (path,) = tmp_path.iterdir()
    assert moves(path) == answered


def test_games_that_are_played_by_turns_are_a_file_each(tmp_path: Path) -> None:
    """As a client of a server has it: it sets the board up again for every move."""
    session = Session(make_game("coin", {"pile": "9"}), AgentChoice("alphabeta", {}))
    bot = Engine(session, lambda answer: None, recorder=Recorder(tmp_path, now=noon))
    lines = {"J1": ["J1"], "H1": ["H1"]}
    for _ in range(3):
        for played in lines.values():
            say(bot, "clear_board")
            for number, move in enumerate(played):
                say(bot, f"play {'bw'[number % 2]} {move}")
            say(bot, "genmove w")
            position = bot.session.position
            last = position.game.action_to_string(position.states[-2], position.moves[-1].action)
            played.append(last)
            if not position.state.is_terminal:
                played.append(follow(position))
    assert sorted(moves(path)[0] for path in tmp_path.iterdir()) == ["H1", "J1"]


def follow(position: Position) -> str:
    """One coin of those that are left."""
    return position.game.action_to_string(position.state, position.state.legal_actions()[0])
