"""Games of Go read from SGF files, games of every kind written.

`read_sgf` understands a file, `Record.position` plays it, `write_sgf` writes a Position. sgfmill
does the grammar; it is imported only when it is needed. Its points are (row, column) from the lower
left.

The standard has no number for the games other than Go. Their files say `GM[100]`, which is no
game's, and name the game and its options in a property of their own:
`GTPBOT[connect4 columns=7 rows=6 length=4]`. Their moves are vertices, as in `B[D1]`.
"""

import re
from codecs import lookup
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

import gtpcore
from games.base import Game, Player, State
from games.errors import IllegalMoveError
from games.go import Go, GoOptions
from games.go_rules import Rules, RulesError, komi_in_points, parse_rules, preset_name
from games.handicap import take_for_handicap
from games.position import Move, Position

if TYPE_CHECKING:
    from sgfmill.sgf import Node, Sgf_game
    from sgfmill.sgf_grammar import Coarse_game_tree

GAME_PROPERTY = "GTPBOT"
OTHER_GAME = "100"
"""The `GM` of the games that have no number of their own."""
MOST_BYTES = 8 << 20
"""Larger files are refused: a review with many long lines has a megabyte or two."""
MOST_NODES = 1_000_000
"""Files with more nodes, or variations, are refused: so many take seconds, and a gigabyte."""
LONGEST_GAME = 10
"""Moves and setups a point of the board; longer main lines are refused."""
WIDER_CHARSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "cp950",
    "shiftjis": "cp932",
    "sjis": "cp932",
    "xsjis": "cp932",
    "euckr": "cp949",
}
"""What programs on Windows write under these names, with more characters in it."""
NO_CHARSETS = frozenset(["idna", "punycode"])
"""Codings of names of computers that Python knows: a file of megabytes in one takes it hours."""


class SgfError(ValueError):
    """The file cannot be read as a game; the message names the file and the problem."""


class SgfSizeError(SgfError):
    """The board has a size that this program does not play on."""


@dataclass(frozen=True)
class Setup:
    """Points changed at once, between the moves."""

    black: frozenset[int]
    white: frozenset[int]
    empty: frozenset[int]
    to_move: Player | None
    """None if the file does not say."""


@dataclass(frozen=True)
class Record:
    """The main line of an SGF file."""

    source: str
    """The file, for messages."""
    size: int
    komi: float | None
    """None if the file does not say."""
    rules: Rules | None
    """None if the file does not say, or says what is no preset."""
    handicap: int
    events: Sequence[Move | Setup]
    result: str = ""
    """As the file has it, such as `B+3.5`; empty if it does not say."""

    def position(self, otherwise: Go, moves: int | None = None) -> Position:
        """The game played as far as its first `moves` moves, by default to the end.

        Rules that the file does not give are those of `otherwise`, and so is a komi; but rules that
        it gives bring their usual one, unless `otherwise` was given one by itself. The moves of the
        position begin after the last setup. To move is who moves next in the file; at its end, who
        did not move last, or White against a handicap. Raises SgfError if a move is illegal.
        """
        position, number = self.start(otherwise), 0
        for event in self.events:
            if isinstance(event, Move):
                if number == moves:
                    return position.facing(event.player)
                number += 1
            position = after(position, event, number, self.source)
        return position

    def start(self, otherwise: Go) -> Position:
        """The position before all events, in the game that `position` says."""
        options = GoOptions(
            size=self.size,
            rules=self.rules or otherwise.rules,
            komi=otherwise.given_komi if self.komi is None else self.komi,
        )
        game = Go(options)
        start = game.new_state()
        start.handicap = self.handicap
        return Position(game, start)


def after(position: Position, event: Move | Setup, number: int, source: str) -> Position:
    """`position` itself after a move, the one of this number; a new one after a setup.

    `source` is for messages. Raises SgfError.
    """
    if isinstance(event, Setup):
        return _set_up(position, event, source)
    _play(position, number, event, source)
    return position


def _play(position: Position, number: int, move: Move, source: str) -> None:
    try:
        position.play(*move)
    except IllegalMoveError as error:
        fail(source, f"move {number}, {move.player} {error}")
    take_for_handicap(position)


def _set_up(position: Position, setup: Setup, source: str) -> Position:
    """A new start; history begins here, unless it is only said whose turn it is."""
    changed = setup.black | setup.white | setup.empty
    if not changed and setup.to_move is not None:
        return position.facing(setup.to_move)
    game, before = cast(Go, position.game), cast(gtpcore.GoState, position.state)
    state = game.new_state()
    state.handicap = before.handicap
    for player, added in zip(Player, (setup.black, setup.white), strict=True):
        state.add_captures(player, before.captures(player))
        stones = added | (set(before.stones(player)) - changed)
        try:
            game.place(state, ((player, point) for point in sorted(stones)))
        except IllegalMoveError as error:
            fail(source, f"cannot be set up: {error}")
    state.resume(_turn(setup, before, state))
    return Position(game, state)


def _turn(setup: Setup, before: gtpcore.GoState, after: gtpcore.GoState) -> int:
    if setup.to_move is not None:
        return setup.to_move
    is_handicap = bool(setup.black) and not after.stones(Player.WHITE)
    return Player.WHITE if is_handicap else before.current_player


def read_sgf(path: str | Path) -> Record:
    """The first game of an SGF file. Raises SgfError."""
    return parse_sgf(read_bytes(path), str(path))


def read_bytes(path: str | Path) -> bytes:
    """What is in an SGF file; no more than a byte too much. Raises SgfError."""
    source = str(path)
    try:
        if Path(path).is_dir():
            fail(source, "expected a file, found a folder")
        if not Path(path).is_file():
            fail(source, "no such file")
        with Path(path).open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, SgfError):
            raise
        fail(source, f"cannot be read: {error}")


def parse_sgf(data: bytes, source: str = "SGF") -> Record:
    """The first game in the bytes of an SGF file; `source` is for messages. Raises SgfError."""
    return record_of(coarse_tree(data, source), source)


def coarse_tree(data: bytes, source: str) -> "Coarse_game_tree":
    """The nodes of the first game in a file of any kind, with all values in UTF-8.

    Decoded before the grammar is looked for: in Shift JIS, Big5 and GBK the second byte of a
    character may be a bracket or a backslash. Raises SgfError.
    """
    from sgfmill.sgf_grammar import parse_sgf_game

    if len(data) > MOST_BYTES:
        fail(source, f"more than {MOST_BYTES} bytes")
    if max(data.count(b";"), data.count(b"(")) > MOST_NODES:
        fail(source, f"more than {MOST_NODES} nodes or variations")
    try:
        return parse_sgf_game(in_utf8(data))
    except ValueError as error:
        fail(source, f"no well-formed SGF: {error}")


def record_of(tree: "Coarse_game_tree", source: str) -> Record:
    """The main line of a game of Go, whose size `tree` names in full from now on.

    Raises SgfError.
    """
    from sgfmill.sgf import Sgf_game

    root = {key: fact_of(values[0]) for key, values in tree.sequence[0].items()}
    size = _size(root, source)
    tree.sequence[0]["SZ"] = [str(size).encode()]
    nodes = Sgf_game.from_coarse_game_tree(tree, "UTF-8").main_sequence_iter()
    return Record(
        source=source,
        size=size,
        komi=_komi(root, source),
        rules=_rules(root),
        handicap=_handicap(root, source),
        events=tuple(_events(nodes, size, source)),
        result=root.get("RE", ""),
    )


def fact_of(value: bytes) -> str:
    """A property of one line of text, without its escapes.

    Control characters, as of a charset that the file does not name, are replaced: terminals obey
    them, and no SVG may have any.
    """
    from sgfmill.sgf_grammar import simpletext_value

    text = cast(bytes, simpletext_value(value)).decode("utf-8", "replace").strip()
    return re.sub("[^ -~\xa0-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)


def in_utf8(data: bytes) -> bytes:
    """A file that is in the charset that it names or a wider one, else in UTF-8 or Latin-1."""
    named = re.search(rb"CA\s*\[([\w.: -]{1,40})\]", data)
    name = named[1].decode() if named else "utf-8"
    wider = WIDER_CHARSETS.get(re.sub("[-_ ]", "", name.lower()), name)
    for charset in (name, wider, "utf-8"):
        try:
            if lookup(charset).name not in NO_CHARSETS:
                return data.decode(charset).encode()
        except (UnicodeError, LookupError):
            continue
    return data.decode("latin-1").encode()


def write_sgf(
    position: Position,
    black_name: str = "",
    white_name: str = "",
    result: str = "",
    remark: str = "",
) -> str:
    """A game of any kind as SGF text, without empty lines; `result` as SGF has it: `B+3.5`.

    The `remark` is about the game as a whole.
    """
    facts = {"PB": black_name, "PW": white_name, "RE": result, "GC": remark}
    tree = new_tree(position, facts)
    node = tree.get_root()
    for state, move in zip(position.states, position.moves, strict=False):
        node = node.new_child()
        node.set_raw(move.player.letter, raw_move(position.game, state, move.action))
    return serialised(tree)


def new_tree(position: Position, facts: Mapping[str, str]) -> "Sgf_game":
    """The start of `position` as a tree of one node, with `facts` as its properties."""
    tree = _go_tree(position) if isinstance(position.game, Go) else _other_tree(position.game)
    set_facts(tree.get_root(), facts)
    return tree


def set_facts(node: "Node", facts: Mapping[str, str]) -> None:
    """Give a node these properties of one line of text each; an empty text takes one away."""
    from sgfmill.sgf_grammar import escape_text

    for key, text in facts.items():
        if text:
            node.set_raw(key, escape_text(" ".join(text.split()).encode("utf-8", "replace")))
        elif node.has_property(key):
            node.unset(key)


def raw_move(game: Game, state: State, action: int) -> bytes:
    """A move in `state` as the value of a property `B` or `W`."""
    from sgfmill.sgf_properties import serialise_go_point

    if not isinstance(game, Go):
        return game.action_to_string(state, action).encode()
    size = game.spec.width
    point = None if action == size * size else divmod(action, size)
    return cast(bytes, serialise_go_point(point, size))


def rules_facts(position: Position) -> dict[str, str]:
    """The rules of Go, by name or else as KataGo writes them, komi and handicap; else nothing.

    `cgos` is a name of ours alone: other programs would read the game under rules of their own.
    """
    game, state = position.game, position.state
    if not isinstance(game, Go) or not isinstance(state, gtpcore.GoState):
        return {}
    name = preset_name(game.rules)
    rules = name if name and name != "cgos" else game.rules.to_kata_json()
    return {"RU": rules, "KM": f"{game.komi:g}", "HA": str(state.handicap or "")}


def serialised(tree: "Sgf_game") -> str:
    """A tree as SGF text."""
    return cast(str, tree.serialise().decode("utf-8")).strip()


def _go_tree(position: Position) -> "Sgf_game":
    from sgfmill.sgf import Sgf_game

    start = cast(gtpcore.GoState, position.start)
    size = start.size
    tree = Sgf_game(size, encoding="UTF-8")
    root = tree.get_root()
    set_facts(root, rules_facts(position))
    stones = [[divmod(point, size) for point in start.stones(player)] for player in Player]
    if any(stones):
        root.set_setup_stones(*stones)
    if any(stones) or start.current_player != Player.BLACK:
        root.set("PL", Player(start.current_player).letter.lower())
    return tree


def _other_tree(game: Game) -> "Sgf_game":
    from sgfmill.sgf import Sgf_game

    tree = Sgf_game(19, encoding="UTF-8")
    root = tree.get_root()
    root.unset("SZ")
    settings = [f"{key}={value}" for key, value in game.options]
    set_facts(root, {"GM": OTHER_GAME, GAME_PROPERTY: " ".join([game.spec.name, *settings])})
    return tree


def fail(source: str, problem: str) -> NoReturn:
    """Raise SgfError for a file."""
    raise SgfError(f"{source!r}: {problem}")


def _size(root: Mapping[str, str], source: str) -> int:
    if root.get("GM", "1") != "1":
        if GAME_PROPERTY in root:
            fail(source, f"a game of {root[GAME_PROPERTY][:80]!r}: expected one of Go")
        fail(source, f"GM[{root['GM'][:20]}] is another game: expected GM[1], Go")
    width, _, height = root.get("SZ", "19").partition(":")
    is_number = width.isascii() and width.isdigit() and len(width) <= 9
    if not (is_number and height in ("", width) and 2 <= int(width) <= 25):
        raise SgfSizeError(
            f"{source!r}: SZ[{root['SZ'][:20]}]: expected a square board of size 2 to 25"
        )
    return int(width)


def _komi(root: Mapping[str, str], source: str) -> float | None:
    """In points, also where the file has it in stones of the Chinese count or in hundredths."""
    text = root.get("KM", "")
    if not text:
        return None
    try:
        return Rules(komi=komi_in_points(float(text.replace(",", ".")))).komi
    except ValueError:
        fail(source, f"KM[{text[:20]}]: expected a komi in halves")


def _rules(root: Mapping[str, str]) -> Rules | None:
    try:
        return parse_rules(root.get("RU", ""))
    except RulesError:
        return None


def _handicap(root: Mapping[str, str], source: str) -> int:
    text = root.get("HA", "") or "0"
    if not (text.isascii() and text.isdigit() and len(text) <= 3):
        fail(source, f"HA[{text[:20]}]: expected a number of stones")
    return int(text)


def _events(nodes: "Iterator[Node]", size: int, source: str) -> Iterator[Move | Setup]:
    """What the nodes of the main line do to the board."""
    moves = setups = 0
    for node in nodes:
        try:
            for event in events_at(node, size):
                moves += isinstance(event, Move)
                setups += isinstance(event, Setup)
                yield event
        except ValueError as error:
            fail(source, f"after move {moves}: {error}")
        if moves + setups > LONGEST_GAME * size * size:  # each setup may be of a whole board
            fail(source, f"more than {LONGEST_GAME * size * size} moves and setups")


def events_at(node: "Node", size: int) -> Iterator[Move | Setup]:
    """What one node of a game of Go does to the board. Raises ValueError."""
    if node.has_setup_stones() or node.has_property("PL"):
        yield _setup(node, size)
    if move := _move(node, size):
        yield move


def _move(node: "Node", size: int) -> Move | None:
    if node.has_property("B") and node.has_property("W"):
        raise ValueError("a node with two moves")
    for player in Player:
        if node.has_property(player.letter):
            point = _get(node, player.letter, size)
            return Move(player, size * size if point is None else _action(point, size))
    return None


def _setup(node: "Node", size: int) -> Setup:
    black, white, empty = (
        frozenset(_action(point, size) for point in _get(node, key, size))
        for key in ("AB", "AW", "AE")
    )
    letter = _get(node, "PL", size) or ""
    to_move = {"b": Player.BLACK, "w": Player.WHITE}.get(letter)
    return Setup(black, white, empty, to_move)


def _get(node: "Node", key: str, size: int) -> Any:
    """The value of a property, empty if the node has none. Raises ValueError with its text."""
    if node.has_property(key) and len(node.get_raw_list(key)) > size * size:
        raise ValueError(f"{key} with more points than there are on a board of {size}x{size}")
    try:
        return node.get(key) if node.has_property(key) else ()
    except ValueError:
        text = fact_of(node.get_raw(key))[:20]
        if key == "PL":
            raise ValueError(f"PL[{text}]: expected B or W") from None
        raise ValueError(f"{key}[{text}] is wrong on a board of {size}x{size}") from None


def _action(point: tuple[int, int], size: int) -> int:
    return point[0] * size + point[1]
