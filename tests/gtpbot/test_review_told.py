"""What a review makes of reports, says and draws, and what it takes for another review."""

from pathlib import Path

import pytest

from games.base import Player
from games.position import Position
from games.sgf_tree import GameTree
from games.tictactoe import TicTacToe
from gtpbot.cli import main
from gtpbot.review.annotations import Moment
from gtpbot.review.assessment import Assessment, Line, assess
from gtpbot.review.winrate_curve import _figure
from search.agent import AgentParams, Candidate, Limits, Report
from search.random import RandomAgent

COINS = "(;GM[100]GTPBOT[coin pile=7 max_take=2]PB[me]RE[W+1];B[1];W[1];B[2];W[1]{})"
"""Black leaves a multiple of 3, and wins, as long as nothing else follows."""
MISTAKE = ";B[1];W[1]"


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("game.sgf")


def review(*words: str) -> int:
    return main(["review", "game.sgf", "--agent", "alphabeta", *words])


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        ("", "no move lost a percent or more\n"),
        (
            MISTAKE,
            "move  by     played  won before  after     lost  better\n"
            "   5  Black  B1         100.0 %  0.0 %  100.0 %  A1\n",
        ),
    ],
)
def test_all_that_is_told(
    game: Path, rest: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    game.write_text(COINS.format(rest))
    assert review("--playouts", "1000", "--seconds", "9", "--no-curve") == 0
    assert capsys.readouterr().out == (
        "Coin Game: me - White, W+1; alphabeta, 1,000 playouts or 9 s a position\n"
        f"{told}written: game-review.sgf\n"
    )


def test_nothing_is_said_of_who_wins_where_the_agent_knows_nothing(
    game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game.write_text("(;SZ[5];B[cc])")
    assert main(["review", "game.sgf", "--agent", "random", "--no-curve"]) == 0
    assert capsys.readouterr().err == "review: 2 of 2, no winrate\n"


@pytest.mark.parametrize("ending", ["sgf", "png", "svg"])
def test_a_file_that_is_there_is_not_written_over(
    game: Path, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    game.write_text(COINS.format(""))
    there = Path(f"game-review.{ending}")
    there.write_text("mine")
    assert review() == 2
    assert f"{there} is there already" in capsys.readouterr().err
    assert there.read_text() == "mine"


def test_a_folder_is_no_place_for_a_review(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game.write_text(COINS.format(""))
    Path("folder.sgf").mkdir()
    assert review("--out", "folder.sgf", "--force") == 2
    assert "--out 'folder.sgf': expected a file, found a folder" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--lines", "2"], ["--agent", "minimax"], ["--seed", "1"]])
def test_a_review_in_another_way_is_another_one(
    game: Path, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk was full when the work was done."""

    def fail(tree: GameTree) -> str:
        raise OSError("no space left")

    game.write_text(COINS.format(""))
    with monkeypatch.context() as full:
        full.setattr(GameTree, "text", fail)
        assert review("--no-curve") == 2
    assert review("--no-curve", *words) == 2
    assert review("--no-curve") == 0


@pytest.mark.parametrize(("value", "percent"), [(0.33333, 66.67), (None, None)])
def test_what_is_kept_of_a_report(value: float | None, percent: float | None) -> None:
    best, other = Candidate(4, 5, 0.33333, 0.0, (4, 0)), Candidate(0, 3, -1.0, 0.0, (0,))

    class Sure(RandomAgent):
        def analyze(self, position: Position, limits: Limits) -> None:
            assert limits == Limits(seconds=1.0)
            self._report = Report(position.to_move, (best, other), 8, value, state=position.state)

    found = assess(Sure(AgentParams()), Position(TicTacToe()), 1)
    line = Line(actions=(4, 0), percent=percent, visits=5)
    assert found == Assessment(percent=percent, playouts=8, lines=(line,))


def test_names_of_moves_are_where_the_curve_does_not_come_from() -> None:
    """Most often Black's move took it down, and White's up."""
    points = [(1, 50.0), (2, 50.0), (3, 5.0), (4, 95.0)]
    players = [Player.BLACK, Player.WHITE, Player.BLACK, Player.WHITE]
    worst = [
        Moment(number, player, "A1", 0.0, 0.0, "")
        for (number, _), player in zip(points, players, strict=True)
    ]
    (axes,) = _figure(points, worst, "").axes
    assert [text.get_position()[1] > 0 for text in axes.texts] == [False, True, True, False]
    black, white = (area.get_paths()[0].get_extents() for area in axes.collections)
    assert (black.ymin, black.ymax, white.ymin, white.ymax) == (0, 95, 5, 100)
