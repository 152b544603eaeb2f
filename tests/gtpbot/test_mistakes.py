"""`gtpbot mistakes`: positions read and made, and what counts as a mistake."""

import itertools
import json
import os
import resource
from pathlib import Path
from typing import Any

import pytest

import gtpcore
from gtpbot.cli import main
from gtpbot.measure.mistakes import is_wrong, measure
from gtpbot.measure.positions import KINDS, Line, make_positions, moves_left, read_positions
from gtpbot.options import OptionsError
from search.oracle import ConnectFourOracle
from tests.support.agents import CallbackAgent

WON = Line("121212")
"""Black to move completes the first column; otherwise White completes the second one."""


class Column(CallbackAgent):
    """Plays the lowest legal column, counted from 1, that is not below a given one."""

    lowest = 1

    def __init__(self, *_: object) -> None:
        super().__init__(
            lambda position, *_: min(
                action for action in position.state.legal_actions() if action + 1 >= self.lowest
            )
        )


class ThirdColumn(Column):
    lowest = 3


def test_a_mistake_is_to_throw_something_away() -> None:
    oracle = ConnectFourOracle()
    rows = [measure("set", [WON, WON], agent(), oracle, 1) for agent in (Column, ThirdColumn)]
    assert [row.mistakes for row in rows] == [0, 2]
    assert (rows[1].percent, rows[1].positions) == (100.0, 2)
    assert rows[1].wrong[0] == f"{WON.moves}-3"
    assert rows[0].interval == pytest.approx((0, 65.76), abs=0.01)
    lost = Line(WON.moves + "3")  # White's own column comes first; nothing else is wrong
    assert not is_wrong(lost, 1, oracle)
    assert is_wrong(lost, 4, oracle)
    assert is_wrong(WON, None, oracle), "to resign a won game"
    assert is_wrong(Line("4444442"), None, oracle), "to resign a draw"
    assert not is_wrong(Line("4453"), None, oracle)


@pytest.mark.parametrize(
    ("moves", "score", "action", "expected"),
    [
        ("4453", 2, 3, "less than 0"),
        ("4453", 0, None, "less than 0"),
        ("4444442", 1, 0, "0"),
        ("44444452", 0, 0, "more than 0"),
    ],
)
def test_a_wrong_score_makes_no_mistakes(
    moves: str, score: int, action: int | None, expected: str
) -> None:
    told = f"position {moves} {score}: the score is wrong: expected {expected}"
    with pytest.raises(OptionsError, match=f"{told}$"):
        is_wrong(Line(moves, score), action, ConnectFourOracle())


def test_a_known_score_is_taken_for_true_and_held_to() -> None:
    oracle = ConnectFourOracle()
    scored = Line(WON.moves, 18)
    assert not is_wrong(scored, 0, oracle)
    assert is_wrong(scored, 2, oracle)
    with pytest.raises(OptionsError, match="position 121212 0: the score is wrong: 1 keeps 1"):
        is_wrong(Line(WON.moves, 0), 0, oracle)


def test_positions_are_read_back(tmp_path: Path) -> None:
    file = tmp_path / "positions"
    file.write_text("44\n4453 -2\n1 0\n")
    lines = read_positions(file)
    assert lines == [Line("44"), Line("4453", -2), Line("1", 0)]
    assert "\n".join(map(str, lines)) + "\n" == file.read_text()
    file.write_text("\ufeff44\n4453 -2\n1 0\n", encoding="utf-8")  # as editors on Windows do
    assert read_positions(file) == lines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4483", "line 2: '4483': expected columns from 1 to 7, and a score"),
        ("", "line 2: '': expected columns"),
        ("44 x", "line 2: '44 x': expected columns"),
        ("4444444", "line 2: 4444444: action 3 is illegal"),
        ("1212121", "line 2: 1212121: the game is over: expected a player to move"),
    ],
)
def test_a_wrong_line_is_named(text: str, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "positions"
    file.write_text(f"44\n{text}\n")
    with pytest.raises(OptionsError, match=expected):
        read_positions(file)


def test_positions_are_made_by_seed_and_number_of_discs() -> None:
    lines = make_positions(50, range(3, 6), "any", 1)
    assert {len(line.moves) for line in lines} == {3, 4, 5}
    assert lines == make_positions(50, range(3, 6), "any", 1)
    assert lines != make_positions(50, range(3, 6), "any", 2)
    states = {line.position().state.hash for line in lines}
    mirrored = {line.moves.translate(str.maketrans("1234567", "7654321")) for line in lines}
    twins = {Line(moves).position().state.hash for moves in mirrored}
    assert len(states) == 50
    symmetric = sum(1 for line in lines if set(line.moves) == {"4"})
    assert len(states & twins) == symmetric


def test_every_length_of_a_game_is_of_one_kind() -> None:
    kinds = [[kind for kind in KINDS if left in KINDS[kind]] for left in (1, 13, 14, 27, 28, 42)]
    ends = ("easy", "easy", "medium", "medium", "hard", "hard")
    assert kinds == [["any", end] for end in ends]


@pytest.mark.parametrize("kind", ["easy", "medium"])
def test_kinds_are_how_long_the_game_lasts(kind: str) -> None:
    solver = gtpcore.ConnectFourSolver()
    for line in make_positions(10, range(24, 27), kind, 1):
        state = line.position().state
        assert isinstance(state, gtpcore.ConnectFourState) and line.score is not None
        assert solver.solve(state, exact=True) == line.score
        left = 0
        while not state.is_terminal:
            scores = solver.solve_moves(state, exact=True)
            state.apply_action(max(scores, key=lambda action: scores[action]))
            left += 1
        assert left == moves_left(len(line.moves), line.score)
        assert left in KINDS[kind]


def mistakes(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, Any]]:
    assert main(["mistakes", "--json", *words]) == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return rows


def test_an_agent_is_measured_on_files_and_made_positions(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "made"
    words = ["--generate", "30", "--discs", "30-33", "--kind", "easy", "--save", str(file)]
    (row,) = mistakes(capsys, "--agent", "random", *words)
    assert row["positions"] == 30
    assert row["mistakes"] == len(row["wrong"]) > 3
    (again,) = mistakes(capsys, "--agent", "random", "--positions", str(file))
    assert (again["name"], again["wrong"]) == ("made", row["wrong"])
    reverse = tmp_path / "reverse"
    reverse.write_text("".join(reversed(file.read_text().splitlines(keepends=True))))
    (turned,) = mistakes(capsys, "--agent", "random", "--positions", str(reverse))
    assert turned["wrong"] == row["wrong"][::-1], "it matters what came before"
    (other,) = mistakes(capsys, "--agent", "random", "--positions", str(file), "--seed", "2")
    assert other["wrong"] != row["wrong"]
    mistakes(capsys, "--agent", "random", *words[:-1], str(reverse), "--seed", "2")
    assert not {*read_positions(reverse)} & {*read_positions(file)}
    (perfect,) = mistakes(capsys, "--agent", "alphabeta", "--positions", str(file))
    assert perfect["mistakes"] == 0
    uct = ["--agent", "uct", "--playouts", "50", "--param", "exploration=1"]
    (row,) = mistakes(capsys, *uct, "--positions", str(file))
    assert row["mistakes"] < len(again["wrong"])


def test_files_of_one_name_are_told_apart(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    paths = [tmp_path / folder / "x.txt" for folder in ("a", "b")]
    for path, discs in zip(paths, ("34", "35"), strict=True):
        path.parent.mkdir()
        made = ["--generate", "1", "--discs", discs, "--save", str(path)]
        mistakes(capsys, "--agent", "random", *made)
    asked = (*paths, os.devnull)
    words = [word for path in asked for word in ("--positions", str(path))]
    rows = mistakes(capsys, "--agent", "random", *words)
    assert [row["name"] for row in rows] == list(map(str, paths))


def test_positions_that_cannot_be_saved_destroy_none(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "positions"
    file.write_text("4453 -2\n")
    words = ["mistakes", "--agent", "random", "--generate", "1", "--discs", "34", "--save"]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, limits[1]))  # as if the disk were full
    try:
        assert main([*words, str(file)]) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert capsys.readouterr().err.startswith("gtpbot: cannot save the positions: ")
    assert file.read_text() == "4453 -2\n"
    assert list(tmp_path.iterdir()) == [file]


def test_the_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that each look at it moves on by a second."""
    monkeypatch.setattr("gtpbot.measure.mistakes.time.perf_counter", itertools.count().__next__)
    assert main(["mistakes", "--agent", "random", "--generate", "4", "--discs", "34"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].split()[:4] == ["positions", "number", "mistakes", "share"]
    cells = [cell.strip() for cell in out[1].split("  ") if cell]
    assert cells == ["any, 34 discs", "4", "1", "25.0 %", "4.56 to 69.94 %", "1"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "no positions: expected --positions FILE or --generate N"),
        (["--positions", os.devnull], f"no positions in {os.devnull}: expected --positions FILE"),
        (["--positions", "x", "--save", "y"], "--save 'y': expected --generate N, what to save"),
        (["--generate", "0"], "--generate 0: expected at least 1"),
        (["--generate", "1", "--discs", "5-3"], "--discs '5-3': expected A or A-B, from 1 to 41"),
        (["--generate", "1", "--discs", "30", "--kind", "hard"], "found only 0 of 1 positions of "),
        (["--generate", "1", "--discs", "0"], "--discs '0': expected A or A-B, from 1 to 41"),
        (["--generate", "1", "--discs", "42"], "--discs '42': expected A or A-B, from 1 to 41"),
        (["--positions", "nowhere"], "cannot read the positions: "),
        (
            ["--generate", "1", "--discs", "30", "--kind", "hard", "--save", "nowhere/file"],
            "--save 'nowhere/file': there is no folder 'nowhere'",
        ),
        (["--param", "depth"], "setting 'depth': expected KEY=VALUE"),
        (["--playouts", "many"], "agent uct: playouts 'many': expected a valid integer"),
    ],
)
def test_a_wrong_word_is_told_in_one_line(
    words: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mistakes", "--agent", "uct", *words]) == 2
    assert capsys.readouterr().err.startswith(f"gtpbot: {expected}")
