"""Games of every kind as SGF trees: replayed move by move, and given variations and remarks.

`read_tree` understands a file and `begin_tree` begins one. A tree keeps all that the file had, also
what this program does not understand; only the first game of a collection counts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from games.base import Game, Player, State
from games.errors import GameOverError, IllegalMoveError, InvalidMoveError
from games.go import Go
from games.position import Move, Position
from games.registry import GAMES
from games.sgf import (
    GAME_PROPERTY,
    OTHER_GAME,
    Setup,
    after,
    coarse_tree,
    events_at,
    fact_of,
    fail,
    new_tree,
    raw_move,
    read_bytes,
    record_of,
    serialised,
    set_facts,
)

if TYPE_CHECKING:
    from sgfmill.sgf import Sgf_game, Tree_node


SETUP = ("AB", "AW", "AE", "PL")


@dataclass(frozen=True)
class Step:
    """A node of the main line."""

    node: "Tree_node"
    move: Move | None
    """None where the node has none, as the first one."""
    number: int
    """How many moves were played by then, this one included."""
    position: Position
    """After the move; of its own."""


class GameTree:
    """A game of any kind with its variations."""

    def __init__(self, tree: "Sgf_game", source: str, start: Position) -> None:
        """`start` is the position at the root, before its setup if it has one."""
        self._tree = tree
        self._start = start
        self.source = source
        """The file, for messages."""

    @property
    def game(self) -> Game:
        """The game with its options."""
        return self._start.game

    @property
    def root(self) -> "Tree_node":
        """The first node."""
        return self._tree.get_root()

    def text(self) -> str:
        """The tree as SGF."""
        return serialised(self._tree)

    def fact(self, key: str) -> str:
        """A property of the whole game, such as `PB` or `RE`; empty if it is not told."""
        if not self.root.has_property(key):
            return ""
        return fact_of(self.root.get_raw(key))

    def set_facts(self, facts: Mapping[str, str]) -> None:
        """Tell of the whole game; an empty text takes back what was told."""
        set_facts(self.root, facts)

    def line(self) -> Iterator[Step]:
        """The main line, replayed. Raises SgfError where a move is illegal."""
        return self._go_line() if isinstance(self.game, Go) else self._other_line()

    def final_position(self, moves: int | None = None) -> Position:
        """The position after so many moves of the main line, by default all. Raises SgfError."""
        position = self._start
        for step in self.line():
            if moves is not None and step.number > moves:  # where the first node has a move
                break
            position = step.position
            if step.number == moves:  # what follows may be illegal
                break
        return position

    def play(self, node: "Tree_node", state: State, move: Move) -> "Tree_node":
        """The child of `node` for a move in `state`, made if there is none."""
        key = move.player.letter
        for child in node:
            if child.has_property(key) and self._spells(child.get_raw(key), state, move.action):
                return child
        fresh = node.new_child()
        fresh.set_raw(key, raw_move(self.game, state, move.action))
        return fresh

    def _spells(self, value: bytes, state: State, action: int) -> bool:
        """True if a value in the file is this move, in whichever spelling."""
        if isinstance(self.game, Go):
            is_pass = action == state.num_actions - 1
            return value == raw_move(self.game, state, action) or (is_pass and not value)
        try:
            return self.game.string_to_action(state, fact_of(value)) == action
        except (InvalidMoveError, IllegalMoveError):
            return False

    def _go_line(self) -> Iterator[Step]:
        size, number = self.game.spec.width, 0
        position = self._start.copy()
        for node in self._tree.get_main_sequence():
            move = None
            for event in events_at(node, size):
                if not isinstance(event, Setup):
                    move, number = event, number + 1
                position = after(position, event, number, self.source)
            yield Step(node, move, number, position.copy())

    def _other_line(self) -> Iterator[Step]:
        position, number = self._start.copy(), 0
        for node in self._tree.get_main_sequence():
            move = None
            self._refuse_setup(node, number)
            for player in Player:
                if node.has_property(player.letter):
                    number += 1
                    text = fact_of(node.get_raw(player.letter))
                    if len(text) > 20:  # it is no move, and errors show it in full
                        text = f"{text[:20]}..."
                    move = self._play(position, player, text, number)
            yield Step(node, move, number, position.copy())

    def _refuse_setup(self, node: "Tree_node", number: int) -> None:
        for key in SETUP:
            if node.has_property(key):
                fail(self.source, f"after move {number}: {key} is understood in Go alone")
        if all(node.has_property(player.letter) for player in Player):
            fail(self.source, f"after move {number}: a node with two moves")

    def _play(self, position: Position, player: Player, text: str, number: int) -> Move:
        try:
            position.play(player, self.game.string_to_action(position.state, text))
        except (InvalidMoveError, IllegalMoveError, GameOverError) as error:
            fail(self.source, f"move {number}, {player} {text!r}, is illegal: {error}")
        return position.moves[-1]


def begin_tree(position: Position, facts: Mapping[str, str]) -> GameTree:
    """A tree that begins where `position` began, without its moves."""
    return GameTree(new_tree(position, facts), "SGF", Position(position.game, position.start))


def read_tree(path: str | Path, otherwise: Go) -> GameTree:
    """The first game of an SGF file, of any kind. Raises SgfError.

    Komi and rules of Go that the file does not give are those of `otherwise`.
    """
    return parse_tree(read_bytes(path), str(path), otherwise)


def parse_tree(data: bytes, source: str, otherwise: Go) -> GameTree:
    """The first game in the bytes of an SGF file, as `read_tree` has it. Raises SgfError."""
    from sgfmill.sgf import Sgf_game

    tree = coarse_tree(data, source)
    root = tree.sequence[0]
    if fact_of(root.get("GM", [b"1"])[0]) == OTHER_GAME:
        start = Position(_named_game(fact_of(root.get(GAME_PROPERTY, [b""])[0]), source))
        root.pop("SZ", None)
    else:
        start = record_of(tree, source).start(otherwise)
    return GameTree(Sgf_game.from_coarse_game_tree(tree, "UTF-8"), source, start)


def _named_game(text: str, source: str) -> Game:
    """The game of `GTPBOT[NAME OPTION=VALUE...]`."""
    name, *settings = text.split() or [""]
    others = [each for each in GAMES if GAMES[each] is not Go]
    if name not in others:
        fail(source, f"{GAME_PROPERTY}[{text[:20]}]: expected one of {', '.join(others)}")
    game = GAMES[name]
    try:
        options = game.Options.model_validate(dict(word.split("=", 1) for word in settings))
    except ValidationError as error:
        problem = error.errors()[0]["msg"].removeprefix("Value error, ")
        fail(source, f"{GAME_PROPERTY}[{text[:40]}]: {problem}")
    except ValueError:
        fail(source, f"{GAME_PROPERTY}[{text[:40]}]: expected OPTION=VALUE after the name")
    return game(options)  # type: ignore[call-arg]
