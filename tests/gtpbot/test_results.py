"""How sure a score is; the file of finished games."""

import json
import re
import resource
from pathlib import Path

import pytest

from gtpbot.measure.intervals import wilson
from gtpbot.measure.results import ResultsFile
from gtpbot.options import OptionsError


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


def test_a_line_that_lacks_its_end_alone_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    for number in range(2):
        ResultsFile(path, {"a": 1}).add({"game": number})
    whole = path.read_text()
    path.write_text(whole.removesuffix("\n"))
    assert list(ResultsFile(path, {"a": 1}).records) == [0, 1]
    assert path.read_text() == whole


def test_a_line_is_dropped_wherever_it_was_cut(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    results = ResultsFile(path, {"a": 1})
    for number in range(2):
        results.add({"result": "B+R", "game": number})
    first, second = path.read_text().splitlines(keepends=True)
    for length in range(1, len(second) - 1):
        path.write_text(first + second[:length])
        assert list(ResultsFile(path, {"a": 1}).records) == [0]
        assert path.read_text() == first


GAME = '{"game": 0, "settings": {"a": 1}}\n'
OTHERS = GAME.replace("1", "2")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("all my work", "line 1: no game: 'all my work': expected a line that begins with"),
        ("all my work\nwithout an end", "line 1: no game: Expecting value"),
        (GAME + "all my work", "line 2: no game: 'all my work': expected a line that begins with"),
        ('{"name": "all my w', 'line 1: no game: \'{"name": "all my w\': expected a line'),
        (OTHERS + '{"game": 1, "resu', "line 1: played with a 2, not 1; give another --out"),
        (OTHERS.rstrip(), "line 1: played with a 2, not 1; give another --out"),
        ('{"name": "all my work"}', "line 1: no game: 'settings'; give another --out"),
        ("\n" + GAME, "line 1: no game: Expecting value"),
        ('{"game": 1e999, "settings": {"a": 1}}\n', "line 1: no game: cannot convert float"),
        pytest.param("[" * 100_000 + "\n", "line 1: no game: maximum recursion", id="nested"),
        pytest.param("[" * 100_000, "line 1: no game: '[[[", id="nested, the last"),
    ],
)
def test_a_file_of_something_else_is_refused_and_stays_as_it_is(
    text: str, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(text)
    with pytest.raises(OptionsError, match=f"games.jsonl, {re.escape(told)}"):
        ResultsFile(path, {"a": 1})
    assert path.read_text() == text


def test_dropping_a_line_endangers_no_other(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    ResultsFile(path, {"a": 1}).add({"game": 0})
    whole = path.read_text()
    path.write_text(whole + '{"game": 1, "resu')
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, limits[1]))  # as if the disk were full
    try:
        assert list(ResultsFile(path, {"a": 1}).records) == [0]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_text() == whole


def test_games_that_another_run_played_meanwhile_are_not_played_again(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    one, other = ResultsFile(path, {}), ResultsFile(path, {})
    with one.claimed():
        one.add({"game": 0})
    with pytest.raises(OptionsError, match="has just written to it"), other.claimed():
        pass
    with one.claimed(), pytest.raises(OptionsError, match="another run is writing to it"):
        path.write_text(path.read_text() + '{"game": 1, "resu')
        ResultsFile(path, {})


def test_the_file_of_another_match_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    ResultsFile(path, {"komi": 7.5}).add({"game": 0})
    with pytest.raises(OptionsError, match=r"line 1: played with komi 7\.5, not 6\.5; give an"):
        ResultsFile(path, {"komi": 6.5})
    engines = {"engines": {"a": "rave", "b": "uct"}}
    path.unlink()
    ResultsFile(path, engines).add({"game": 0})
    assert list(ResultsFile(path, engines).records) == [0]
    with pytest.raises(OptionsError, match="line 1: played with engines "):
        ResultsFile(path, {"engines": {"b": "uct", "a": "rave"}})
    path.write_text("[1]\n")
    with pytest.raises(OptionsError, match="line 1: no game"):
        ResultsFile(path, {})
    path.write_bytes(b"\xff\n")
    with pytest.raises(OptionsError, match="expected games as lines of JSON: "):
        ResultsFile(path, {})
