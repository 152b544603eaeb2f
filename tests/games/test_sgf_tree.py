"""SGF trees: games of every kind, files in every charset, and what is kept of them."""

import random
from typing import cast

import pytest

import gtpcore
from games.base import Game, Player
from games.coin import Coin, CoinOptions
from games.connect4 import ConnectFour, ConnectFourOptions
from games.go import Go, GoOptions
from games.position import Move, Position
from games.registry import GAMES
from games.sgf import SgfError, write_sgf
from games.sgf_tree import GameTree, begin_tree, parse_tree

VARIANTS: list[Game] = [
    Go(GoOptions(size=5)),
    ConnectFour(ConnectFourOptions(columns=4, rows=15, length=3)),
    Coin(CoinOptions(pile=650, max_take=9)),
]
WON = ";B[A1];W[B1];B[A2];W[B2];B[A3]"
LONG = "9" * 300
every_game = pytest.mark.parametrize(
    "game", [*(game() for game in GAMES.values()), *VARIANTS], ids=lambda game: game.spec.name
)


def tree_of(text: str | bytes) -> GameTree:
    data = text.encode() if isinstance(text, str) else text
    return parse_tree(data, "test.sgf", Go())


def played(game: Game, seed: int = 1) -> Position:
    rng, position = random.Random(seed), Position(game)
    while not position.state.is_terminal and len(position.moves) < 40:
        position.play(position.to_move, rng.choice(position.state.legal_actions()))
    return position


@every_game
def test_what_is_written_is_read_back(game: Game) -> None:
    position = played(game)
    tree = tree_of(write_sgf(position, "me", "you", "B+1"))
    assert tree.game.spec == game.spec
    assert isinstance(game, Go) or tree.game.options == game.options
    again = tree.final_position()
    assert (again.moves, again.state.hash) == (position.moves, position.state.hash)
    assert [tree.fact(key) for key in ("PB", "PW", "RE", "GN")] == ["me", "you", "B+1", ""]


@every_game
def test_the_line_has_a_step_a_node(game: Game) -> None:
    position = played(game)
    tree = tree_of(write_sgf(position))
    steps = list(tree.line())
    assert [step.move for step in steps] == [None, *position.moves]
    assert [step.position.state.hash for step in steps] == [s.hash for s in position.states]
    assert tree.final_position(2).moves == position.moves[:2]


def test_the_form_of_other_games() -> None:
    position = Position(ConnectFour())
    for player, column in ((Player.BLACK, 3), (Player.WHITE, 3)):
        position.play(player, column)
    assert write_sgf(position).replace("\n", "") == (
        "(;FF[4]CA[UTF-8]GM[100]GTPBOT[connect4 columns=7 rows=6 length=4];B[D1];W[D2])"
    )


@every_game
def test_variations(game: Game) -> None:
    start = Position(game)
    tree = begin_tree(start, {"PB": "me"})
    one, other = (Move(Player.BLACK, action) for action in start.state.legal_actions()[:2])
    first = tree.play(tree.root, start.state, one)
    assert tree.play(tree.root, start.state, other) is not first
    assert tree.play(tree.root, start.state, one) is first
    assert len(tree.root) == 2
    again = tree_of(tree.text())
    assert (len(again.root), again.final_position().moves) == (2, (one,))


def test_a_pass_is_the_same_however_it_is_written() -> None:
    for size, passes in ((9, ("", "tt")), (19, ("", "tt")), (20, ("",))):
        for written in passes:
            tree = tree_of(f"(;SZ[{size}](;C[none])(;W[{written}])(;B[{written}]))")
            start = tree.final_position(0)
            child = tree.play(tree.root, start.state, Move(Player.BLACK, size * size))
            assert child is tree.root[2]
            assert tree.play(tree.root, start.state, Move(Player.BLACK, 0)) is tree.root[3]


@pytest.mark.parametrize(
    ("game", "spelt"), [("connect4", "4"), ("connect4", "d1"), ("tictactoe", "b2"), ("coin", "2")]
)
def test_a_move_of_other_games_is_the_same_however_it_is_written(game: str, spelt: str) -> None:
    tree = tree_of(f"(;GM[100]SZ[7:6]GTPBOT[{game}](;B[Z9])(;B[pass])(;B[{spelt}]))")
    state = tree.game.new_state()
    move = Move(Player.BLACK, tree.game.string_to_action(state, spelt))
    assert tree.play(tree.root, state, move) is tree.root[2]


def test_facts_are_without_escapes() -> None:
    tree = tree_of(r"(;PB[a\]b\\c];B[ee])")
    assert tree.fact("PB") == r"a]b\c"
    tree.set_facts({"PW": tree.fact("PB")})
    assert r"PW[a\]b\\c]" in tree.text()


def test_all_that_a_file_has_is_kept() -> None:
    text = "(;GM[1]SZ[9:9]XX[a:b][c\\]d]GC[two\nlines];B[ee](;W[cc]LB[aa:1];B[])(;W[gg]C[x]))"
    tree = tree_of(text)
    kept = ("XX[a:b][c\\]d]", "GC[two\nlines]", "LB[aa:1]", "C[x]", "GM[1]", "SZ[9]", "CA[UTF-8]")
    assert [piece for piece in kept if piece not in tree.text()] == []
    assert len(tree.final_position().moves) == 3


@pytest.mark.parametrize(
    ("name", "charset"),
    [("本因坊", "utf-8"), ("本因坊", "shift-jis"), ("申真諝", "gbk"), ("Müller", "latin-1")],
)
def test_charsets(name: str, charset: str) -> None:
    for mark in ("", f"CA[{charset}]"):
        if mark or charset in ("utf-8", "latin-1"):
            tree = tree_of(f"(;{mark}SZ[9]PB[{name}];B[ee])".encode(charset))
            assert tree.fact("PB") == name
            assert f"PB[{name}]" in tree.text() and "CA[UTF-8]" in tree.text()


def test_a_setup_between_the_moves() -> None:
    steps = list(tree_of("(;SZ[9]HA[2]AB[gc][cg];W[ee];AE[ee]PL[B];B[aa])").line())
    assert [step.move is not None for step in steps] == [False, True, False, True]
    assert [step.position.to_move.letter for step in steps] == ["W", "B", "B", "W"]
    assert len(cast(gtpcore.GoState, steps[-1].position.state).stones(Player.WHITE)) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no well-formed SGF"),
        ("(;GM[2])", "GM[2] is another game"),
        ("(;GM[100])", "GTPBOT[]: expected one of connect4, tictactoe, coin"),
        ("(;GM[100]GTPBOT[go size=9];B[D4])", "GTPBOT[go size=9]: expected one of connect4,"),
        ("(;GM[100]GTPBOT[chess])", "GTPBOT[chess]: expected one of"),
        ("(;GM[100]GTPBOT[coin pile])", "GTPBOT[coin pile]: expected OPTION=VALUE"),
        ("(;GM[100]GTPBOT[coin pile=x])", "GTPBOT[coin pile=x]: Input should be a valid integer"),
        ("(;GM[100]GTPBOT[connect4 rows=99])", "GTPBOT[connect4 rows=99]: Connect Four with 7"),
        ("(;GM[100]GTPBOT[coin];B[3])", "move 1, Black '3', is illegal: invalid move '3'"),
        (f"(;GM[100]GTPBOT[coin];B[{'1'.zfill(20)}7])", "move 1, Black '00000000000000000001...'"),
        ("(;GM[100]GTPBOT[coin];W[1])", "move 1, White '1', is illegal: it is not White's turn"),
        ("(;GM[100]GTPBOT[tictactoe];B[A1];AW[B2])", "after move 1: AW is understood in Go alone"),
        ("(;GM[100]GTPBOT[tictactoe];B[A1]W[B2])", "after move 0: a node with two moves"),
        ("(;GM[100]GTPBOT[tictactoe];B[A1];PL[W])", "after move 1: PL is understood in Go alone"),
        ("(;GM[100]GTPBOT[tictactoe];B[A1];W[A1])", "move 2, White 'A1', is illegal"),
        (f"(;GM[100]GTPBOT[tictactoe]{WON};W[C3])", "move 6, White 'C3', is illegal: the game is"),
        (f"(;GM[100]GTPBOT[coin];B[{LONG}])", "move 1, Black '9"),
        (f"(;GM[100]GTPBOT[{LONG}])", "GTPBOT[9"),
        (f"(;GM[100]GTPBOT[coin {LONG}])", "GTPBOT[coin 9"),
        (f"(;GM[100]GTPBOT[coin pile={LONG}])", "GTPBOT[coin pile=9"),
        ("(;SZ[9];B[aa];W[aa])", "move 2, White A9 is illegal: occupied"),
        (" " * (9 << 20), "more than 8388608 bytes"),
    ],
)
def test_errors(text: str, message: str) -> None:
    with pytest.raises(SgfError) as error:
        tree_of(text).final_position()
    assert str(error.value).startswith("'test.sgf': ")
    assert message in str(error.value)
    assert len(str(error.value)) < 200


def test_an_illegal_move_does_not_matter_before_it() -> None:
    tree = tree_of("(;GM[100]GTPBOT[tictactoe];B[A1];W[A1])")
    assert len(tree.final_position(1).moves) == 1
    assert not tree_of("(;GM[100]GTPBOT[tictactoe]B[A1];W[B1])").final_position(0).moves


def test_mutated_files_are_read_or_refused() -> None:
    rng, refused = random.Random(1), 0
    files = [write_sgf(played(game)).encode() for game in (ConnectFour(), Go(GoOptions(size=5)))]
    for _ in range(300):
        data = bytearray(rng.choice(files))
        for _ in range(rng.randrange(1, 5)):
            at = rng.randrange(len(data))
            data[at : at + rng.randrange(3)] = bytes(
                rng.choices(b"();[]:\\ =azBWASE9\x00\xff", k=2)
            )
        try:
            list(tree_of(bytes(data)).line())
        except SgfError:
            refused += 1
    assert 50 < refused < 300
