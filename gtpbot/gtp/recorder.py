"""The games of a session as SGF files: `--record`.

A file is begun with the first move that the agent chooses in a game, and is written anew, whole or
not at all, before each answer; so a kill loses nothing. A file that is there already is never
touched. Moves that were taken back stay as variations; until others are played in their stead the
main line ends before them, with a node that is empty. Komi and rules are those of the last move. A
controller that clears the board and plays the agent's own moves again is at the same game still,
whatever it played between.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from games.base import Player
from games.position import Move, Position
from games.sgf import rules_facts
from games.sgf_tree import begin_tree
from games.whole_files import write_whole
from gtpbot import __version__
from gtpbot.gtp.clock import Byoyomi, Canadian, Clock, Fischer
from gtpbot.gtp.protocol import GtpError
from gtpbot.gtp.session import Choice, Session
from gtpbot.options import OptionsError
from gtpbot.report.evaluation import black_percent, others, reasons, summary
from search.agent import Report

if TYPE_CHECKING:
    from sgfmill.sgf import Tree_node

GAMES_IN_MIND = 32
"""The last games of a session, any of which may go on."""


class Recorder:
    """Keeps the games of one session in files."""

    def __init__(
        self,
        target: Path | None,
        names: Mapping[Player, str] | None = None,
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        """`target` is a folder, or a file if it ends with `.sgf`; both are made when needed.

        With none the game is only kept in mind. `names` are those of the players that the agent
        does not play; where they are given, a game begins with the first move of anyone. Raises
        OptionsError.
        """
        self._target = target
        self._others = names or {}
        self._now = now
        self._records: list[Record] = []
        """Of the last games, the one in progress last."""
        self._told: Choice | None = None
        self._followed: tuple[tuple[Move, ...], str] | None = None
        try:
            if target is not None:
                (target.parent if _is_file(target) else target).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OptionsError(f"cannot record games: {error}") from None

    @property
    def record(self) -> "Record | None":
        """The game in progress; None before it has begun."""
        return self._records[-1] if self._records else None

    def swap_names(self, position: Position) -> None:
        """Let the players have changed colours in a position, and for games still to begin."""
        moved = {move.player for move in position.moves}
        before = [(player, name) for player, name in self._others.items() if player in moved]
        self._others = {player.opponent: name for player, name in self._others.items()}
        if record := self._of(position):
            for player, name in (*before, *self._others.items()):
                record.play_for(player, name)

    def begin_anew(self) -> None:
        """Let what is played from now on be another game, though it begin with the same moves."""
        self._records.clear()
        self._followed = None

    def follow(self, session: Session) -> None:
        """Write what is new since the last call. Raises OSError."""
        choice, position = session.choice_made, session.position
        now = (position.moves, session.told_result)
        if choice is self._told and now == self._followed:
            return
        self._followed = now
        if choice is not None and choice is not self._told:
            self._take_up(choice.before).tell(choice, session)
            self._told = choice
        elif self._others and position.moves:
            self._take_up(position)
        if record := self._of(position):
            record.show(session)

    def resigned(self, session: Session, player: Player | None) -> None:
        """Write that a player resigned here; None: that nobody did after all. Raises OSError."""
        if record := self._of(session.position):
            record.resign(session.position, player)
            record.show(session)

    def _of(self, position: Position) -> "Record | None":
        """The record that holds a position, which becomes the one in progress; None if none does.

        A server's client may play several games by turns, each move on a board set up anew.
        """
        for record in reversed(self._records):
            if record.holds(position):
                self._records.remove(record)
                self._records.append(record)
                return record
        return None

    def _take_up(self, position: Position) -> "Record":
        """The record of the game that a position is of, a new one if it is of another game."""
        record = self._of(position)
        if record is None:
            began, name = self._now(), position.game.spec.name
            facts = {"AP": f"gtpbot:{__version__}", "DT": f"{began:%Y-%m-%d}"}
            names = {f"P{player.letter}": name for player, name in self._others.items()}
            path = self._reserved(f"{began:%Y-%m-%d-%H%M%S}-{name}.sgf") if self._target else None
            record = Record(path, position, facts | names)
            self._records = [*self._records, record][-GAMES_IN_MIND:]
        return record

    def _reserved(self, name: str) -> Path:
        """An empty file of our own, with a number after its name if one of this name is there."""
        assert self._target is not None
        first = self._target if _is_file(self._target) else self._target / name
        for number in count(1):
            path = first if number == 1 else first.with_stem(f"{first.stem}-{number}")
            try:
                path.open("x").close()
            except FileExistsError:
                continue
            return path
        raise AssertionError("there is always a next number")


class Record:
    """One game, and its file if it has one."""

    def __init__(self, path: Path | None, position: Position, facts: Mapping[str, str]) -> None:
        """`path` is an empty file of our own; `position` is one of the game."""
        self.path = path
        self.text = ""
        """The game as it was last shown, as SGF."""
        self._tree = begin_tree(position, facts)
        self._start = position.start
        self._chosen: set[tuple[Move, ...]] = set()
        """The games up to each move that the agent chose."""
        self._names: dict[Player, list[str]] = {player: [] for player in Player}
        """Who played for each, the first one first."""
        self._resigned: dict[tuple[Move, ...], Player | None] = {}
        self._end: Tree_node | None = None
        """The empty node that ends the main line before moves that were taken back."""
        self._written = ""

    def holds(self, position: Position) -> bool:
        """True if a position is of this game, perhaps played again on a board that was cleared.

        A finished game is not played again.
        """
        if position.start is self._start:
            return True
        moves = position.moves
        is_other = position.game.spec != self._tree.game.spec
        if is_other or position.start.hash != self._start.hash or self._tree.fact("RE"):
            return False
        again = any(moves[:length] in self._chosen for length in range(1, len(moves) + 1))
        if again:
            self._start = position.start
        return again

    def tell(self, choice: Choice, session: Session) -> None:
        """Note what the agent chose and why."""
        before, decision = choice.before, choice.decision
        player = before.to_move
        name, clock = session.thinker.agent.name, session.clocks[player]
        self.play_for(player, f"gtpbot ({name})")
        other = f"P{player.opponent.letter}"
        if session.opponent and not self._tree.fact(other):
            self._tree.set_facts({other: session.opponent})
        self._tree.set_facts(_control_facts(clock))
        node = self._walk(before)
        if decision.action is None:
            self._resigned[before.moves] = player
            name += " resigns"
        else:
            move = Move(player, decision.action)
            self._chosen.add((*before.moves, move))
            node = self._tree.play(node, before.state, move)
        report = reasons(before, decision)
        if report.value_to_move is not None:
            percent = black_percent(report.value_to_move, player)
            node.set_raw("SBKV", f"{percent:.2f}".encode())
        node.set("C", _comment(name, report, before))
        _set_time_left(node, player, clock)

    def play_for(self, player: Player, name: str) -> None:
        """Note who plays for `player` now; who did before, as players may swap, is named too."""
        names = self._names[player]
        if name not in names:
            names.append(name)
            self._tree.set_facts({f"P{player.letter}": ", ".join(names)})

    def resign(self, position: Position, player: Player | None) -> None:
        """Note that a player resigned in a position; None: that nobody did after all."""
        self._resigned[position.moves] = player

    def show(self, session: Session) -> None:
        """Write the game as it stands, with what has been told. Raises OSError."""
        node = self._walk(session.position)
        if len(node):
            self._end = node.new_child(0)
        self._tree.set_facts({"RE": self._result(session)} | rules_facts(session.position))
        self.text = self._tree.text() + "\n"
        if self.path is not None and self.text != self._written:
            write_whole(self.path, self.text)
            self._written = self.text

    def _walk(self, position: Position) -> "Tree_node":
        """The node of a position, to which the main line leads now."""
        if self._end is not None:
            self._end.delete()
            self._end = None
        node = self._tree.root
        for state, move in zip(position.states, position.moves, strict=False):
            child = self._tree.play(node, state, move)
            if node[0] is not child:
                child.reparent(node, 0)
            node = child
        return node

    def _result(self, session: Session) -> str:
        """The result as SGF has it; empty while the game goes on."""
        if session.told_result:
            return session.told_result
        loser = self._resigned.get(session.position.moves)
        if loser is not None:
            return f"{loser.opponent.letter}+R"
        if not session.ended:
            return ""
        try:
            return session.score()
        except GtpError:
            return ""


def _is_file(target: Path) -> bool:
    return target.suffix.lower() == ".sgf"


def _comment(name: str, report: Report, before: Position) -> str:
    """Who chose, how sure it was, and what else it looked at."""
    lines = [f"{name}: {summary(before, report)}".removesuffix(": ")]
    if also := others(before, report):
        lines.append(f"also looked at: {also}")
    return "\n".join(lines)


def _control_facts(clock: Clock) -> dict[str, str]:
    """The time control, as SGF has it."""
    control = clock.control
    if isinstance(control, Canadian):
        overtime = f"{control.stones}/{control.period:.10g} Canadian"
    elif isinstance(control, Byoyomi):
        overtime = f"{control.periods}x{control.period:.10g} byo-yomi"
    elif isinstance(control, Fischer):
        overtime = f"{control.increment:.10g} Fischer" if control.increment else ""
    else:
        return {}
    return {"TM": f"{control.main:.10g}", "OT": overtime}


def _set_time_left(node: "Tree_node", player: Player, clock: Clock) -> None:
    if clock.shown is not None:
        node.set_raw(f"{player.letter}L", f"{clock.shown.seconds:.1f}".encode())
        if clock.shown.count:
            node.set_raw(f"O{player.letter}", str(clock.shown.count).encode())
