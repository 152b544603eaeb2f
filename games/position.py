"""A game in progress: the state now, the moves that led to it, and the way back."""

import random
from collections.abc import Callable, Container, Iterable, Sequence
from typing import NamedTuple

import gtpcore
from games.base import Game, Player, State
from games.errors import GameOverError, IllegalMoveError
from games.go import Go


class Move(NamedTuple):
    """One move of one player."""

    player: Player
    action: int


class Position:
    """The states that a game went through, and the moves between them.

    Undo returns to the very state that was there: nothing is replayed, nothing is rebuilt.
    """

    def __init__(self, game: Game, start: State | None = None) -> None:
        """Begin `game` at `start`, by default at its first state."""
        self.game = game
        self._states: list[State] = [start if start is not None else game.new_state()]
        self._moves: list[Move] = []

    @property
    def state(self) -> State:
        """The state now. Not to be changed: play through `play`."""
        return self._states[-1]

    @property
    def start(self) -> State:
        """The state before the first move: empty, or with the stones of a handicap or a setup."""
        return self._states[0]

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves since `start`, oldest first."""
        return tuple(self._moves)

    @property
    def actions(self) -> tuple[int, ...]:
        """What was played since `start`, oldest first, by whomever."""
        return tuple(move.action for move in self._moves)

    @property
    def states(self) -> tuple[State, ...]:
        """Every state since `start`, that included: the one before each move, and the last."""
        return tuple(self._states)

    @property
    def to_move(self) -> Player:
        """Whose turn it is."""
        return Player(self.state.current_player)

    def check_open(self) -> None:
        """Raises GameOverError in a finished game."""
        if self.state.is_terminal:
            raise GameOverError("the game is over: there is no move to choose")

    def legal_actions(self, banned: Container[int] = ()) -> list[int]:
        """The legal actions that are not banned; all legal ones if there are no others.

        Raises GameOverError.
        """
        self.check_open()
        legal = self.state.legal_actions()
        return [action for action in legal if action not in banned] or list(legal)

    def line(self, actions: Sequence[int]) -> list[str]:
        """Moves that follow on the state now, as GTP writes them (`Game.line_to_strings`)."""
        return self.game.line_to_strings(self.state, actions)

    def play(self, player: Player, action: int) -> None:
        """Play `action` for `player`.

        Raises IllegalMoveError (the rules forbid it, or it is not the player's turn) or
        GameOverError, and then changes nothing.
        """
        after = self.after(player)
        try:
            after.apply_action(action)
        except IllegalMoveError:
            if not isinstance(after, gtpcore.GoState) or not 0 <= action < after.num_actions:
                raise
            vertex = self.game.action_to_string(after, action)
            raise IllegalMoveError(f"{vertex} is illegal: {after.why_illegal(action)}") from None
        except GameOverError:
            raise GameOverError("the game is over") from None
        self._states.append(after)
        self._moves.append(Move(player, action))

    def after(self, player: Player) -> State:
        """A copy of the state in which `player` is to move.

        In Go either colour may move at any time, even after the end; elsewhere a move out of turn
        raises IllegalMoveError.
        """
        copy = self.state.clone()
        if self.game.spec.any_player_may_move:
            copy.resume(player)  # type: ignore[attr-defined]
        elif player != copy.current_player:
            raise IllegalMoveError(f"it is not {player}'s turn: {self.to_move} is to move")
        return copy

    def undo(self, count: int = 1) -> None:
        """Take back the last `count` moves. Raises ValueError if there are fewer."""
        if not 0 <= count <= len(self._moves):
            raise ValueError(f"cannot undo {count} moves: {len(self._moves)} were played")
        if count:
            del self._states[-count:]
            del self._moves[-count:]

    def facing(self, player: Player) -> "Position":
        """This position, or a copy of it in which `player` is to move in a game that goes on.

        Raises IllegalMoveError as `after` does.
        """
        if player == self.to_move and not self.state.is_terminal:
            return self
        other = self.copy()
        other._states[-1] = self.after(player)
        return other

    def adapted(self, game: Game, adapt: Callable[[State], None]) -> "Position":
        """The same moves in `game`, with a copy of each state handed to `adapt` to be changed."""
        other = self.copy()
        other.game = game
        other._states = [state.clone() for state in self._states]
        for state in other._states:
            adapt(state)
        return other

    def copy(self) -> "Position":
        """An independent copy."""
        other = Position(self.game, self.start)
        other._states = list(self._states)
        other._moves = list(self._moves)
        return other


def played(game: Game, actions: Iterable[int]) -> Position:
    """The position after these actions. Raises IllegalMoveError and GameOverError."""
    position = Position(game)
    for action in actions:
        position.play(position.to_move, action)
    return position


def play_at_random(position: Position, count: int, rng: random.Random) -> bool:
    """Play so many random moves, in Go no passes; False if the game is over then or before."""
    last = -1 if isinstance(position.game, Go) else None
    for _ in range(count):
        actions = position.state.legal_actions()[:last]
        if not actions:
            return False
        position.play(position.to_move, rng.choice(actions))
    return not position.state.is_terminal
