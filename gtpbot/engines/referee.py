"""One whole game between two engines, ruled by this program; begin with `play_game`.

An engine that crashes, hangs, answers nonsense, plays an illegal move, refuses a legal one or
oversteps its time loses the game; the result says why. Only a failing scorer is an error.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from games.base import Game, Player
from games.errors import IllegalMoveError, InvalidMoveError
from games.go import Go
from games.position import Position
from gtpbot.engines.child import EngineDiedError, EngineError, EngineTimeoutError
from gtpbot.engines.client import CommandFailedError, GtpClient, Reply
from gtpbot.gtp.clock import Left, TimeControl
from gtpbot.gtp.scoring import winner_of
from gtpbot.gtp.time_settings import written, written_left

Ending: TypeAlias = Literal[
    "score", "move limit", "resignation",
    "illegal move", "time", "crash", "hang", "nonsense", "refusal",
]  # fmt: skip
FAULTS = frozenset[Ending](["illegal move", "time", "crash", "hang", "nonsense", "refusal"])
"""Endings by which the loser did not really play."""

Engines: TypeAlias = Mapping[Player, GtpClient]
Scorer: TypeAlias = Callable[[Position, Engines], tuple[str, str]]
"""The result of a finished game, such as `B+3.5` or `0`, and who says so."""

ANSWER_SECONDS = 60.0
"""Seconds for whatever needs no thought."""
MOVES_A_POINT = 3
"""After so many moves a point of the board a game is scored as it stands."""


@dataclass(frozen=True)
class GameResult:
    """How a game went."""

    result: str
    """As SGF has it: `B+3.5`, `W+R` (resigned), `W+T` (on time), `W+F` (forfeited), `0` if drawn.
    """
    ending: Ending
    reason: str
    """In a few words: who scored, or what an engine did wrong."""
    moves: tuple[str, ...]
    """As GTP writes them, Black's first, the opening included."""
    given: int = 0
    """How many of the moves were the opening."""
    seconds: Mapping[Player, float] = field(default_factory=dict)
    """What each player's own moves took, as measured here."""

    @property
    def winner(self) -> Player | None:
        """None if the game was drawn."""
        return winner_of(self.result)

    @property
    def at_fault(self) -> Player | None:
        """Whose engine failed, if one did."""
        winner = self.winner
        return winner.opponent if self.ending in FAULTS and winner is not None else None


@dataclass(frozen=True)
class Terms:
    """What the games of a match have in common."""

    game: Game
    scorer: Scorer
    control: TimeControl | None = None
    """None: nobody has a clock."""
    margin: float = 0.5
    """Seconds by which a clock may be overstepped, for the way to the engine and back."""
    patience: float = 300.0
    """Seconds after which an engine without a clock is taken for hung."""
    move_limit: int | None = None
    """Moves after which a game is scored as it stands; by default MOVES_A_POINT."""

    @property
    def most_moves(self) -> int:
        """Moves after which a game is scored as it stands."""
        spec = self.game.spec
        return self.move_limit or MOVES_A_POINT * spec.width * spec.height


class Forfeit(Exception):  # noqa: N818 - an outcome of the game, no error
    """A player has lost by a fault of the engine."""

    def __init__(self, player: Player, ending: Ending, reason: str) -> None:
        """What the engine of `player` did."""
        super().__init__(reason)
        self.player = player
        self.ending = ending


def play_game(engines: Engines, terms: Terms, opening: Sequence[int] = ()) -> GameResult:
    """Play one game to its end; the actions of the `opening` are played for the engines.

    Raises what the scorer raises.
    """
    table = _Table(engines, terms)
    try:
        table.set_up(opening)
        while not table.is_over:
            if not table.play_move():
                return table.over(f"{table.position.to_move.opponent.letter}+R", "resignation")
        table.settle()
    except Forfeit as forfeit:
        letter = forfeit.player.opponent.letter
        result = f"{letter}+{'T' if forfeit.ending == 'time' else 'F'}"
        return table.over(result, forfeit.ending, f"{forfeit.player}: {forfeit}")
    result, judge = terms.scorer(table.position, engines)
    finished = table.position.state.is_terminal
    return table.over(result, "score" if finished else "move limit", judge)


class _Table:
    """Two engines over one board."""

    def __init__(self, engines: Engines, terms: Terms) -> None:
        self.position = Position(terms.game)
        self._terms = terms
        self._seats = {player: _Seat(player, engines[player], terms) for player in Player}
        self._moves: list[str] = []
        self._given = 0

    @property
    def is_over(self) -> bool:
        return self.position.state.is_terminal or len(self._moves) >= self._terms.most_moves

    def set_up(self, opening: Sequence[int]) -> None:
        for seat in self._seats.values():
            seat.set_up()
        for action in opening:
            mover, vertex = self.position.to_move, self._play(action)
            for seat in self._seats.values():
                seat.tell(mover, vertex)
        self._given = len(opening)
        self.settle()

    def play_move(self) -> bool:
        """One move, told to the other engine; False if the player resigned."""
        player = self.position.to_move
        answer = self._seats[player].ask_for_move()
        if answer.lower() == "resign":
            return False
        self._seats[player.opponent].tell(player, self._play_answer(player, answer))
        return True

    def _play_answer(self, player: Player, text: str) -> str:
        """Play what an engine answered, if it is a legal move."""
        try:
            return self._play(self._terms.game.string_to_action(self.position.state, text))
        except (InvalidMoveError, IllegalMoveError) as error:
            ending: Ending = "nonsense" if isinstance(error, InvalidMoveError) else "illegal move"
            reason = f"move {len(self._moves) + 1}, {text[:80]!r}: {error}"
            raise Forfeit(player, ending, reason) from None

    def _play(self, action: int) -> str:
        before = self.position.state
        self.position.play(self.position.to_move, action)
        vertex = self._terms.game.action_to_string(before, action)
        self._moves.append(vertex)
        return vertex

    def settle(self) -> None:
        """Hear from both engines that they took every move."""
        for seat in self._seats.values():
            seat.settle()

    def over(self, result: str, ending: Ending, reason: str = "") -> GameResult:
        seconds = {player: seat.seconds for player, seat in self._seats.items()}
        return GameResult(result, ending, reason, tuple(self._moves), self._given, seconds)


class _Seat:
    """An engine at the table, with its clock.

    The opponent's move and the question for one's own are sent at once, and both are on the clock:
    a move costs one way there and back, and nobody thinks while being told.
    """

    def __init__(self, player: Player, engine: GtpClient, terms: Terms) -> None:
        self.seconds = 0.0
        self._player = player
        self._engine = engine
        self._terms = terms
        self._clock = _Clock(terms)
        self._unheard: list[Reply] = []

    def set_up(self) -> None:
        with _blame(self._player):
            set_up(self._engine, self._terms.game, self._terms.control)

    def tell(self, mover: Player, vertex: str) -> None:
        with _blame(self._player):
            self._unheard.append(self._engine.send(f"play {str(mover).lower()} {vertex}"))

    def settle(self) -> None:
        with _blame(self._player):
            for reply in self._unheard:
                reply.text(ANSWER_SECONDS)
        self._unheard.clear()

    def ask_for_move(self) -> str:
        """What the engine answers in time."""
        color = str(self._player).lower()
        began = time.monotonic()
        with _blame(self._player, "time" if self._clock.left else "hang"):
            if self._clock.left and "time_left" in self._engine.commands:
                told = written(self._clock.control, self._engine.commands)
                self._unheard.append(self._engine.send(written_left(color, self._clock.left, told)))
            genmove = self._engine.send(f"genmove {color}")
            for reply in (*self._unheard, genmove):
                answer = reply.text(max(0.0, began + self._clock.patience - time.monotonic()))
        self._unheard.clear()
        spent = time.monotonic() - began
        self.seconds += spent
        self._clock.charge(spent)
        return answer.strip()


class _Clock:
    """A player's clock as it really runs; what `gtpbot.gtp.clock.Clock` guesses."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self.left = terms.control.start() if terms.control else None

    @property
    def control(self) -> TimeControl:
        assert self._terms.control
        return self._terms.control

    @property
    def patience(self) -> float:
        """Seconds to wait for a move."""
        if not self.left:
            return self._terms.patience
        return self.control.allowed(self.left) + self._terms.margin

    def charge(self, spent: float) -> None:
        """Take a move that came in time off the clock; the margin is forgiven."""
        if self.left:
            within = min(spent, self.control.allowed(self.left))
            after = self.control.after(self.left, within)
            self.left = Left(max(0.0, after.seconds), after.count)


@contextmanager
def _blame(player: Player, too_late: Ending = "hang") -> Iterator[None]:
    """Turns what goes wrong with an engine into the Forfeit of its player."""
    try:
        yield
    except EngineError as error:
        raise Forfeit(player, _ending(error, too_late), str(error)) from None


def _ending(error: EngineError, too_late: Ending) -> Ending:
    match error:
        case EngineTimeoutError():
            return too_late
        case EngineDiedError():
            return "crash"
        case CommandFailedError():
            return "refusal"
    return "nonsense"


def set_up(engine: GtpClient, game: Game, control: TimeControl | None = None) -> None:
    """Prepare an engine for a new game. Raises EngineError."""
    for command in preparation(engine, game, control):
        engine.ask(command, ANSWER_SECONDS)


def preparation(engine: GtpClient, game: Game, control: TimeControl | None) -> list[str]:
    """The commands before a game: the board, komi, rules and time, where the engine knows them.

    Raises EngineError if it does not tell what it knows, for which it has time to load itself.
    """
    known = engine.commands
    commands = [f"boardsize {game.spec.width}", "clear_board"]
    if isinstance(game, Go):
        commands.append(f"komi {game.komi:g}")
        if "kata-set-rules" in known:
            commands.insert(0, f"kata-set-rules {game.rules.to_kata_json()}")
    if control:
        time_settings = written(control, known)
        if time_settings.partition(" ")[0] in known:
            commands.append(time_settings)
    return commands
