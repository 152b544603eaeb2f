"""SGF: what a main line means, what is written, and what is refused."""

import random
from pathlib import Path
from typing import cast

import pytest

import gtpcore
from games.base import Player
from games.coords import vertex_to_point
from games.go import Go, GoOptions
from games.go_rules import CHINESE, PRESETS, parse_rules
from games.position import Position
from games.sgf import (
    MOST_BYTES,
    MOST_NODES,
    Record,
    SgfError,
    coarse_tree,
    fact_of,
    parse_sgf,
    read_sgf,
    write_sgf,
)

GO = Go()


def load(text: str, moves: int | None = None) -> Position:
    return parse_sgf(text.encode(), "test.sgf").position(GO, moves)


def stones(position: Position) -> tuple[set[str], set[str]]:
    state = cast(gtpcore.GoState, position.state)
    black, white = (
        {position.game.action_to_string(state, point) for point in state.stones(player)}
        for player in Player
    )
    return black, white


def action(vertex: str, size: int) -> int:
    column, row = vertex_to_point(vertex, size, size)
    return row * size + column


def test_a_plain_game() -> None:
    position = load("(;GM[1]FF[4]SZ[9]KM[5.5]RU[Japanese];B[ee];W[ac];B[];W[ia])")
    game = cast(Go, position.game)
    assert (game.spec.width, game.komi, game.rules) == (9, 5.5, PRESETS["japanese"])
    assert position.moves == (
        (Player.BLACK, action("E5", 9)),
        (Player.WHITE, action("A7", 9)),
        (Player.BLACK, 81),
        (Player.WHITE, action("J9", 9)),
    )
    assert position.to_move is Player.BLACK


def test_what_the_file_does_not_say_is_as_it_was() -> None:
    otherwise = Go(GoOptions(size=9, rules=PRESETS["aga"], komi=0.5))
    game = cast(Go, parse_sgf(b"(;B[dd])").position(otherwise).game)
    assert (game.spec.width, game.komi, game.rules) == (19, 0.5, PRESETS["aga"])
    game = cast(Go, parse_sgf(b"(;RU[Japanese];B[dd])").position(otherwise).game)
    assert (game.komi, game.rules) == (0.5, PRESETS["japanese"])
    game = cast(Go, parse_sgf(b"(;RU[Japanese];B[dd])").position(Go()).game)
    assert game.komi == 6.5
    record = parse_sgf(b"(;RU[GOE]KM[ ];B[dd])")
    assert (record.rules, record.komi) == (parse_rules("ing"), None)
    assert parse_sgf(b"(;RU[our own];B[dd])").rules is None


@pytest.mark.parametrize(
    ("text", "komi"),
    [
        *[("3.75", 7.5), ("2.75", 5.5), ("-3.75", -7.5), ("375", 7.5), ("650", 6.5)],
        *[("6.50", 6.5), (" 7 ", 7.0), ("0", 0.0), ("200", 200.0)],
    ],
)
def test_komi_is_in_points_however_the_file_counts(text: str, komi: float) -> None:
    assert parse_sgf(f"(;KM[{text}])".encode()).komi == komi
    assert parse_sgf(f"(;KM[{text.replace('.', ',')}])".encode()).komi == komi


def test_a_komi_between_halves_is_none() -> None:
    with pytest.raises(SgfError, match=r"KM\[6.75\]: expected a komi in halves"):
        parse_sgf(b"(;KM[6.75])")


def test_only_the_main_line_of_the_first_game_counts() -> None:
    text = "junk (;SZ[9];B[aa](;W[bb];B[cc])(;W[dd]))(;SZ[13])"
    assert stones(load(text)) == ({"A9", "C7"}, {"B8"})


@pytest.mark.parametrize(("moves", "to_move"), [(0, "W"), (1, "B"), (2, "B"), (3, "W"), (99, "W")])
def test_before_a_move(moves: int, to_move: str) -> None:
    position = load("(;SZ[9];W[aa];B[bb];B[cc])", moves)
    assert len(position.moves) == min(moves, 3)
    assert position.to_move.letter == to_move


@pytest.mark.parametrize(
    ("name", "charset"), [("趙能", "Shift_JIS"), ("許", "Big5"), ("ゾ", "Shift_JIS"), ("乚", "GBK")]
)
def test_letters_that_hold_brackets(name: str, charset: str) -> None:
    text = f"(;CA[{charset}]SZ[9]PW[{name}];B[ee];W[cc];B[gg])"
    assert len(parse_sgf(text.encode(charset)).events) == 3


@pytest.mark.parametrize(
    ("name", "charset", "written"),
    [
        ("陶喆乚", "GB2312", "gbk"),
        ("碁許", "Big5", "cp950"),
        ("髙尾能", "Shift_JIS", "cp932"),
        ("山﨑能", "x-sjis", "cp932"),
        ("똠방", "EUC-KR", "cp949"),
    ],
)
def test_charsets_as_windows_has_them(name: str, charset: str, written: str) -> None:
    text = f"(;CA [ {charset} ]SZ[9]PW[{name}];B[ee];W[cc])"
    tree = coarse_tree(text.encode(written), "test.sgf")
    assert fact_of(tree.sequence[0]["PW"][0]) == name
    assert len(tree.sequence) == 3


@pytest.mark.parametrize("coding", ["punycode", "IDNA", "undefined", "utf-7", "none"])
def test_what_is_no_charset_of_texts_is_not_heeded(coding: str) -> None:
    """The first two, in which Python reads a long file for hours, and some that say nonsense."""
    for name in (".xn--mnchen-3ya.", "髙+2AA-"):
        tree = coarse_tree(f"(;CA[{coding}]SZ[9]PW[{name}];B[ee])".encode(), "test.sgf")
        assert fact_of(tree.sequence[0]["PW"][0]) == name
        assert len(tree.sequence) == 2


def test_escapes_in_facts() -> None:
    assert parse_sgf(rb"(;RE[B+R \]\\ x])").result == "B+R ]\\ x"


def test_control_characters_in_facts_are_replaced() -> None:
    """As of ISO-2022-JP that the file does not name; spaces and letters of all kinds are none."""
    named = {"\x1b$B0f\x1b(B": "\ufffd$B0f\ufffd(B", "a\x9b\uffff": "a\ufffd\ufffd"}
    for name in ("井山\u3000裕太", "\xa0\ue000é", "~ 😀"):
        named[f"a{name}b"] = f"a{name}b"
    for name, fact in named.items():
        assert fact_of(name.encode()) == fact


def test_handicap() -> None:
    position = load("(;SZ[9]HA[2]AB[gc][cg])")
    assert stones(position) == ({"C3", "G7"}, set())
    assert position.to_move is Player.WHITE
    assert cast(gtpcore.GoState, position.state).handicap == 2
    assert position.moves == ()
    placed_as_moves = load("(;SZ[9]HA[2];B[gc];B[cg])").state
    assert cast(gtpcore.GoState, placed_as_moves).handicap == 2
    untold = load("(;SZ[9];B[gc];B[cg];W[ee])").state
    assert cast(gtpcore.GoState, untold).handicap == 2
    told_otherwise = load("(;SZ[9]HA[3];B[gc];B[cg];W[ee])").state
    assert cast(gtpcore.GoState, told_otherwise).handicap == 3


def test_whose_turn_it_is_changes_nothing_else() -> None:
    """Prisoners and ko stay what they were."""
    taken = "(;SZ[5]RU[Japanese]KM[0.5];B[ad];W[ae];B[be];W[dd]%s;B[cc])"
    plain, told = (load(taken % extra) for extra in ("", ";PL[B]"))
    assert told.moves == plain.moves
    assert told.state.black_score() == plain.state.black_score()  # type: ignore[attr-defined]
    ko = "(;SZ[5]AB[bc][cb][cd]AW[db][dd][ec];B[dc];W[cc]%s;B[dc])"
    for extra in ("", ";PL[B]"):
        with pytest.raises(SgfError, match="illegal: ko"):
            load(ko % extra)


def test_who_is_to_begin_is_written_where_it_is_not_as_usual() -> None:
    assert load(write_sgf(load("(;SZ[9]PL[W])"))).to_move is Player.WHITE
    assert load(write_sgf(load("(;SZ[9]AB[dd]PL[B])"))).to_move is Player.BLACK


def test_setup_before_and_between_moves() -> None:
    text = "(;SZ[9]AB[aa:bb]AW[ii]PL[B];B[ee];AE[aa][ee]AW[ab]AB[ha]PL[W];B[ef])"
    assert stones(load(text, 0)) == ({"A9", "A8", "B9", "B8"}, {"J1"})
    with pytest.raises(SgfError, match="cannot be set up: White A9: a stone on an occupied"):
        load("(;SZ[9]AB[aa]AW[aa])")
    text = text.replace("AW[ab]", "AE[ab]AW[dd]")
    position = load(text)
    assert stones(position) == ({"B9", "B8", "H9", "E4"}, {"J1", "D6"})
    assert len(position.moves) == 1
    assert stones(Position(position.game, position.start))[0] == {"B9", "B8", "H9"}
    assert stones(load("(;SZ[9]AB[aa][bb];AW[aa])")) == ({"B8"}, {"A9"})


@pytest.mark.parametrize(
    ("text", "to_move"),
    [
        ("(;AB[dd])", "W"),
        ("(;AB[dd]AW[ee])", "B"),
        ("(;AW[ee])", "B"),
        ("(;AW[ee]PL[W])", "W"),
        ("(;AB[dd]PL[B])", "B"),
        ("(;B[dd];AE[dd])", "W"),
        ("(;PL[W])", "W"),
        ("(;AE[dd])", "B"),
        ("(;AB[])", "B"),
    ],
)
def test_whose_turn_it_is_after_a_setup(text: str, to_move: str) -> None:
    assert load(text).to_move.letter == to_move


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no well-formed SGF: no SGF data found"),
        ("not an SGF file", "no well-formed SGF"),
        ("(;B[aa]", "no well-formed SGF: unexpected end of SGF data"),
        ("(;B)", "no well-formed SGF"),
        ("(;GM[2];B[aa])", "GM[2] is another game: expected GM[1], Go"),
        ("(;SZ[26])", "SZ[26]: expected a square board of size 2 to 25"),
        ("(;SZ[1])", "SZ[1]: expected a square board"),
        ("(;SZ[7:6])", "SZ[7:6]: expected a square board"),
        ("(;SZ[])", "SZ[]: expected a square board"),
        ("(;SZ[²])", "expected a square board"),
        ("(;SZ[99999999999999999999])", "expected a square board"),
        ("(;SZ[0000000199])", "expected a square board"),
        ("(;GM[100]GTPBOT[coin pile=4];B[1])", "a game of 'coin pile=4': expected one of Go"),
        ("(;KM[many])", "KM[many]: expected a komi in halves"),
        ("(;KM[3.7])", "KM[3.7]: expected a komi in halves"),
        ("(;KM[nan])", "KM[nan]: expected a komi in halves"),
        ("(;HA[x])", "HA[x]: expected a number of stones"),
        ("(;HA[²])", "HA[²]: expected a number of stones"),
        ("(;SZ[9]AB[cc];B[aa];W[zz])", "after move 1: W[zz] is wrong on a board of 9x9"),
        ("(;SZ[9];B[\x1b[3é])", "after move 0: B[\ufffd[3é] is wrong on a board of 9x9"),
        ("(;SZ[9];B[a])", "after move 0: B[a] is wrong on a board of 9x9"),
        ("(;SZ[9]AB[aa][kk])", "AB[aa] is wrong on a board of 9x9"),
        ("(;PL[Black])", "after move 0: PL[Black]: expected B or W"),
        ("(;B[aa]W[bb])", "after move 0: a node with two moves"),
        ("(;SZ[9];B[aa];W[aa])", "move 2, White A9 is illegal: occupied"),
        ("(;SZ[9];B[ba];B[ab];W[aa])", "move 3, White A9 is illegal: suicide"),
        ("(;SZ[2]AB[aa][ab][ba][bb])", "cannot be set up: Black B2: a stone that leaves"),
        ("(;SZ[2]" + ";B[]" * 41 + ")", "more than 40 moves"),
        ("(;SZ[2]" + ";PL[B]AB[aa]" * 41 + ")", "more than 40 moves and setups"),
        (" " * (MOST_BYTES + 1), "more than 8388608 bytes"),
        ("(" * (MOST_NODES + 1), "more than 1000000 nodes or variations"),
        (";" * (MOST_NODES + 1), "more than 1000000 nodes or variations"),
        ("(;SZ[2]AB" + "[aa:bb]" * 5 + ")", "AB with more points than there are on a board of 2x2"),
    ],
)
def test_errors(text: str, message: str) -> None:
    with pytest.raises(SgfError) as error:
        load(text)
    assert str(error.value).startswith("'test.sgf': ")
    assert message in str(error.value)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("key", ["GM", "GM[9]GTPBOT", "SZ", "KM", "HA", "PL", "B"])
def test_a_long_value_that_is_wrong_is_shown_in_part(key: str) -> None:
    with pytest.raises(SgfError) as error:
        load(f"(;{key}[{'9' * 5000}])")
    assert "9" * 20 in str(error.value)
    assert len(str(error.value)) < 200


def test_an_illegal_move_does_not_matter_before_it() -> None:
    assert len(load("(;SZ[9];B[aa];W[aa])", 1).moves) == 1


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "Grüße.SGF"
    path.write_bytes(b"(;SZ[9]PB[\xff\xfe]CA[nonsense];B[aa])")
    assert stones(read_sgf(path).position(GO)) == ({"A9"}, set())
    (tmp_path / "large.sgf").write_bytes(b"(;SZ[9])" + b" " * MOST_BYTES)
    for name, problem in (
        (tmp_path / "none.sgf", "no such file"),
        (tmp_path, "expected a file, found a folder"),
        (tmp_path / "large.sgf", "more than 8388608 bytes"),
        ("a\0b", ""),
        ("x" * 5000, ""),
    ):
        with pytest.raises(SgfError) as error:
            read_sgf(name)
        assert str(error.value).startswith(f"{str(name)!r}: {problem}")


def test_writing() -> None:
    position = load("(;SZ[9]KM[5.5]RU[AGA]HA[2]AB[gc][cg];W[ee];B[];W[aa])")
    text = write_sgf(position, "A]x", "two\n\nlines", "B+3.5")
    assert text.replace("\n", "") == (
        "(;FF[4]AB[cg][gc]CA[UTF-8]GM[1]HA[2]KM[5.5]PB[A\\]x]PL[W]PW[two lines]RE[B+3.5]"
        "RU[aga]SZ[9];W[ee];B[tt];W[aa])"
    )
    assert "\n\n" not in text
    assert "PB[?]" in write_sgf(position, "\udcff")  # of a command line that is no text


def test_rules_with_a_name_of_our_own_are_written_out_for_others() -> None:
    text = write_sgf(Position(Go(GoOptions(size=5, rules=PRESETS["cgos"]))))
    assert '"suicide":false' in text
    again = load(text)
    assert isinstance(again.game, Go)
    assert again.game.rules == PRESETS["cgos"]


def test_rules_without_a_name_come_back() -> None:
    game = Go(GoOptions(size=5, rules=CHINESE.model_copy(update={"suicide": True})))
    position = Position(game)
    for player, vertex in zip("WWWBB", ("A2", "B2", "C1", "A1", "B1"), strict=True):
        mover = Player("BW".index(player))
        position.play(mover, game.string_to_action(position.after(mover), vertex))
    again = load(write_sgf(position))
    assert isinstance(again.game, Go)
    assert again.game.rules == game.rules
    assert again.moves == position.moves


def random_game(rng: random.Random, size: int) -> Position:
    """Random moves, some of them out of turn or passes, and perhaps stones set up before."""
    game = Go(GoOptions(size=size, komi=rng.choice([0, -3.5, 7]), rules=PRESETS["new-zealand"]))
    start = game.new_state()
    for point in rng.sample(range(size * size), rng.choice([0, 0, size])):
        start.place(rng.randrange(2), point)
    position = Position(game, start)
    for _ in range(rng.randrange(3 * size * size)):
        player = position.to_move if rng.random() < 0.9 else position.to_move.opponent
        state = cast(gtpcore.GoState, position.after(player))
        position.play(player, rng.choice(state.legal_actions()))
    return position


@pytest.mark.parametrize("size", [2, 3, 9, 19, 20, 25])
def test_round_trip(size: int) -> None:
    rng = random.Random(size)
    for _ in range(5):
        position = random_game(rng, size)
        again = parse_sgf(write_sgf(position).encode()).position(GO)
        assert again.moves == position.moves
        assert again.state.hash == position.state.hash
        assert stones(again) == stones(position)
        assert cast(Go, again.game).komi == cast(Go, position.game).komi
        assert cast(Go, again.game).rules == PRESETS["new-zealand"]


def test_mutated_files_are_read_or_refused() -> None:
    rng = random.Random(1)
    whole = write_sgf(random_game(rng, 9)).encode()
    refused = 0
    for _ in range(500):
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 5)):
            at = rng.randrange(len(data))
            data[at : at + rng.randrange(3)] = bytes(rng.choices(b"();[]:\\azBWASE9\x00\xff", k=2))
        try:
            assert isinstance(parse_sgf(bytes(data)), Record)
            parse_sgf(bytes(data)).position(GO)
        except SgfError:
            refused += 1
    assert 100 < refused < 500


@pytest.mark.parametrize("pattern", [b"(;B[aa]", b"(;(", b";B[]", b"(", b"(;AB" + b"[aa:ss]" * 9])
def test_hostile_files_are_refused_in_time(pattern: bytes) -> None:
    data = b"(;SZ[19]" + pattern * ((1 << 16) // len(pattern))
    for end in (b"", b")", b")" * (len(data) // len(pattern))):
        with pytest.raises(SgfError):
            parse_sgf(data + end).position(GO)


def test_a_file_with_much_beside_the_game_is_read() -> None:
    remarks = "x" * 20_000
    text = "(;SZ[9]" + "".join(f";B[aa]C[{remarks}];W[bb]C[{remarks}];AE[aa][bb]" * 50) + ")"
    assert len(text) > 1 << 20
    assert len(parse_sgf(text.encode()).events) == 150


def test_a_setup_amid_a_game_keeps_the_prisoners() -> None:
    """The same stones lie there in the end; Black has captured one."""
    played = "(;SZ[5]KM[0]RU[Japanese];B[cc];W[bc];B[bb];W[aa];B[ac];W[ea];B[bd]"
    before, added, removed = (load(f"{played}{more})") for more in ("", ";AB[ee]", ";W[ee];AE[ee]"))
    states = [cast(gtpcore.GoState, each.state) for each in (before, added, removed)]
    assert [state.captures(0) for state in states] == [1, 1, 1]
    assert states[2].black_score() == states[0].black_score()
