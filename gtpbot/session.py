"""What a session is about: the game, the position, the agent, and what outlives `boardsize`."""

from games.base import Game, Player
from games.errors import GameOverError, IllegalMoveError, InvalidMoveError
from games.position import Position
from gtpbot.arguments import syntax_error
from gtpbot.protocol import GtpError, quote
from gtpbot.thinking import Thinker
from search.agent import Agent, Decision, Limits

PASS = "pass"
RESIGN = "resign"


class Session:
    """One controller's game. Every method either does all it says or raises and changes nothing."""

    def __init__(self, game: Game, agent: Agent) -> None:
        """An empty board of `game`, on which `agent` will move."""
        self.thinker = Thinker(agent)
        self.komi = 0.0
        self.finished = False
        self.new_game(game)

    def new_game(self, game: Game) -> None:
        """Begin `game`."""
        self.game = game
        self.position = Position(game)

    def play(self, player: Player, text: str) -> None:
        """Play the move that `text` names. Raises GtpError."""
        if self._is_idle_pass(text):
            return
        try:
            action = self.game.string_to_action(self.position.state, text)
            self.position.play(player, action)
        except InvalidMoveError as error:
            raise syntax_error(error) from None
        except (IllegalMoveError, GameOverError) as error:
            raise GtpError("illegal move", f"{player} {quote(text)}: {error}") from None

    def genmove(self, player: Player) -> str:
        """Let the agent move for `player`; the move played, `pass` or `resign`."""
        if self.position.state.is_terminal and not self.game.spec.any_player_may_move:
            return PASS
        action = self.think(player).action
        if action is None:
            return RESIGN
        text = self.game.action_to_string(self.position.state, action)
        self.position.play(player, action)
        return text

    def think(self, player: Player) -> Decision:
        """What the agent would do if `player` were to move. Raises GtpError out of turn."""
        return self.thinker.choose(self.position, Limits())

    def undo(self, count: int) -> None:
        """Take back moves. Raises GtpError."""
        try:
            self.position.undo(count)
        except ValueError as error:
            raise GtpError("cannot undo", error) from None

    def _is_idle_pass(self, text: str) -> bool:
        """In a finished game of the others, passes come from controllers that wait for two."""
        over = self.position.state.is_terminal and not self.game.spec.any_player_may_move
        return over and text.lower() == PASS
