"""Openings from files and at random."""

from pathlib import Path

import pytest

from games.base import Game
from games.position import played
from gtpbot.matches.openings import Openings, read_openings
from gtpbot.options import OptionsError, make_game

GO = make_game("go", {"size": "9"})


SUICIDE = "RU[New Zealand];B[ba];W[aa];B[bb];W[ee];B[ac];W[ab]"


def read(tmp_path: Path, text: str, game: Game = GO) -> list[list[str]]:
    """The openings of a file with this text, as vertices."""
    file = tmp_path / "openings.txt"
    file.write_text(text)
    return [vertices(game, opening) for opening in read_openings(file, game)]


def vertices(game: Game, opening: tuple[int, ...]) -> list[str]:
    written, state = [], game.new_state()
    for action in opening:
        written.append(game.action_to_string(state, action))
        state.apply_action(action)
    return written


def test_lines_of_vertices(tmp_path: Path) -> None:
    text = "# two openings\nE5 c3 # the usual one\n\nG7 pass\n"
    assert read(tmp_path, text) == [["E5", "C3"], ["G7", "pass"]]
    assert read(tmp_path, "\ufeffE5\n") == [["E5"]]  # as Windows saves a text


def test_lines_of_digits_as_positions_of_connect_four_have_them(tmp_path: Path) -> None:
    assert read(tmp_path, "4453 -2\n1 8\n", make_game("connect4", {})) == [
        ["D1", "D2", "E1", "C1"],
        ["A1"],
    ]


def test_columns_with_spaces_between_are_no_position(tmp_path: Path) -> None:
    for text in ("4 4 5 3", "44 53", "4 8 5"):
        with pytest.raises(OptionsError, match=f"'{text}': expected columns in one word"):
            read(tmp_path, f"{text}\n", make_game("connect4", {}))


def test_a_folder_of_sgf_files(tmp_path: Path) -> None:
    (tmp_path / "b.sgf").write_text("(;SZ[9];B[ee];W[cc])")
    (tmp_path / "a.SGF").write_text("(;SZ[9];B[gg])")
    assert [vertices(GO, opening) for opening in read_openings(tmp_path, GO)] == [
        ["G3"],
        ["E5", "C7"],
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("E5\nE5 E5\n", r"openings\.txt, line 2: 'E5': "),
        ("E5 K9\n", r"line 1: 'K9': "),
        ("pass pass\n", "line 1: the game is over after these moves"),
        ("# none\n", "no openings"),
    ],
)
def test_what_is_no_opening_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(OptionsError, match=message):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;SZ[19];B[ee])", "expected the board of the match"),
        ("(;SZ[9]AB[aa];B[ee])", "expected the board of the match"),
        ("(;SZ[9];B[ee];B[cc])", "expected Black and White in turns"),
        ("(;SZ[9];B[];W[])", r"a\.sgf: the game is over after these moves"),
        (f"(;SZ[9]{SUICIDE})", r"a\.sgf: by the rules of the match: .*illegal"),
        ("nothing", "no well-formed SGF"),
    ],
)
def test_sgf_files_of_other_games_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.sgf").write_text(text)
    with pytest.raises(OptionsError, match=message):
        read_openings(tmp_path, GO)


def test_a_file_that_is_not_there_and_sgf_of_other_games(tmp_path: Path) -> None:
    with pytest.raises(OptionsError, match="cannot read the openings"):
        read_openings(tmp_path / "none.txt", GO)
    (tmp_path / "latin.txt").write_bytes(b"# na\xefve\n")
    with pytest.raises(OptionsError, match="cannot read the openings"):
        read_openings(tmp_path / "latin.txt", GO)
    with pytest.raises(OptionsError, match="SGF files are openings of Go alone"):
        read_openings(tmp_path, make_game("coin", {}))


def test_random_moves_are_the_pairs_own_and_always_the_same() -> None:
    openings = Openings(GO, random_moves=4, seed=3)
    several = [openings.number(pair) for pair in range(30)]
    assert several == [openings.number(pair) for pair in range(30)]
    assert len(set(several)) == 30
    assert {len(opening) for opening in several} == {4}
    assert 81 not in {action for opening in several for action in opening}
    assert several[0] != Openings(GO, random_moves=4, seed=4).number(0)


def test_listed_openings_come_in_turns_and_random_moves_follow_them() -> None:
    listed = ((40,), (41,))
    assert [Openings(GO, listed).number(pair) for pair in range(3)] == [(40,), (41,), (40,)]
    openings = Openings(GO, listed, random_moves=1)
    assert [openings.number(pair)[0] for pair in range(4)] == [40, 41, 40, 41]
    assert {len(openings.number(pair)) for pair in range(4)} == {2}
    assert openings.number(0) != openings.number(2)


def test_random_moves_do_not_end_the_game() -> None:
    game = make_game("tictactoe", {})
    openings = Openings(game, random_moves=8)
    for pair in range(20):
        assert not played(game, openings.number(pair)).state.is_terminal
    with pytest.raises(OptionsError, match="9 random moves: the game is over before"):
        Openings(game, random_moves=9).number(0)


def test_an_opening_of_coins_is_read_to_its_end(tmp_path: Path) -> None:
    assert len(read(tmp_path, "2 1 2\n", make_game("coin", {}))[0]) == 3


def test_an_opening_that_goes_on_after_the_end_is_named(tmp_path: Path) -> None:
    with pytest.raises(OptionsError, match=r"line 1: 'C2': .*the game is over"):
        read(tmp_path, "A1 A2 B1 B2 C1 C2\n", make_game("tictactoe", {}))
