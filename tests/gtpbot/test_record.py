"""Games between two engines as SGF files, which the training of Go reads."""

from dataclasses import replace
from pathlib import Path
from shlex import join

import pytest

from games.go import Go
from gtpbot.cli import main
from gtpbot.engines.child import EngineError
from gtpbot.learning.record import Series, opening, record
from gtpbot.options import make_game
from nets.train.go_games import Result, judge
from nets.train.go_sources import sgf_game
from tests.support.scripted_engine import Script, scripted


def engine(name: str, black: str, white: str) -> str:
    """The command of an engine that plays these moves with each colour."""
    moves = {"genmove black": black, "genmove white": white}
    script: Script = {"name": f"={{id}} {name}\n\n"}
    for command, vertices in moves.items():
        script[command] = [f"={{id}} {vertex}\n\n" for vertex in vertices.split()]
    return quoted(script)


def quoted(script: Script) -> str:
    return join(scripted(script))


def series(one: str, other: str, opening: int = 0) -> Series:
    game = make_game("go", {"size": "5", "komi": "0.5", "rules": "tromp-taylor"})
    assert isinstance(game, Go)
    return Series((one, other), game, opening, seed=1, patience=5)


def test_a_game_is_written_as_training_reads_it(tmp_path: Path) -> None:
    one, other = engine("One", "C3 pass", "A1 pass"), engine("Two", "B2 pass", "D4 pass")
    path = tmp_path / "00000.sgf"
    assert record(series(one, other), 0, path).result == "W+0.5"
    text = path.read_text()
    assert "PB[One]PW[Two]" in text
    (game,) = sgf_game(path)
    assert (game.size, game.komi, game.moves.tolist()[:2]) == (5, 0.5, [12, 18])
    assert judge(game).result == Result(-1, -0.5)
    assert [file.name for file in tmp_path.iterdir()] == ["00000.sgf"]


def test_colours_alternate(tmp_path: Path) -> None:
    one, other = engine("One", "C3 pass", "A1 pass"), engine("Two", "B2 pass", "D4 pass")
    record(series(one, other), 1, tmp_path / "00001.sgf")
    assert "PB[Two]PW[One]" in (tmp_path / "00001.sgf").read_text()


def test_openings_are_the_games_own_and_always_the_same() -> None:
    several = [opening(series("", "", opening=4), number) for number in range(40)]
    assert {len(actions) for actions in several} == {0, 1, 2, 3, 4}
    assert several == [opening(series("", "", opening=4), number) for number in range(40)]
    assert len(set(map(tuple, several))) > 25
    seeded = replace(series("", "", opening=4), seed=2)
    assert several != [opening(seeded, number) for number in range(40)]


def test_an_opening_is_told_to_all_and_who_refuses_it_makes_no_game(tmp_path: Path) -> None:
    number = next(n for n in range(99) if len(opening(series("", "", 1), n)) == 1)
    (action,) = opening(series("", "", 1), number)
    vertex = f"{'ABCDE'[action % 5]}{action // 5 + 1}"
    refusing = quoted({f"play black {vertex}": "?{id} never\n\n"})
    one = engine("One", "pass", "pass")
    for engines in ((refusing, one), (one, refusing)):
        with pytest.raises(EngineError, match=f"'play black {vertex}'"):
            record(series(*engines, opening=1), number, tmp_path / "game.sgf")
    assert list(tmp_path.iterdir()) == []


def test_an_engine_that_hangs_is_not_waited_for(tmp_path: Path) -> None:
    hung, one = quoted({"genmove black": "HANG"}), engine("One", "pass", "pass")
    with pytest.raises(EngineError, match="genmove"):
        record(replace(series(hung, one), patience=0.2), 0, tmp_path / "game.sgf")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", ["--jobs 0", "--games 0", "--opening -1", "--seconds-per-move 0"])
def test_numbers_that_make_no_sense_are_refused(
    wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["record", "--a", "false", "--b", "false", "--out", str(tmp_path), *wrong.split()]
    assert main(words) == 2
    assert f"gtpbot: {wrong}: expected " in capsys.readouterr().err


def test_games_that_are_there_are_not_played_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "engine"
    program.write_text(f"#!/bin/sh\nexec {engine('One', 'pass pass', 'pass pass')}\n")
    program.chmod(0o755)
    out, engines = tmp_path / "games", ["--a", str(program), "--b", str(program)]
    words = ["record", *engines, "--out", str(out), "--size", "5", "--opening", "0"]
    assert main([*words, "--games", "1"]) == 0
    (out / "00000.sgf").write_text("mine")
    program.write_text("#!/bin/sh\nfalse\n")
    assert main([*words, "--games", "1"]) == 0
    assert (out / "00000.sgf").read_text() == "mine"
    assert f"games: 1 in {out}" in capsys.readouterr().err
    (out / "00001.sgf").write_text("mine, too")
    assert main([*words, "--games", "1"]) == 0
    assert f"games: 2 in {out}" in capsys.readouterr().err
    assert main([*words, "--games", "3"]) == 2
    assert f"engine '{program}' cannot play: {program} has ended" in capsys.readouterr().err


def test_numbered_games_of_something_else_are_not_taken_for_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "00000.sgf").write_text("all my work")
    passes = engine("One", "pass pass", "pass pass")
    words = ["record", "--a", passes, "--b", passes, "--out", str(tmp_path), "--size", "5"]
    for games in ("1", "2"):
        assert main([*words, "--games", games]) == 2
        told = "holds games that were not begun here, such as 00000.sgf: give another --out folder"
        assert told in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["00000.sgf"]


def test_games_of_another_kind_are_not_mixed_with_those_that_are_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ends = engine("One", "pass pass", "pass pass")
    words = ["record", "--a", ends, "--b", ends, "--out", str(tmp_path), "--opening", "0"]
    assert main([*words, "--games", "1", "--size", "5"]) == 0
    assert main([*words, "--games", "2", "--size", "5"]) == 0
    for other, told in (
        (["--size", "7"], "size '5', now '7'"),
        (["--size", "5", "--seed", "2"], "seed 1, now 2"),
        (["--size", "5", "--opening", "3"], "opening 0, now 3"),
        (["--size", "5", "--komi", "3.5"], "komi 'none', now '3.5'"),
        (["--size", "5", "--rules", "aga"], "rules 'tromp-taylor', now 'aga'"),
        (["--size", "5", "--b", engine("Two", "pass pass", "pass pass")], "engines ["),
    ):
        assert main([*words, "--games", "3", *other]) == 2
        said = capsys.readouterr().err
        assert f"was begun with other settings ({told}" in said
        assert "): give another --out folder" in said
    assert len(list(tmp_path.glob("*.sgf"))) == 2


def test_a_misprinted_engine_begins_no_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    passes = engine("One", "pass pass", "pass pass")
    out = tmp_path / "games"
    words = ["record", "--a", passes, "--out", str(out), "--size", "5", "--games", "1"]
    assert main([*words, "--b", "no-such-program"]) == 2
    assert "engine 'no-such-program' cannot play" in capsys.readouterr().err
    assert not out.exists()
    assert main([*words, "--b", passes]) == 0


def test_every_game_that_is_not_played_is_told_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    starts = tmp_path / "starts"  # of which the first one plays nothing, but is a check
    program = tmp_path / "engine"
    program.write_text(
        f"#!/bin/sh\necho >> {starts}\n"
        f"if [ $(wc -l < {starts}) -lt 4 ]; then exec {engine('One', 'Z9', 'Z9')}; fi\n"
        f"exec {engine('One', 'pass', 'pass')}\n"
    )
    program.chmod(0o755)
    passes = engine("Two", "pass", "pass")
    words = ["record", "--a", str(program), "--b", passes, "--out", str(tmp_path / "games")]
    assert main([*words, "--size", "5", "--opening", "0", "--games", "3"]) == 1
    told = capsys.readouterr().err
    assert "game 0 not played: " in told and "game 1 not played: " in told and "Z9" in told
    assert "games: 3 of 3, the last one " in told and "games: 1 in " in told
