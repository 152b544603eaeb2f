"""The match script: colours alternate, a match goes on where it was killed, the error is right."""

import json
import shlex
from pathlib import Path

import pytest

from gtpbot.results import wilson
from tests.bench.match import main
from tests.support.scripted_engine import Script, scripted

PASSES: Script = {
    "genmove black": "={id} pass\n\n",
    "genmove white": "={id} pass\n\n",
    "final_score": "={id} B+1.5\n\n",
}
RESIGNS_AS_WHITE: Script = {**PASSES, "genmove white": "={id} resign\n\n"}
DIES: Script = {"boardsize 9": "DIE 3"}


def run(out: Path, games: int, a: Script = PASSES, b: Script = PASSES, komi: str = "7.5") -> int:
    def command(script: Script) -> str:
        return shlex.join(scripted(script))

    arguments = ["--a", command(a), "--b", command(b), "--referee", command(PASSES)]
    return main([*arguments, "--games", str(games), "--komi", komi, "--out", str(out)])


def read(out: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.read_text().splitlines()]


def test_colours_alternate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "match.jsonl"
    assert run(out, 5, b=RESIGNS_AS_WHITE) == 0
    games = read(out)
    assert [game["a_color"] for game in games] == ["black", "white", "black", "white", "black"]
    assert [game["result"] for game in games] == ["B+R", "B+1.5", "B+R", "B+1.5", "B+R"]
    assert [game["winner"] for game in games] == ["a", "b", "a", "b", "a"]
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith(
        "A won 3 of 5 (3 of 3 as Black, 0 of 2 as White), 0 drawn, 0 void: 60.0%"
    )


def test_a_killed_match_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "match.jsonl"
    run(out, 2)
    kept = out.read_text()
    out.write_text(kept + '{"game": 2, "resu')
    run(out, 4)
    assert out.read_text().startswith(kept)
    assert [game["game"] for game in read(out)] == [0, 1, 2, 3]


def test_a_failing_engine_makes_a_void_game_that_is_played_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "match.jsonl"
    run(out, 1, a=DIES)
    assert "exit code 3" in capsys.readouterr().out
    assert [game["result"] for game in read(out)] == ["?"]
    run(out, 1, a=DIES)
    assert [game["game"] for game in read(out)] == [0, 0]
    assert "A won 0 of 0 (0 of 0 as Black, 0 of 0 as White), 0 drawn, 1 void" in (
        capsys.readouterr().out
    )


def test_another_match_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "match.jsonl"
    run(out, 1)
    assert run(out, 2, komi="6.5") == 2
    assert len(read(out)) == 1
    assert "line 1: played with komi 7.5, not 6.5; give another --out" in capsys.readouterr().err
    out.write_text("[1]\n")
    assert run(out, 2) == 2
    assert "line 1: no game" in capsys.readouterr().err


def test_wilson() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(0, 7000)[0] == 0.0 and wilson(7000, 7000)[1] == 1.0
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
