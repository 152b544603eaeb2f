"""The command line."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gtpbot import __version__
from gtpbot.cli import VERBS, _ended_as_by_ctrl_c, main
from gtpbot.gtp.command import interpret_options
from gtpbot.options import Options

INTERRUPTED = """
import os, signal, sys

class Finder:
    def find_spec(self, name, *where):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
from gtpbot.cli import main
sys.exit(main(["play"]))
"""
"""A start with a Ctrl-C while a module is being imported."""


def test_options_of_the_command_line() -> None:
    words = "--game coin --agent uct --playouts 9 --param exploration=1 --param net=a=b"
    options = interpret_options([*words.split(), "--option", "pile=9", "--lag=0"])
    assert (options.game, options.agent, options.lag) == ("coin", "uct", 0.0)
    assert options.game_settings == {"pile": "9"}
    assert options.agent_settings == {"playouts": "9", "exploration": "1", "net": "a=b"}


def test_the_command_line_overrides_the_file(tmp_path: Path) -> None:
    file = tmp_path / "gtpbot.ini"
    file.write_text("[gtpbot]\nsize = 9\nkomi = 0\n[param]\nplayouts = 9\nponder = true\n")
    options = interpret_options(["--config", str(file), "--size", "13", "--param", "playouts=1"])
    assert options.game_settings == {"size": "13", "komi": "0"}
    assert options.agent_settings == {"playouts": "1", "ponder": "true"}
    windows = "\ufeff"
    file.write_text(
        f"{windows}[param]\nseconds = 30\nponder = true\n[option]\nsize = 13\n", "utf-8"
    )
    options = interpret_options(["--config", str(file), "--size", "9", "--seconds", "1"])
    assert options.game_settings == {"size": "9"}
    assert options.agent_settings == {"seconds": "1", "ponder": "true"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--playout 9", "unknown option '--playout': did you mean '--playouts'?"),
        ("--sise=9", "unknown option '--sise=9': did you mean '--size'?"),
        ("--param ponder", "setting 'ponder': expected KEY=VALUE"),
        ("--lag fast", "gtpbot: lag 'fast': expected a valid number"),
        ("--size 99", "game go: size '99': expected less than or equal to 25"),
        ("--game coin --size 9", "game coin has no 'size': expected one of pile, max_take"),
        ("--agent random --threads 2", "agent random has no 'threads': expected one of seed"),
        (
            "--agent rave --param atari_rat=1",
            "agent rave has no 'atari_rat': did you mean 'atari_rate'?",
        ),
        ("--config nowhere.ini", "cannot read the configuration: [Errno 2]"),
        ("--log /nowhere/at/all", "cannot write the log: [Errno 2]"),
        ("bnech", "unknown verb 'bnech': did you mean 'bench'?"),
    ],
)
def test_wrong_command_lines(words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words.split()) == 2
    assert capsys.readouterr().err.startswith(f"gtpbot: {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[gtpbot]\nsise = 9\n", "gtpbot has no 'sise': did you mean 'size'?"),
        ("[gtpbt]\nsize = 9\n", "{file}: section [gtpbt]: did you mean 'gtpbot'?"),
        (
            "[gtpbot]\nparam = playouts=5\n",
            "{file}: param 'playouts=5': expected a section [param]",
        ),
        ("size = 9\n", "cannot read the configuration: File contains no section headers."),
    ],
)
def test_wrong_files(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "gtpbot.ini"
    file.write_text(text)
    assert main(["--config", str(file)]) == 2
    assert capsys.readouterr().err.startswith(f"gtpbot: {message.format(file=file)}")


def test_the_help_names_every_option_verb_game_and_agent(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    words = [f"--{name}" for name in Options.model_fields]
    words += [*VERBS, "rave", "connect4", "pile=21", "ponder=false", "rules=chinese"]
    assert [word for word in words if word not in text] == []
    assert max(map(len, text.splitlines())) <= 130


def test_an_option_that_is_like_none_is_answered_by_all_that_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--game", "coin", "showboard"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("gtpbot: 'showboard' is one word too many: expected one of --game, ")
    assert told.endswith(", --log, --config, --version, --help\n")


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"gtpbot {__version__}\n"
    assert __version__.split(".")[1].isdigit()


def test_an_analysis_records_no_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analysis", "--record", "games"]) == 2
    assert "--record games: no game is played here" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--size", "9", "match"],
            "'match' after options: expected the verb first, gtpbot match ...",
        ),
        (
            ["match", "--sise", "9", "uct", "rave"],
            "unknown option '--sise': did you mean '--size'",
        ),
        (
            ["analysis", "--position", "3"],
            "unknown option '--position': did you mean '--positions'?",
        ),
        (["play", "--syze", "9"], "unknown option '--syze': did you mean '--size'"),
        (
            ["play", "--syze=thirteen-by-thirteen"],
            "unknown option '--syze=thirteen-by-thirteen': did you mean '--size'?",
        ),
        (["play", "--size=9", "chess"], "argument game: invalid choice: 'chess'"),
        (["play", "--size", "", "--agent", "nobody"], "game go: size '': expected a valid integer"),
        (["play", "go", "coin", "--syze"], "unknown option '--syze': did you mean '--size'?"),
        (["play", "-size", "9"], "unknown option '-size': did you mean '--size'?"),
        (["play", "--komi", "-5", "--", "chess"], "argument game: invalid choice: 'chess'"),
        (["play", "--", "--chess"], "argument game: invalid choice: '--chess'"),
        (["play", "--level", "5", "go"], "unknown option '--level': `gtpbot play --help` tells"),
        (["review", "a.sgf", "--frobnicate"], "unknown option '--frobnicate': `gtpbot review --h"),
        (["openings", "here"], "'here' is one word too many: `gtpbot openings --help` tells all"),
        (["record", "--a", "x"], "the following arguments are required: --b, --out (`gtpbot rec"),
        (["--size"], "argument --size: expected one argument (`gtpbot gtp --help` tells more)"),
        (["openings", "--even", "0"], "--even 0: expected more than 0, and 1 at most"),
        (
            ["record", "--a", "x", "--b", "y", "--out", "z", "--seconds-per-move", "0"],
            "--seconds-per-move 0: expected more than 0",
        ),
        (
            ["record", "--a", "x", "--b", "y", "--out", "z", "--seconds-per-move", "nan"],
            "--seconds-per-move nan: expected more than 0",
        ),
        (
            ["selfplay", "go", "--out", "z", "--komi-spread", "-1"],
            "--komi-spread -1.0: expected at least 0",
        ),
        (
            ["reproduce", "--only", "zero-solver"],
            "'zero-solver' is a match with --beyond",
        ),
    ],
)
def test_a_slip_of_the_pen_is_told_in_one_line(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    told = capsys.readouterr()
    assert told.err.startswith(f"gtpbot: {message}") and told.err.count("\n") == 1
    assert told.out == ""


@pytest.mark.parametrize("module", ["gtpbot.options", "gtpbot.people.play"])
def test_a_ctrl_c_at_the_start_says_nothing(module: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED, module]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, "", "")


def test_what_nohup_began_outlives_its_terminal() -> None:
    usual = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with _ended_as_by_ctrl_c():
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, usual)
