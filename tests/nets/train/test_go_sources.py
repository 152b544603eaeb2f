"""Files of games of Go: what is read of them, what is left out and why."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games.go_rules import CHINESE, TROMP_TAYLOR
from nets.train.arrays import write_arrays
from nets.train.errors import RecordsError
from nets.train.go_games import BrokenGameError, Result, game_key
from nets.train.go_records import GoGames, ShardWriter, count_positions, shards_by_size
from nets.train.go_sources import (
    Import,
    digest_of_files,
    game_files,
    import_games,
    labelled_games,
    parse_result,
    sgf_game,
)
from tests.support.go_games import labelled_arrays, random_game, write_labelled, write_sgf_file

GAMES = [random_game(5, 12, seed) for seed in range(3)]
MOVES = ("cc", "bb", "", "")


def test_labelled_games_are_read_as_they_are(tmp_path: Path) -> None:
    write_labelled(tmp_path / "games.npz", GAMES)
    read = list(labelled_games(tmp_path / "games.npz"))
    assert [game.source for game in read] == [
        f"{tmp_path / 'games.npz'}, game {n}" for n in range(3)
    ]
    for one, other in zip(read, GAMES, strict=True):
        assert (one.size, one.rules, one.komi) == (other.size, TROMP_TAYLOR, other.komi)
        assert one.result is None
        for name in ("moves", "top_moves", "top_probs", "black_value", "black_score"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name


def test_labelled_games_may_name_their_rules(tmp_path: Path) -> None:
    write_labelled(tmp_path / "games.npz", GAMES, rules=np.array("chinese"))
    assert {game.rules for game in labelled_games(tmp_path / "games.npz")} == {CHINESE}


@pytest.mark.parametrize(
    "changed",
    [
        {"komi": np.zeros(4)},
        {"moves": np.zeros(35, np.uint16)},
        {"start": np.array([0, 24, 12, 36])},
        {"start": np.array([1, 12, 24, 36])},
        {"start": np.zeros(0, np.int64)},
        {"rules": np.array("whist")},
        {"size": np.zeros(3)},
        {"moves": np.zeros(36)},
        {"top_moves": np.full((36, 12), -1)},
        {"top_probs": np.full((36, 12), 257, np.uint16)},
        {"moves": np.full(36, 65_548, np.int64)},
        {"value": np.full(36, "high")},
        {"start": np.array([0.0, 12, 24, 36])},
        {"start": np.array([0, 24, 12, 36], np.uint64)},
        {"moves": np.zeros((36, 1), np.uint16)},
        {"komi": np.zeros((3, 1))},
        {"komi": np.zeros(3, complex)},
        {"size": np.array(np.inf)},
    ],
)
def test_a_damaged_file_of_labelled_games_is_told(changed: dict[str, Any], tmp_path: Path) -> None:
    write_labelled(tmp_path / "games.npz", GAMES, **changed)
    with pytest.raises(BrokenGameError, match=r"games\.npz") as found:
        list(labelled_games(tmp_path / "games.npz"))
    assert found.value.reason == "unreadable file"


def test_numbers_of_labelled_games_may_have_room_for_more(tmp_path: Path) -> None:
    plain, roomy = tmp_path / "plain.npz", tmp_path / "roomy.npz"
    write_labelled(plain, GAMES)
    with np.load(plain) as arrays:
        names = ("moves", "top_moves", "top_probs")
        write_labelled(roomy, GAMES, **{name: arrays[name].astype(np.int64) for name in names})
    for one, other in zip(labelled_games(plain), labelled_games(roomy), strict=True):
        assert (one.moves == other.moves).all()
        assert (one.top_probs == other.top_probs).all()
        assert other.top_probs.dtype == np.uint8


def test_files_are_known_again_by_what_is_in_them(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder, time in ((one, 1), (other, 2)):
        folder.mkdir()
        (folder / "game.sgf").write_text("(;B[aa])")
        os.utime(folder / "game.sgf", (time, time))
    known = digest_of_files([one / "game.sgf"], one)
    assert digest_of_files([other / "game.sgf"], other) == known
    (other / "game.sgf").write_text("(;B[bb])")
    assert digest_of_files([other / "game.sgf"], other) != known


def test_nothing_in_a_file_is_executed(tmp_path: Path) -> None:
    hostile = np.array([print], dtype=object)
    np.savez(tmp_path / "games.npz", size=hostile)
    with pytest.raises(BrokenGameError, match="allow_pickle"):
        list(labelled_games(tmp_path / "games.npz"))


def test_an_sgf_file_gives_its_moves_and_its_result(tmp_path: Path) -> None:
    write_sgf_file(tmp_path / "a.sgf", MOVES, "B+3.5", RU="Chinese", PL="B")
    (game,) = sgf_game(tmp_path / "a.sgf")
    assert (game.size, game.komi, game.rules) == (5, 0.5, CHINESE)
    assert game.moves.tolist() == [12, 16, 25, 25]
    assert game.result == Result(1, 3.5)
    assert game.top_moves.shape == (4, 0)
    assert np.isnan(game.black_value).all()


@pytest.mark.parametrize(
    ("text", "winner", "lead"),
    [
        ("B+3.5", 1, 3.5),
        ("W+12", -1, -12),
        ("w+R", -1, np.nan),
        ("B+Resign", 1, np.nan),
        ("0", 0, 0),
        ("Draw", 0, 0),
        ("B+0", 0, 0),
    ],
)
def test_results(text: str, winner: int, lead: float) -> None:
    result = parse_result(text)
    assert result.winner == winner
    assert np.array_equal(result.black_lead, lead, equal_nan=True)


@pytest.mark.parametrize("text", ["", "?", "Void", "B+T", "W+F", "B+", "3.5", "B+1.2.3", "B+inf"])
def test_no_results(text: str) -> None:
    with pytest.raises(BrokenGameError, match="no result"):
        parse_result(text)


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ({"moves": ("cc", "cc")}, "illegal move"),
        ({"moves": ("cc", "", "", "bb")}, "moves after the end"),
        ({"moves": ()}, "no moves"),
        ({"result": "B+T"}, "no result"),
        ({"result": "B+99999"}, "no result"),
        ({"size": 30}, "odd size or komi"),
        ({"KM": ""}, "odd size or komi"),
        ({"HA": "2"}, "handicap"),
        ({"AB": "cc"}, "stones set up"),
        ({"PL": "W"}, "stones set up"),
    ],
)
def test_what_is_left_out_is_counted(file: dict[str, Any], reason: str, tmp_path: Path) -> None:
    write_sgf_file(tmp_path / "bad.sgf", **{"moves": MOVES, "result": "B+3.5", **file})
    write_sgf_file(tmp_path / "good.sgf", MOVES, "B+3.5")
    job = imported(tmp_path, tmp_path / "work", 0)
    assert dict(job.left_out.counts) == {reason: 1}
    assert "bad.sgf" in job.left_out.examples[reason]
    assert job.games["games"] == 1


def test_the_ending_of_a_file_may_be_in_capitals_and_its_other_games_are_counted(
    tmp_path: Path,
) -> None:
    write_sgf_file(tmp_path / "a.SGF", MOVES, "B+3.5")
    game = (tmp_path / "a.SGF").read_text()
    (tmp_path / "a.SGF").write_text(f"{game}\n{game} and then {game[:-5]}")
    write_labelled(tmp_path / "b.npz", GAMES)
    (tmp_path / "b.npz").rename(tmp_path / "b.NPZ")
    job = imported(tmp_path, tmp_path / "work", 0)
    assert dict(job.left_out.counts) == {"not the first game of its file": 2}
    assert job.games["games"] == 1 + len(GAMES)


def test_a_character_that_ends_in_the_byte_of_a_bracket_begins_no_other_game(
    tmp_path: Path,
) -> None:
    text = "(;CA[Shift_JIS]PB[ゾラ]SZ[5]KM[7]RE[B+R];B[cc](;W[bb])(;W[dd]))"
    (tmp_path / "a.sgf").write_bytes(text.encode("shift_jis"))
    (game,) = sgf_game(tmp_path / "a.sgf")
    assert game.moves.tolist() == [12, 16]


def changed(content: bytes, mark: bytes, offset: int, byte: int) -> bytes:
    """A zip file with one byte of its first record of a kind changed."""
    place = content.index(mark) + offset
    return content[:place] + bytes([byte]) + content[place + 1 :]


DAMAGES: Sequence[Callable[[bytes], bytes]] = (
    lambda content: content[: len(content) // 2],
    lambda content: changed(content, b"PK\x03\x04", 60, 0xFF),  # packed data
    lambda content: changed(content, b"PK\x01\x02", 10, 77),  # packed by means unheard of
    lambda content: changed(content, b"PK\x01\x02", 8, 1),  # encrypted
)


def test_colours_out_of_turn_and_garbage_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_text("(;SZ[5]KM[0]RE[B+1];B[aa];B[bb])")
    (tmp_path / "b.sgf").write_text("no game")
    (tmp_path / "c.npz").write_bytes(b"PK nothing")
    write_labelled(tmp_path / "d.npz", GAMES)
    job = imported(tmp_path, tmp_path / "work", 0)
    assert dict(job.left_out.counts) == {"colours out of turn": 1, "unreadable file": 2}
    assert job.games == {"games": 3, "positions": 36, "games_to_test_on": 0}


def test_one_damaged_file_does_not_end_an_import(tmp_path: Path) -> None:
    whole = tmp_path / "whole.npz"
    write_arrays(whole, labelled_arrays(GAMES))
    for number, damage in enumerate(DAMAGES):
        (tmp_path / f"{number}.npz").write_bytes(damage(whole.read_bytes()))
    np.save(tmp_path / "nameless.npy", np.arange(3))
    (tmp_path / "nameless.npy").rename(tmp_path / "nameless.npz")
    job = imported(tmp_path, tmp_path / "work", 0)
    assert dict(job.left_out.counts) == {"unreadable file": len(DAMAGES) + 1}
    assert job.games["games"] == 3


def imported(source: Path, work: Path, share: float) -> Import:
    train, test = (ShardWriter(work / name, 20) for name in ("train", "test"))
    return import_games(source, game_files(source, work), train, test, share)


def test_games_to_test_on_are_apart_wherever_they_come_from(tmp_path: Path) -> None:
    games = [random_game(5, 10, seed) for seed in range(30)]
    (tmp_path / "one").mkdir()
    (tmp_path / "other" / "below").mkdir(parents=True)
    write_labelled(tmp_path / "one" / "all.npz", games)
    for number in range(3):
        part = games[number::3]
        write_labelled(tmp_path / "other" / "below" / f"{number}.npz", part[::-1])
    kept = []
    for name in ("one", "other"):
        job = imported(tmp_path / name, tmp_path / "work" / name, 0.3)
        keys = [keys_of(tmp_path / "work" / name / part) for part in ("train", "test")]
        assert not keys[0] & keys[1]
        assert len(keys[0] | keys[1]) == 30 == job.games["games"]
        assert job.games["games_to_test_on"] == len(keys[1])
        kept.append(keys)
    assert kept[0] == kept[1]
    assert 2 < len(kept[0][1]) < 20


def keys_of(folder: Path) -> set[int]:
    shards = [GoGames.load(path) for path in shards_by_size(folder)[5]]
    return {
        game_key(5, games.moves[games.start[number] : games.start[number + 1]])
        for games in shards
        for number in range(len(games.komi))
    }


def test_shards_hold_all_positions(tmp_path: Path) -> None:
    write_labelled(tmp_path / "games.npz", GAMES)
    imported(tmp_path, tmp_path / "work", 0)
    assert count_positions(shards_by_size(tmp_path / "work" / "train")[5]) == [24, 12]
    assert shards_by_size(tmp_path / "work" / "test") == {}


def test_a_folder_without_games_is_told(tmp_path: Path) -> None:
    with pytest.raises(RecordsError, match=r"expected a folder of games, \.npz or \.sgf"):
        imported(tmp_path, tmp_path / "work", 0)
    write_sgf_file(tmp_path / "bad.sgf", MOVES, "?")
    with pytest.raises(RecordsError, match="no game that could be learned from"):
        imported(tmp_path, tmp_path / "work", 0)


def test_games_all_drawn_to_test_on_are_told(tmp_path: Path) -> None:
    write_labelled(tmp_path / "games.npz", GAMES)
    with pytest.raises(RecordsError, match=r"all 3 games were drawn to test on.*held_out=0"):
        imported(tmp_path, tmp_path / "work", 0.999)


def test_only_a_folder_of_results_below_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "games" / "work").mkdir(parents=True)
    write_labelled(tmp_path / "games" / "a.npz", GAMES)
    write_labelled(tmp_path / "games" / "work" / "b.npz", GAMES)
    (tmp_path / "games" / "nowhere.sgf").symlink_to(tmp_path / "gone.sgf")
    found = [path.name for path in game_files(tmp_path / "games", tmp_path / "games" / "work")]
    assert found == ["a.npz", "nowhere.sgf"]
    assert len(game_files(tmp_path / "games", tmp_path)) == 3
    job = imported(tmp_path / "games", tmp_path / "games" / "work", 0)
    assert dict(job.left_out.counts) == {"unreadable file": 1}


def test_results_below_are_left_out_however_the_folders_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "games" / "work"
    work.mkdir(parents=True)
    write_labelled(tmp_path / "games" / "a.npz", GAMES)
    write_labelled(work / "b.npz", GAMES)
    (tmp_path / "link").symlink_to(tmp_path / "games")
    monkeypatch.chdir(work)
    for folder, out in ((Path(".."), Path()), (tmp_path / "link", work)):
        assert [path.name for path in game_files(folder, out)] == ["a.npz"]
