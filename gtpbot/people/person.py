"""A game between a person and an agent: what `gtpbot play` does with a line.

Start reading at `Play.obey`. A line is a move, or one of WORDS.
"""

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from games.base import Player
from games.coords import PASS
from games.errors import IllegalMoveError, InvalidMoveError
from games.go import Go
from games.position import Position
from games.whole_files import write_whole
from gtpbot.gtp.protocol import SYNTAX_ERROR, GtpError
from gtpbot.gtp.recorder import Recorder
from gtpbot.gtp.scoring import winner_of
from gtpbot.gtp.session import RESIGN, Session
from gtpbot.people.board_art import Style, draw_board
from gtpbot.people.watched import Result, watched
from gtpbot.report.evaluation import black_percent, line_text, reasons, summary
from gtpbot.report.insight import worth_telling
from gtpbot.text.tables import aligned
from gtpbot.text.terminal import Terminal
from gtpbot.text.words import suggest
from search.agent import Report

HINTS = 3
LONGEST_SAID = 40
"""Characters of a line that a message repeats."""


class PlayError(Exception):
    """What was asked for cannot be done; the text tells the person why."""


class Play:
    """A board, and a person, two or none, who play against the agent or each other."""

    def __init__(
        self, session: Session, people: frozenset[Player], terminal: Terminal, recorder: Recorder
    ) -> None:
        """The agent plays the colours that are not in `people`."""
        self.session = session
        self.people = people
        self.is_left = False
        """True once somebody said `quit`."""
        self._terminal = terminal
        self._recorder = recorder
        self._resigned: Player | None = None

    @property
    def over(self) -> bool:
        """True once the game has ended, in whichever way, or can get no longer."""
        is_finished = self.session.position.state.is_terminal or self.session.over
        return self._resigned is not None or is_finished

    @property
    def prompt(self) -> str:
        """What a person is asked with."""
        return "(over) " if self.over else f"{self.session.position.to_move}: "

    def obey(self, line: str) -> None:
        """Do what a line says. Raises PlayError, having changed nothing."""
        word, _, rest = line.strip().partition(" ")
        try:
            if word.lower() in WORDS:
                self._do(word.lower(), rest.strip())
            elif word:
                self._move(line.strip())
        except GtpError as error:
            raise PlayError(error.reason or error.text) from None

    def answer(self) -> None:
        """Let the agent move, as long as it is its turn; show the board when it is a person's."""
        while not self.over and self.session.position.to_move not in self.people:
            self._agent_moves()
            if not self.people:
                self.show()
        if self.people:
            self.show()

    def show(self) -> None:
        """Draw the board, and say how the game stands."""
        position, game = self.session.position, self.session.game
        last = ""
        if position.moves:
            last = game.action_to_string(position.states[-2], position.moves[-1].action)
        style = Style(self._terminal.has_unicode, self._terminal.has_colours)
        facts = [f"{fact}: {value}" for fact, value in game.heading(position.state).items()]
        stands = self._outcome() if self.over else f"{position.to_move} to move"
        self._terminal.say(draw_board(game, position.state, last, style))
        self._terminal.say(". ".join([*facts, stands]))

    # Words

    def _do(self, word: str, rest: str) -> None:
        if rest and word != "save":
            raise PlayError(f"{word} {rest[:LONGEST_SAID]!r}: expected `{word}` alone")
        WORDS[word][0](self, rest)

    def help(self, rest: str) -> None:
        """What can be said."""
        state, game = self.session.position.state, self.session.game
        legal = state.legal_actions()
        example = game.action_to_string(state, legal[len(legal) // 2]) if legal else "D4"
        rows = [(example, "play this move")]
        rows += [(word, what) for word, (_, what) in WORDS.items()]
        self._terminal.say(aligned(rows, "<<"))

    def undo(self, rest: str) -> None:
        """Take back a person's resignation, or last move and what the agent answered."""
        if self._resigned not in self.people:
            moves = self.session.position.moves
            mine = [number for number, move in enumerate(moves) if move.player in self.people]
            if not mine:
                raise PlayError("there is no move of yours to take back")
            self.session.undo(len(moves) - mine[-1])
        self._resign(None)
        self.show()

    def hint(self, rest: str) -> None:
        """What the agent would do here."""
        self._require_going_on("there is nothing more to hint at")
        position, agent = self.session.position, self.session.thinker.agent
        self._think(lambda: agent.analyze(position, agent.usual_limits()))
        report = agent.report_of(position)
        rows = _hints(position, report) if report else []
        if not rows:
            raise PlayError(f"agent {agent.name} knows nothing of this position")
        self._terminal.say(aligned(rows, "<><"))

    def resign(self, rest: str) -> None:
        """Give the game up."""
        self._require_going_on("there is nothing to resign")
        self._resign(self.session.position.to_move)
        self.show()

    def score(self, rest: str) -> None:
        """How the game stands; how it ended."""
        if self.over or not isinstance(self.session.game, Go):
            self._terminal.say(self._outcome() if self.over else "The game is not over yet.")
        else:
            self._terminal.say(f"As it stands: {self.session.score()}")

    def save(self, rest: str) -> None:
        """Write the game into a file that is not there yet."""
        record = self._recorder.record
        if record is None:
            raise PlayError("there is no move yet to save")
        if not rest and record.path:
            self._terminal.say(f"The game is kept in {record.path}")
            return
        if not rest:
            raise PlayError("save where? expected `save FILE.sgf`")
        if rest[0] == rest[-1] and rest[0] in "'\"" and len(rest) > 2:
            rest = rest[1:-1]
        if rest.endswith(("/", os.sep)):
            raise PlayError(f"{rest} names a folder: expected `save FILE.sgf`")
        path = Path(rest if rest.lower().endswith(".sgf") else f"{rest}.sgf")
        try:
            path = path.expanduser()
            path.open("x").close()  # from now on the name is ours
            try:
                write_whole(path, record.text)
            except OSError:
                path.unlink()
                raise
        except FileExistsError:
            raise PlayError(f"{path} is there already: give another name") from None
        except (OSError, ValueError, RuntimeError) as error:  # no home of ~somebody
            raise PlayError(f"cannot save the game: {error}") from None
        self._terminal.say(f"Saved in {path}")

    def new(self, rest: str) -> None:
        """Begin another game of the same kind."""
        position = self.session.position
        self._recorder.begin_anew()
        self.session.go_on_from(Position(position.game, position.start.clone()))
        self._resigned = None
        self.answer()

    def swap(self, rest: str) -> None:
        """Change the colours."""
        self._require_going_on("begin another with `new`, then swap")
        self.people = frozenset(player.opponent for player in self.people)
        self._recorder.swap_names(self.session.position)
        self.answer()

    def board(self, rest: str) -> None:
        """Draw the board again."""
        self.show()

    def quit(self, rest: str) -> None:
        """Leave."""
        self.is_left = True

    # Moves

    def _move(self, text: str) -> None:
        self._require_going_on("say `new`, `undo`, `save` or `quit`")
        game = self.session.game
        if text.lower() == PASS and not self._has_pass():
            raise PlayError(f"there is no pass in {game.spec.title}")
        try:
            self.session.play(self.session.position.to_move, text)
        except GtpError as error:
            if error.text == SYNTAX_ERROR and not any(letter.isdigit() for letter in text):
                said = text[:LONGEST_SAID]
                known = [PASS, *WORDS] if self._has_pass() else [*WORDS]
                near = suggest(said.split()[0], known)
                raise PlayError(f"{said!r} is no move and no word: {near}") from None
            raise
        self._keep()
        self.answer()

    def _has_pass(self) -> bool:
        """True if a pass is a move of the game, as in Go and where a rule gives another move."""
        try:
            self.session.game.string_to_action(self.session.position.state, PASS)
        except (InvalidMoveError, IllegalMoveError):
            return False
        return True

    def _agent_moves(self) -> None:
        before = self.session.position.copy()
        player = before.to_move
        text = self._think(lambda: self.session.genmove(player))
        choice = self.session.choice_made
        assert choice is not None
        self._keep()
        self._resigned = player if text == RESIGN else None
        told = summary(before, reasons(before, choice.decision))
        does = "resigns" if text == RESIGN else f"plays {text}"
        self._terminal.say(f"gtpbot {does}" + (f" ({told})" if told else ""))

    def _think(self, work: Callable[[], Result]) -> Result:
        """Let the agent work, and tell meanwhile what it thinks."""
        began, position = time.monotonic(), self.session.position.copy()
        agent = self.session.thinker.agent

        def look() -> None:
            report = agent.report_of(position)
            told = summary(position, report) if report else ""
            seconds = time.monotonic() - began
            self._terminal.status(f"thinking {seconds:.1f} s" + (f": {told}" if told else ""))

        try:
            return watched(work, agent.stop, look)
        finally:
            self._terminal.clear()

    def _resign(self, player: Player | None) -> None:
        """Let a player have resigned here; None: nobody."""
        self._resigned = player
        self._keep()
        self._keep(lambda: self._recorder.resigned(self.session, player))

    def _require_going_on(self, otherwise: str) -> None:
        if self.over:
            raise PlayError(f"the game is over: {otherwise}")

    def _outcome(self) -> str:
        """How a finished game ended."""
        if self._resigned is not None:
            return f"{self._resigned.opponent} wins: {self._resigned} resigned"
        score = self.session.score()
        if score == "0":
            return "The game is a draw"
        winner = winner_of(score)
        return f"{winner} wins" + (f" by {score[2:]}" if isinstance(self.session.game, Go) else "")

    def _keep(self, keep: Callable[[], None] | None = None) -> None:
        try:
            keep() if keep else self._recorder.follow(self.session)
        except Exception as error:  # whatever it is: a record must never cost the game
            self._terminal.say(f"The game cannot be recorded: {error}")


def _hints(position: Position, report: Report) -> list[tuple[str, str, str]]:
    """The best moves, how good or how likely each is, and on how many playouts that rests."""
    rows = []
    for one in worth_telling(report)[:HINTS]:
        percent = black_percent(one.value_to_move, report.to_move)
        if report.value_to_move is not None:
            worth = f"Black {percent:.1f} %"
        elif one.prior:
            worth = f"{100 * one.prior:.0f} % likely"
        else:  # nothing is known of it
            continue
        visits = f"{one.visits:,} playouts" if one.visits else ""
        rows.append((worth, visits, line_text(position, one.variation)))
    return rows


WORDS: Mapping[str, tuple[Callable[[Play, str], None], str]] = {
    "undo": (Play.undo, "take back your last move, and the answer to it"),
    "hint": (Play.hint, "what the agent would play here"),
    "score": (Play.score, "how the game stands, or how it ended"),
    "resign": (Play.resign, "give the game up"),
    "new": (Play.new, "begin another game"),
    "swap": (Play.swap, "change the colours"),
    "save": (Play.save, "save FILE: write the game as SGF"),
    "board": (Play.board, "draw the board again"),
    "help": (Play.help, "this list"),
    "quit": (Play.quit, "leave; Ctrl-D does too"),
}
"""What can be said besides moves."""
