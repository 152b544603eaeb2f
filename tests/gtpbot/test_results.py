"""How sure a score is; the file of finished games."""

import json
from pathlib import Path

import pytest

from gtpbot.results import ResultsFile, ResultsFileError, wilson


def test_wilson() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(0, 7000)[0] == 0.0 and wilson(7000, 7000)[1] == 1.0
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)


def test_a_line_that_a_kill_cut_short_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    ResultsFile(path, {"a": 1}).add({"game": 0})
    whole = path.read_text()
    path.write_text(whole + '{"game": 1, "resu')
    results = ResultsFile(path, {"a": 1})
    assert list(results.records) == [0]
    results.add({"game": 1})
    assert path.read_text().startswith(whole)
    assert [json.loads(line)["game"] for line in path.read_text().splitlines()] == [0, 1]


def test_the_file_of_another_match_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    ResultsFile(path, {"komi": 7.5}).add({"game": 0})
    with pytest.raises(ResultsFileError, match=r"line 1: played with komi 7\.5, not 6\.5; give an"):
        ResultsFile(path, {"komi": 6.5})
    path.write_text("[1]\n")
    with pytest.raises(ResultsFileError, match="line 1: no game"):
        ResultsFile(path, {})
