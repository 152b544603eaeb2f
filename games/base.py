"""What a game is to the rest of the program: its rules as a State, and its face as a Game.

A `State` holds a position and its rules. The native ones come from `gtpcore`; a class written in
Python with the same methods is searched by the same tree, only slower.

A `Game` is a game with its options chosen. It makes the first state, and knows how moves are
written and how the board is drawn. Whoever adds a game writes one file with one `Game` and adds
one line to `games/registry.py`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar, Protocol, TypeVar, cast, runtime_checkable

from pydantic import BaseModel, ConfigDict

from games.coords import draw
from games.picture import Picture


class Player(IntEnum):
    """The two players. Black moves first in every game, as GTP has it."""

    BLACK = 0
    WHITE = 1

    @property
    def opponent(self) -> "Player":
        """The other player."""
        return Player(1 - self)

    @property
    def letter(self) -> str:
        """`B` or `W`, as GTP results and SGF properties have it."""
        return "BW"[self]

    @property
    def sign(self) -> int:
        """1 for Black, -1 for White: what turns Black's value into the player's, and back."""
        return 1 - 2 * self

    def __str__(self) -> str:
        """`Black` or `White`, for messages."""
        return self.name.capitalize()


@runtime_checkable
class State(Protocol):
    """A position of a game for two players with perfect information; the words are OpenSpiel's.

    The players take turns, and searches count on that: where a rule gives one of them another move,
    or none, who is not to move has a pass as the only action. Actions are integers from 0 to
    `num_actions - 1`. A state may also have `is_history_free`, true if what it is worth does not
    depend on the way there, and no position comes back in the same game: searches then share what
    they know of it.
    """

    @property
    def num_actions(self) -> int:
        """How many actions the game has, legal now or not."""

    @property
    def current_player(self) -> int:
        """Who is to move: 0 for Black, 1 for White. In a finished game: who would be, in turn."""

    @property
    def is_terminal(self) -> bool:
        """True once the game is over."""

    @property
    def black_value(self) -> float:
        """Of a finished game: 1 if Black won, -1 if White won, 0 if drawn."""

    @property
    def hash(self) -> int:
        """Equal for equal positions with the same player to move."""

    def clone(self) -> "State":
        """An independent copy."""

    def legal_actions(self) -> Sequence[int]:
        """The legal actions in ascending order; none in a finished game."""

    def is_legal(self, action: int, /) -> bool:
        """True if `action` is among `legal_actions()`; False for any other integer."""

    def apply_action(self, action: int, /) -> None:
        """Play `action`, or raise IllegalMoveError or GameOverError and change nothing."""


AnyState = TypeVar("AnyState", bound=State)


def after(state: AnyState, action: int) -> AnyState:
    """The state after a legal move."""
    follower = state.clone()
    follower.apply_action(action)
    return cast(AnyState, follower)


@dataclass(frozen=True)
class GameSpec:
    """The static facts of a game with its options chosen."""

    name: str
    """As the command line has it: `go`, `connect4`, `tictactoe`, `coin`."""
    title: str
    """As a person reads it, and as GoGui compares it: `Connect Four`."""
    num_actions: int
    """Actions are 0 to num_actions - 1."""
    width: int
    """Columns of the drawn board."""
    height: int
    """Rows of the drawn board."""
    max_length: int
    """After so many moves a game ends here; only Go, with its kos, has longer ones by its rules."""
    any_player_may_move: bool = False
    """True for Go alone, where GTP lets either colour play at any time."""


class GameOptions(BaseModel):
    """The options of a game; an unknown key is an error.

    Each is one word where it is written: on command lines, and in SGF files.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")


class Game(ABC):
    """A game with its options chosen.

    Points of the drawn board are (column, row) from (0, 0) at the lower left; `games/coords.py`
    alone turns them into vertices.
    """

    Options: ClassVar[type[GameOptions]]
    options: GameOptions
    spec: GameSpec

    @abstractmethod
    def new_state(self) -> State:
        """The first position."""

    @property
    def described(self) -> str:
        """What is played, as people are told before a game."""
        return self.spec.title

    @abstractmethod
    def action_to_string(self, state: State, action: int) -> str:
        """The move as GTP writes it, such as `D4` or `pass`; `action` is legal in `state`."""

    def line_to_strings(self, state: State, actions: Sequence[int]) -> list[str]:
        """Moves that follow on `state` one after the other, as GTP writes them.

        An illegal move ends them, as a search that shares positions may name one.
        """
        after, texts = state.clone(), []
        for action in actions:
            if not after.is_legal(action):
                break
            texts.append(self.action_to_string(after, action))
            after.apply_action(action)
        return texts

    @abstractmethod
    def string_to_action(self, state: State, text: str) -> int:
        """The action that `text` names in `state`, legal or not, in any case of letters.

        Raises InvalidMoveError if it names none.
        """

    @abstractmethod
    def board(self, state: State) -> list[list[str]]:
        """The drawn board, top row first: `X` Black, `O` White, `.` empty."""

    def render(self, state: State) -> str:
        """The board as text with coordinates, for `showboard` and terminals; no empty line."""
        return draw(self.board(state))

    def picture(self, state: State) -> Picture:
        """What a window draws on the board beyond its stones; nothing by default."""
        return Picture()

    def heading(self, state: State) -> Mapping[str, Any]:
        """Facts shown beside the board, such as captures; none by default."""
        return {}
