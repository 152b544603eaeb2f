"""GoGui itself: in a window it plays, shows what the agent thinks, and interrupts."""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from games.registry import GAMES
from tests.support import gogui
from tests.support.gogui import GoGui

needs_window = pytest.mark.skipif(bool(gogui.missing()), reason=f"not here: {gogui.missing()}")
needs_twogtp = pytest.mark.skipif(
    not gogui.jar("gogui-twogtp.jar").exists() or not shutil.which("java"),
    reason=f"no {gogui.jar('gogui-twogtp.jar')} (GOGUI_LIB), or no java",
)
needs_regress = pytest.mark.skipif(
    not gogui.jar("gogui-regress.jar").exists() or not shutil.which("java"),
    reason=f"no {gogui.jar('gogui-regress.jar')} (GOGUI_LIB), or no java",
)

GAMES_FOLDER = Path(__file__).parents[1] / "data" / "games"
SIZES = {"go": "5", "connect4": "7", "tictactoe": "3", "coin": "21"}


def failures(log: str) -> set[str]:
    """The errors that were answered; moves that a ruler is sent twice are none."""
    answers = {line.partition(" > ")[2] for line in log.splitlines()}
    return {answer for answer in answers if answer.startswith("?")} - {"? illegal move"}


@pytest.mark.client
@pytest.mark.slow
@needs_window
@pytest.mark.parametrize("game", GAMES)
def test_it_plays_a_whole_game(game: str, tmp_path: Path) -> None:
    options = ["-computer-both", *(["-size", SIZES[game]] if game == "go" else [])]
    with GoGui(tmp_path, ["--game", game, "--playouts", "200", "--seed", "1"], *options) as window:
        if game == "go":
            window.wait_for("> = pass", times=2)
        else:
            window.wait_for("< gogui-rules_final_result")
        log = window.log()
    assert failures(log) == set()
    assert "< gogui-analyze_commands" in log
    assert game == "go" or "< gogui-rules_board_gfx" in log


@pytest.mark.client
@pytest.mark.slow
@needs_window
@pytest.mark.parametrize("game", ["go", "connect4"])
def test_it_shows_what_the_agent_thinks(game: str, tmp_path: Path) -> None:
    entries = ["policy", "visits", "values", "best_line", "tree"]
    engine = ["--game", game, "--playouts", "200"]
    with GoGui(tmp_path, engine, "-computer-none", "-size", "9") as window:
        window.open_analyze_dialog()
        for number, entry in enumerate(entries):
            before = window.board()
            window.run_analyze_command(number)
            window.wait_for_answer(f"gtpbot-{entry}")
            if entry in ("visits", "values"):
                window.wait_for_picture(before)
        log = window.log()
    assert failures(log) == set()


@pytest.mark.client
@pytest.mark.slow
@needs_window
def test_it_draws_a_search_that_runs_and_interrupts_it(tmp_path: Path) -> None:
    with GoGui(tmp_path, ["--seconds", "300"], "-computer-none", "-size", "9") as window:
        window.settle()
        before = window.board()
        window.do("key", "F5")
        window.wait_for("< genmove b")
        window.wait_for_picture(before)
        window.do("key", "Escape")
        window.wait_for("< # interrupt")
        window.wait_for_answer("genmove b")
        log = window.log()
    assert failures(log) == set()


@pytest.mark.client
@pytest.mark.slow
@needs_twogtp
@pytest.mark.parametrize("game", GAMES)
def test_twogtp_plays_twenty_games(game: str, tmp_path: Path) -> None:
    engine = f"{sys.executable} -m gtpbot --game {game}"
    black, white = f"{engine} --playouts 50", f"{engine} --agent random"
    jar = str(gogui.jar("gogui-twogtp.jar"))
    command = ["java", "-jar", jar, "-black", black, "-white", white, "-games", "20"]
    command += ["-size", SIZES[game], "-auto", "-alternate", "-sgffile", str(tmp_path / "match")]
    run = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert (run.returncode, run.stderr) == (0, "")
    rows = [line.split("\t") for line in (tmp_path / "match.dat").read_text().splitlines()]
    games = [row for row in rows if not row[0].startswith("#")]
    assert len(games) == 20
    assert {(row[11], row[12]) for row in games} == {("0", "")}  # columns ERR and ERR_MSG
    assert all(row[1] == row[2] for row in games)  # both players tell the same result


REGRESSION = """\
# Ids as gogui-regress has them; the files that are named lie beside this one.
boardsize 9
clear_board
1 showboard
#? [\\s*A B C D E F G H J\\n9 .*]

loadsgf five moves.sgf 3
10 get_komi
#? [3\\.5]

20 reg_genmove b
#? [[A-E][1-5]]

30 final_status_list dead
#? []

40 reg_genmove b
#? [PASS]*

50 cputime
#? [\\d+\\.\\d+]
"""


@pytest.mark.client
@pytest.mark.slow
@needs_regress
def test_regress_finds_what_the_engine_does_as_expected(tmp_path: Path) -> None:
    shutil.copy(GAMES_FOLDER / "five moves.sgf", tmp_path)
    (tmp_path / "five.tst").write_text(REGRESSION)
    engine = [sys.executable, "-m", "gtpbot", "--playouts", "50", "--seed", "1"]
    command = ["java", "-jar", str(gogui.jar("gogui-regress.jar")), shlex.join(engine), "five.tst"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    tests, unexpected, failed, surprises, passed, errors, *_ = (
        (tmp_path / "summary.dat").read_text().splitlines()[1].split("\t")
    )
    assert (tests, passed, failed) == ("6", "5", "1")
    assert (unexpected, surprises, errors) == ("0", "0", "0")
