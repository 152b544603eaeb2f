"""A person at the board: words, errors, undo; over pipes and a pseudo-terminal."""

import io
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from games.base import Player
from games.go import Go
from games.sgf_tree import read_tree
from gtpbot.cli import main
from gtpbot.options import AgentChoice
from gtpbot.people.person import WORDS, PlayError
from gtpbot.text.terminal import Terminal
from search.agent import Candidate, Report
from tests.support.agents import CallbackAgent, ReportingAgent
from tests.support.table import Table

SOON = 10.0
"""Seconds after which a process on a busy machine has certainly answered."""


def test_a_game_of_coins() -> None:
    table = Table("coin", pile="4")
    assert re.search(r"gtpbot plays [BC]1 \(\d+ playouts, Black 100.0 %", table.say("1"))
    assert "Black wins" in table.say("2" if table.moves[-1] == "C1" else "1")
    assert table.play.over and table.play.prompt == "(over) "
    for line in ("1", "hint", "resign", "swap"):
        with pytest.raises(PlayError, match="the game is over"):
            table.play.obey(line)
    assert table.say("score") == "Black wins\n"
    table.say("undo")
    assert table.play.prompt == "Black: " and len(table.moves) == 2


@pytest.mark.parametrize("name", ["~nobody-of-this-name/x", "a\0b"])
def test_a_name_that_no_file_has_ends_no_game(name: str) -> None:
    table = Table("tictactoe")
    table.say("B2")
    with pytest.raises(PlayError, match="cannot save the game"):
        table.play.obey(f"save {name}")


def test_a_game_that_is_new_is_not_saved_as_the_one_before(tmp_path: Path) -> None:
    table = Table("connect4")
    table.say("D1", "new")
    with pytest.raises(PlayError, match="there is no move yet to save"):
        table.play.save(str(tmp_path / "q.sgf"))


def test_nothing_is_undone_where_the_agent_gave_up_at_once() -> None:
    table = Table("tictactoe", frozenset([Player.WHITE]))
    table.play._resign(Player.BLACK)
    with pytest.raises(PlayError, match="there is no move of yours to take back"):
        table.play.undo("")
    assert table.play.over


def test_the_agent_begins_and_there_is_nothing_to_undo() -> None:
    table = Table("tictactoe", frozenset([Player.WHITE]))
    table.play.answer()
    assert len(table.moves) == 1
    with pytest.raises(PlayError, match="no move of yours"):
        table.play.obey("undo")
    table.say("B2" if table.moves != ["B2"] else "A1")
    assert len(table.moves) == 3
    table.say("undo")
    assert len(table.moves) == 1


def test_two_people() -> None:
    table = Table("connect4", frozenset(Player))
    table.say("D", "4", "D3")
    assert table.moves == ["D1", "D2", "D3"]
    assert table.say("score") == "The game is not over yet.\n"
    table.say("undo")
    assert table.moves == ["D1", "D2"]
    table.say("D")
    record = table.play._recorder.record
    assert record and record.text.endswith(";B[D1];W[D2];B[D3])\n")


def test_white_wins_too() -> None:
    table = Table("tictactoe", frozenset(Player))
    assert "White wins\n" in table.say("A1", "B1", "A2", "B2", "C3", "B3")


def test_resigning_and_taking_it_back() -> None:
    table = Table("coin", pile="7")
    table.say("1")
    assert "White wins: Black resigned" in table.say("resign")
    record = table.play._recorder.record
    assert record and "RE[W+R]" in record.text
    assert "Black to move" in table.say("undo")
    assert len(table.moves) == 2 and "RE[" not in record.text
    table.say("new", "resign", "undo")
    assert not table.play.over
    table.say("resign", "new")
    assert not table.play.over


def test_the_agent_resigns() -> None:
    table = Table("connect4")
    table.session.thinker.agent = CallbackAgent(lambda position, limits: None)
    seen = table.say("D")
    assert "gtpbot resigns\n" in seen and "Black wins: White resigned" in seen
    table.say("undo")
    assert table.moves == [] and not table.play.over


def test_hints() -> None:
    table = Table("coin", pile="4")
    assert re.match(r"Black 100.0 % .*playouts  D1", table.say("hint"))
    assert table.moves == []
    other = Table("go", size="5")
    assert len(other.say("hint").splitlines()) <= 3


def test_hints_are_of_moves_that_were_looked_at() -> None:
    """Of a win at once, where the search ends."""
    table = Table("connect4", frozenset(Player))
    table.session.change_agent(AgentChoice("uct", {"seed": "1", "playouts": "300"}))
    table.say("D", "A", "D", "A", "D", "A")
    lines = table.say("hint").splitlines()
    assert re.match(r"Black 100.0 % +\d+ playouts  D4$", lines[0])
    assert all("playouts" in line for line in lines)


def test_there_is_no_hint_where_an_agent_cannot_tell_yet() -> None:
    table = Table("tictactoe")
    some = (Candidate(4, 0, -1.0, 0.0, (4,)),)
    agent = ReportingAgent(lambda position: Report(position.to_move, some))
    table.session.thinker.agent = agent
    with pytest.raises(PlayError, match="agent reporting knows nothing of this position"):
        table.play.obey("hint")


def test_no_hint_is_of_an_earlier_position() -> None:
    table = Table("coin", pile="9")
    table.say("hint")
    table.session.thinker.agent.analyze = lambda *asked: None  # type: ignore[method-assign]
    table.say("1")
    with pytest.raises(PlayError, match="knows nothing of this position"):
        table.play.obey("hint")


def test_swap_and_new() -> None:
    table = Table("tictactoe")
    table.say("B2", "swap")
    assert table.play.people == {Player.WHITE} and len(table.moves) == 3
    table.say("new")
    assert len(table.moves) == 1
    table.say("swap", "new")
    assert table.moves == []


def test_two_people_swap_without_an_agent() -> None:
    table = Table("tictactoe", frozenset(Player))
    table.say("B2", "swap", "A1")
    assert table.play.people == frozenset(Player) and table.moves == ["B2", "A1"]


def test_who_swaps_before_the_first_move_is_in_the_record() -> None:
    table = Table("tictactoe")
    table.say("swap")
    record = table.play._recorder.record
    assert record and "PB[gtpbot (alphabeta)]" in record.text and "PW[me]" in record.text


def test_who_swaps_within_a_game_is_in_its_record_for_both_colours() -> None:
    """And for one colour in the next game."""
    table = Table("tictactoe")
    table.say("B2", "swap")
    record = table.play._recorder.record
    assert record and "PB[me, gtpbot (alphabeta)]" in record.text
    assert "PW[gtpbot (alphabeta), me]" in record.text
    table.say("new")
    record = table.play._recorder.record
    assert record and "PB[gtpbot (alphabeta)]" in record.text and "PW[me]" in record.text


def test_who_swaps_before_a_move_of_their_own_is_in_the_record_for_the_other_colour() -> None:
    table = Table("tictactoe", frozenset([Player.WHITE]))
    table.play.answer()
    table.say("swap", "resign")
    record = table.play._recorder.record
    assert record and "PB[gtpbot (alphabeta), me]" in record.text
    assert "PW[gtpbot (alphabeta)]RE[W+R]" in record.text


def test_go_has_passes_and_a_score() -> None:
    table = Table("go", frozenset(Player), size="5", komi="0.5")
    table.say("C3", "pass")
    assert table.say("score") == "As it stands: B+24.5\n"
    assert "Black wins by 24.5" in table.say("pass")


def test_the_longest_game_ends() -> None:
    """Under rules by which positions come again."""
    table = Table("go", size="2", rules="japanese")
    position = table.session.position
    while len(position.moves) < table.session.game.spec.max_length - 1:
        position.play(position.to_move, position.state.legal_actions()[0])
    table.play.answer()
    assert len(table.moves) == 40 and table.play.over
    with pytest.raises(PlayError, match="the game is over"):
        table.play.obey("pass")
    assert table.say("undo") and not table.play.over


def test_saving(tmp_path: Path) -> None:
    table = Table("coin", pile="7")
    with pytest.raises(PlayError, match="no move yet to save"):
        table.play.obey("save x.sgf")
    table.say("1")
    with pytest.raises(PlayError, match="save where"):
        table.play.obey("save")
    path = tmp_path / "my game.sgf"
    assert str(path) in table.say(f"save {path.with_suffix('')}")
    tree = read_tree(path, Go())
    assert tree.fact("PB") == "me" and tree.fact("PW") == "gtpbot (alphabeta)"
    assert len(tree.final_position().moves) == 2
    with pytest.raises(PlayError, match="is there already: give another name"):
        table.play.obey(f"save {path}")
    with pytest.raises(PlayError, match="cannot save the game"):
        table.play.obey(f"save {tmp_path / 'none' / 'x.sgf'}")
    with pytest.raises(PlayError, match="names a folder: expected `save FILE"):
        table.play.obey(f"save {tmp_path}/")
    table.say(f'save "{tmp_path}/in quotes"', f"save {tmp_path}/LARGE.SGF")
    names = {"my game.sgf", "in quotes.sgf", "LARGE.SGF"}
    assert {file.name for file in tmp_path.iterdir()} == names


def test_a_word_that_is_said_alone() -> None:
    table = Table("coin")
    table.say("1")
    with pytest.raises(PlayError, match="undo '2': expected `undo` alone"):
        table.play.obey("undo 2")
    assert len(table.moves) == 2


@pytest.mark.parametrize(
    ("game", "line", "message"),
    [
        ("go", "undp 2", "invalid vertex 'undp 2'"),
        ("go", "undp it", "'undp it' is no move and no word: did you mean 'undo'?"),
        ("go", "passs", "did you mean 'pass'?"),
        ("go", "Z99", "vertex 'Z99' is off the board: expected A1 to T19"),
        ("go", "I5", "invalid vertex 'I5'"),
        ("go", "x" * 500, "is no move and no word"),
        ("connect4", "pass", "there is no pass in Connect Four"),
        ("connect4", "passs", "is no move and no word: expected one of undo, hint"),
        ("connect4", "A2", "illegal move 'A2': the disc lands on A1"),
        ("connect4", "H", "'H' is no move and no word"),
        ("coin", "3", "invalid move '3': expected 1 to 2 coins"),
    ],
)
def test_what_cannot_be_done_is_explained(game: str, line: str, message: str) -> None:
    table = Table(game)
    with pytest.raises(PlayError) as error:
        table.play.obey(line)
    assert message in str(error.value)
    assert table.moves == [] and len(str(error.value)) < 250


def test_help_lists_every_word() -> None:
    seen = Table("go").say("HELP")
    assert [word for word in WORDS if not re.search(rf"^{word} ", seen, re.M)] == []
    assert Table("go").say("", "  ") == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["coin", "--handicap", "2"], "--handicap 2: there is none but in Go"),
        (["go", "--size", "9", "--handicap", "x"], "--handicap: number 'x'"),
        (["go", "--size", "5", "--handicap", "2"], "fixed handicap of 2 on 5x5"),
        (["go", "--komi", "0.3"], "komi"),
        (["coin", "--agent", "rave"], "agent rave does not play Coin Game"),
    ],
)
def test_options_that_do_not_fit(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", *words]) == 2
    assert message in capsys.readouterr().err


def test_a_status_line_is_shown_on_terminals_alone() -> None:
    plain = io.StringIO()
    Terminal(plain).status("thinking")
    assert plain.getvalue() == ""


# Processes


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "gtpbot", "play", *words]


def piped(text: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words), input=text, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_pipe(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    words = ["coin", "--option", "pile=4", "--agent", "alphabeta", "--record", str(folder)]
    run = piped(f"nonsense\n1\nsave\nsave {tmp_path}/too\n", *words, "--name", "Eve")
    assert (run.returncode, run.stderr) == (0, "")
    assert "'nonsense' is no move and no word" in run.stdout
    assert "gtpbot plays" in run.stdout and "\x1b" not in run.stdout
    (path,) = folder.iterdir()
    assert f"The game is kept in {path}\nSaved in {tmp_path}/too.sgf\n" in run.stdout
    assert read_tree(path, Go()).fact("PB") == "Eve"


def test_a_pipe_with_handicap_and_no_newline_at_its_end() -> None:
    run = piped("new\nquit", "--size", "9", "--handicap", "4", "--agent", "random", "--ascii")
    assert run.returncode == 0
    assert run.stdout.splitlines()[0] == (
        "Go 9x9, chinese rules, komi 0.5: you are Black, gtpbot (random) is White. "
        "Say `help` for help."
    )
    assert re.search(r"gtpbot plays [A-J]\d\n", run.stdout)
    assert run.stdout.count("X") == 8


@pytest.mark.parametrize(("told", "komi"), [([], "0.5"), (["--komi", "5.5"], "5.5")])
def test_with_handicap_komi_is_little_unless_told(
    tmp_path: Path, told: list[str], komi: str
) -> None:
    path = tmp_path / "game.sgf"
    words = ["--size", "9", "--handicap", "2", "--agent", "random", "--record", str(path)]
    assert piped("E5\n", *words, *told).returncode == 0
    assert read_tree(path, Go()).fact("KM") == komi


def test_the_agent_against_itself() -> None:
    run = piped("help\n", "tictactoe", "--colour", "none", "--agent", "alphabeta")
    assert run.returncode == 0
    assert run.stdout.startswith("Tic Tac Toe: gtpbot (alphabeta) against itself.\n")
    assert run.stdout.count("  A B C\n") == 2 * 9
    assert run.stdout.rstrip().endswith("The game is a draw")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full, as on macOS")
def test_a_full_disk_is_told_in_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        run = subprocess.run(command("coin"), input=b"", stdout=full, stderr=subprocess.PIPE)
    assert run.returncode == 1
    assert run.stderr == b"gtpbot: cannot show the game: No space left on device\n"


def test_nobody_looks_any_more() -> None:
    with subprocess.Popen(
        command("tictactoe", "--agent", "random"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout and process.stdin and process.stderr
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(b"help\nhelp\nboard\n")
        process.stdin.flush()
        assert process.wait(SOON) == 0
        assert process.stderr.read() == b""


class Screen:
    """A program on a pseudo-terminal."""

    def __init__(self, master: int, process: subprocess.Popen[bytes]) -> None:
        self.master = master
        self.process = process
        self.seen = ""

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def wait_for(self, text: str) -> str:
        """What came up to and with `text`."""
        while text not in self.seen:
            chunk = self._read()
            assert chunk, self.seen
            self.seen += chunk
        before, _, self.seen = self.seen.partition(text)
        return before + text

    def wait_for_end(self) -> tuple[int, str]:
        """The exit status, and all that came till then."""
        until = time.monotonic() + SOON
        while chunk := self._read():
            assert time.monotonic() < until, self.seen
            self.seen += chunk
        return self.process.wait(SOON), self.seen

    def wait_for_sleep(self) -> None:
        """Return once the program waits for what is typed."""
        status = Path(f"/proc/{self.process.pid}/status")
        until = time.monotonic() + SOON
        while "State:\tS" not in status.read_text():
            assert time.monotonic() < until, self.seen
            time.sleep(0.01)

    def _read(self) -> str:
        """What comes next; nothing at the end."""
        assert select.select([self.master], [], [], SOON)[0], self.seen
        try:
            return os.read(self.master, 4096).decode(errors="replace")
        except OSError:  # Linux's end of a terminal
            return ""


@contextmanager
def screen(*words: str) -> Iterator[Screen]:
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "PYTHONUTF8": "1", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(
        command(*words),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment,
        start_new_session=True,
    )
    os.close(slave)
    try:
        yield Screen(master, process)
    finally:
        process.kill()
        process.wait()
        os.close(master)


def test_a_terminal_has_colours_a_prompt_and_a_live_evaluation() -> None:
    with screen("connect4", "--agent", "uct", "--seconds", "1.5", "--threads", "1") as shown:
        assert "\x1b[48;5;179m" in shown.wait_for("Black: ")
        shown.type("D\n")
        assert "thinking" in shown.wait_for(" playouts, Black ")
        shown.wait_for("gtpbot plays")
        shown.wait_for("Black: ")
        shown.type("\x04")
        status, _ = shown.wait_for_end()
        assert status == 0


@pytest.mark.parametrize("moment", ["at the prompt", "in a search"])
def test_ctrl_c(moment: str, tmp_path: Path) -> None:
    words = ["connect4", "--agent", "uct", "--seconds", "100", "--threads", "1"]
    with screen(*words, "--record", str(tmp_path)) as shown:
        shown.wait_for("Black: ")
        if moment == "in a search":
            shown.type("D\n")
            shown.wait_for("thinking")
        else:  # readline hears no signal that comes between its prompt and its wait
            shown.wait_for_sleep()
        shown.process.send_signal(signal.SIGINT)
        status, seen = shown.wait_for_end()
        assert status == 130
        assert "Traceback" not in seen and seen.endswith("\n")
        if moment == "in a search":
            (path,) = tmp_path.iterdir()
            assert len(read_tree(path, Go()).final_position().moves) == 1


def test_no_colours_where_none_are_wanted() -> None:
    with screen("tictactoe", "--no-colours", "--ascii", "--agent", "random") as shown:
        assert "\x1b[48" not in shown.wait_for("Black: ")
        shown.type("quit\n")
        assert shown.wait_for_end()[0] == 0


def test_what_is_typed_may_be_no_utf_8(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8:strict")  # as in other locales than this
    with screen("tictactoe", "--agent", "random") as shown:
        shown.wait_for("Black: ")
        os.write(shown.master, b"caf\xe9\xff\n")
        shown.wait_for("is no move and no word")
