"""What `gtpbot review` says on the screen, and what it takes for another review."""

from pathlib import Path

import pytest

from games.sgf_tree import GameTree
from gtpbot.cli import main

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
