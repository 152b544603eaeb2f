"""What a session is about: the game, the position, the agent, and what outlives `boardsize`.

Komi, rules and clocks are the controller's, not the board's: `boardsize` and `clear_board` leave
them alone, and komi and rules are kept while another game is played.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, cast

import gtpcore
from games.base import Game, Player, State
from games.coords import PASS
from games.errors import GameOverError, IllegalMoveError, InvalidMoveError
from games.go import Go, GoOptions
from games.handicap import take_for_handicap
from games.position import Move, Position
from gtpbot import __version__
from gtpbot.gtp.arguments import syntax_error
from gtpbot.gtp.clock import Clock, TimeControl
from gtpbot.gtp.live import LivePictures
from gtpbot.gtp.protocol import GtpError
from gtpbot.gtp.scoring import black_margin, result_text
from gtpbot.gtp.thinking import Thinker
from gtpbot.options import AgentChoice, OptionsError, read
from gtpbot.text.words import quote
from search.agent import Ban, Decision, Limits, Report

ILLEGAL_MOVE = "illegal move"
RESIGN = "resign"


@dataclass(frozen=True)
class Choice:
    """A move that the agent was asked for and made."""

    before: Position
    """Of its own."""
    decision: Decision


class Session:
    """One controller's game. A method does all that it says, or raises and changes nothing."""

    def __init__(self, game: Game, choice: AgentChoice, lag: float = 0.2) -> None:
        """An empty board of `game`; `lag` is that of the clocks, in seconds.

        Raises OptionsError if there is no such agent.
        """
        self.lag = lag
        self.identity = f"gtpbot/{__version__}"
        """NAME/VERSION: what this program says it is."""
        self.finished = False
        """True once the controller said `quit`."""
        self.choice_made: Choice | None = None
        """The last move that the agent chose, in whichever game; None if it chose none yet."""
        self.opponent = ""
        """The other player's name, if the controller told it."""
        self.go = Go()
        """Go as it is played, or as it will be once the game is changed to it."""
        self.live = LivePictures()
        self._gets_ready = False
        self.change_agent(choice, game)
        self.clocks = {player: Clock(None, lag) for player in Player}
        self.new_game(game)

    def new_game(self, game: Game) -> None:
        """An empty board, and full clocks."""
        self.go_on_from(Position(game))
        for clock in self.clocks.values():
            clock.reset()

    def go_on_from(self, position: Position) -> None:
        """Take `position` for the one on the board; an agent that cannot play it makes room.

        Raises GtpError if no net fits its size.
        """
        self._fit_agent(position.game)
        self.game = position.game
        self.position = position
        self._told_result: tuple[str, Sequence[Move]] = ("", ())
        self._idle_passes = 0
        self._own_state: State | None = None
        """The state after the agent's last move."""
        self._opened: tuple[Position, Position] | None = None
        """An empty board, and the one on which the agent then opened out of turn."""
        if isinstance(self.game, Go):
            self.go = self.game

    def place_handicap(self, points: Sequence[int]) -> None:
        """An empty board of Go but for Black's stones on `points`, White to move.

        Raises IllegalMoveError, and GtpError as `go_on_from` does.
        """
        start = self.go.new_state()
        self.go.place(start, ((Player.BLACK, point) for point in points))
        start.handicap = len(points)
        start.resume(Player.WHITE)
        self.go_on_from(Position(self.game, start))

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Take back all moves played within if one of them fails."""
        position, idle_passes = self.position.copy(), self._idle_passes
        try:
            yield
        except Exception:
            self.position, self._idle_passes = position, idle_passes
            raise

    # The agent

    def change_game(self, game: Game) -> None:
        """An empty board of another game; an agent that cannot play it makes room for one."""
        self.change_agent(self.choice.fitted(game), game)
        self.new_game(game)

    def change_agent(self, choice: AgentChoice, game: Game | None = None) -> None:
        """Let another agent choose the moves of `game`, or of the game in play.

        Raises OptionsError.
        """
        game = game or self.game
        self.thinker = Thinker(choice.make(game))
        self.choice = choice
        self._made_for = game
        if self._gets_ready:
            self.thinker.agent.get_ready()

    def get_ready(self) -> None:
        """Have this agent, and all to come, prepare in the background for their first moves."""
        self._gets_ready = True
        self.thinker.agent.get_ready()

    def change_params(self, changes: Mapping[str, str]) -> None:
        """Set parameters of the agent. Raises OptionsError."""
        self.change_agent(AgentChoice(self.choice.name, {**self.choice.settings, **changes}))

    def _fit_agent(self, game: Game) -> None:
        """Let the agent be one for the board of `game`, as `change_game` does. Raises GtpError."""
        if self._suits(game):
            return
        before = self.thinker.agent
        try:
            self.change_agent(self.choice.fitted(game), game)
        except OptionsError as error:
            raise GtpError(str(error)) from None
        self.thinker.agent.take_over(before)

    def _suits(self, game: Game) -> bool:
        """True if the agent was made for such a board; in Go only nets depend on it."""
        if isinstance(game, Go):
            return not self.thinker.agent.nets or game.spec == self._made_for.spec
        return game.options == self._made_for.options

    # Komi, rules, time

    def change_go(self, **changes: Any) -> None:
        """Set `komi` or `rules`, for the moves on the board too if they are of Go.

        Raises OptionsError.
        """
        options = dict(self.go.options) | {"komi": self.go.komi}
        go = Go(read(GoOptions, options | changes, "game go"))
        is_known = dict(go.options) == options
        if is_known and "komi" not in changes:  # rules told again tell no komi
            return
        if isinstance(self.game, Go):
            self.game = go
            if is_known:  # some tell it before every move: think on
                self.position.game = go
            else:
                self.position = self.position.adapted(go, _under_rules_of(go))
        self.go = go

    def set_time_control(self, control: TimeControl | None) -> None:
        """Full clocks for both, which still know how time was used if they had this control."""
        if any(clock.control != control for clock in self.clocks.values()):
            self.clocks = {player: Clock(control, self.lag) for player in Player}
        for clock in self.clocks.values():
            clock.fill()

    # The end

    def tell_result(self, result: str) -> None:
        """Let the game have ended after the moves played, with a `result` as SGF has it."""
        self._told_result = (result, self.position.moves)

    @property
    def told_result(self) -> str:
        """How the controller told that the game ended with the last move; empty if it did not."""
        result, moves = self._told_result
        return result if moves == self.position.moves else ""

    @property
    def ended(self) -> bool:
        """True after the end; in Go after two passes and more, though anyone may go on."""
        if self.position.state.is_terminal or not isinstance(self.game, Go):
            return self.position.state.is_terminal
        passing = self.position.state.num_actions - 1
        last = self.position.moves[-2:]
        return len(last) == 2 and all(move.action == passing for move in last)

    # Moves

    @property
    def over(self) -> bool:
        """True in a game that cannot go on: a finished one, but for Go, or the longest there is."""
        finished = self.position.state.is_terminal and not self.game.spec.any_player_may_move
        return finished or len(self.position.moves) >= self.game.spec.max_length

    def play(self, player: Player, text: str) -> None:
        """Play the move that `text` names. Raises GtpError.

        A pass is taken after the end of any game, for controllers end a game on two of them.
        """
        if self.over and text.lower() == PASS:
            self._idle_passes += 1
            return
        try:
            action = self.game.string_to_action(self.position.state, text)
            self._check_length()
            self.position.play(player, action)
        except InvalidMoveError as error:
            raise syntax_error(error) from None
        except (IllegalMoveError, GameOverError) as error:
            raise GtpError(ILLEGAL_MOVE, f"{player} {quote(text)}: {error}") from None
        take_for_handicap(self.position)

    def genmove(self, player: Player, bans: tuple[Ban, ...] = ()) -> str:
        """Let the agent move for `player` on its clock; the move played, `pass` or `resign`.

        Raises GtpError if it is not the player's turn.
        """
        if self.over:
            self._idle_passes += 1
            return PASS
        return self.played(*self.chosen(player, bans))

    def chosen(self, player: Player, bans: tuple[Ban, ...] = ()) -> tuple[Position, Decision]:
        """The position that `player` is to move in, and the agent's choice, on the player's clock.

        Raises GtpError if it is not the player's turn.
        """
        clock = self.clocks[player]
        clock.start()
        position, limits = self.question(player)
        decision = self._choose(position, replace(limits, bans=bans))
        clock.stop()
        return position, decision

    def played(self, before: Position, decision: Decision) -> str:
        """Play what the agent chose in a position of `question`; the move, `pass` or `resign`."""
        text = self.move_text(decision)
        self.choice_made = Choice(before.copy(), decision)
        if not before.moves and before is not self.position:
            # Either colour may open: the game is the one that the agent was shown.
            self._opened = self.position, before
            self.position = before
        if decision.action is not None:
            self.position.play(before.to_move, decision.action)
            take_for_handicap(self.position)
            self._own_state = self.position.state
        return text

    def think(self, player: Player) -> Decision:
        """What the agent would do now. Raises GtpError if it is not the player's turn."""
        position, limits = self.question(player)
        return self._choose(position, limits)

    def thoughts(self) -> tuple[Position, Report]:
        """The position with the player to move in it, and what the agent thinks of it.

        It thinks first, as for a move, unless it has done so. Raises GtpError in a finished game.
        """
        if self.over:
            raise GtpError("the game is over")
        position = self.position.facing(self.position.to_move)
        agent = self.thinker.agent
        report = agent.report_of(position)
        if report is None:
            self._choose(position, self.question(position.to_move)[1])
            report = agent.report_of(position)
        if report is None:
            raise GtpError(f"agent {agent.name} says nothing of its thoughts")
        return position, report

    def _choose(self, position: Position, limits: Limits) -> Decision:
        with self.live.of(self.thinker.agent, position):
            return self.thinker.choose(position, limits)

    def question(self, player: Player) -> tuple[Position, Limits]:
        """The position that `player` is to move in, and the time for it.

        Raises GtpError if it is not the player's turn.
        """
        try:
            position = self._opened_by(player) or self.position.facing(player)
        except IllegalMoveError as error:
            raise GtpError(ILLEGAL_MOVE, error) from None
        points = self.game.spec.width * self.game.spec.height
        budget = self.clocks[player].budget(points, len(position.moves))
        return position, Limits(seconds=budget)

    def _opened_by(self, player: Player) -> Position | None:
        """The game that the agent once opened as `player` from the board as it is now, if any."""
        board, opened = self._opened or (None, None)
        is_here = board is self.position and not self.position.moves
        return opened if is_here and opened and opened.to_move is player else None

    def move_text(self, decision: Decision) -> str:
        """A decision as `genmove` answers it."""
        if decision.action is None:
            return RESIGN
        return self.game.action_to_string(self.position.state, decision.action)

    def score(self) -> str:
        """Who won by how much, as in `B+3.5`; `0` is a draw.

        Go is scored at any time: a game that goes on by what the agent's net expects, if it has
        one. Raises GtpError in another game that goes on.
        """
        if not isinstance(self.game, Go) and not self.position.state.is_terminal:
            raise GtpError("cannot score", "the game is not over")
        expected = self._expected_margin()
        return result_text(self._margin_on_board() if expected is None else expected)

    def _margin_on_board(self) -> float:
        ownership = self.thinker.agent.judged_ownership(self.position)
        return black_margin(self.game, self.position.state, ownership)

    def _expected_margin(self) -> float | None:
        """What the agent's net expects of a game of Go that goes on, if it has one that does.

        In whole points, komi aside.
        """
        lead = self.thinker.agent.judged_score(self.position)
        if lead is None or self.ended:
            return None
        black_lead = self.position.to_move.sign * lead
        return round(black_lead + self.go.komi) - self.go.komi

    def undo(self, count: int) -> None:
        """Take back the last `count` moves, passes after the end included. Raises GtpError."""
        idle = min(count, self._idle_passes)
        try:
            self.position.undo(count - idle)
        except ValueError as error:
            raise GtpError("cannot undo", error) from None
        self._idle_passes -= idle
        if self._opened and self.position is self._opened[1] and not self.position.moves:
            self.position = self._opened[0]

    def ponder(self) -> None:
        """Think on the opponent's time, if the agent is asked to and its own move is the last."""
        may = getattr(self.thinker.agent.params, "ponder", False) and not self.finished
        if may and self.position.state is self._own_state:
            self.thinker.ponder(self.position)

    def _check_length(self) -> None:
        """Raise IllegalMoveError if the game can get no longer."""
        longest = self.game.spec.max_length
        if len(self.position.moves) >= longest:
            raise IllegalMoveError(f"the game has {longest} moves already, the most there may be")


def _under_rules_of(go: Go) -> Callable[[State], None]:
    def adapt(state: State) -> None:
        cast(gtpcore.GoState, state).rules = go.core_rules

    return adapt
