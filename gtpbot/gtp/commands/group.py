"""What a group of commands is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from games.base import Game
from games.go import Go
from gtpbot.gtp.arguments import Arguments
from gtpbot.gtp.session import Session
from gtpbot.gtp.streams import Stream

Handler = Callable[[Session, Arguments], str | Stream | None]
"""Does the command and returns the text of the answer, or an answer that comes line by line.

Raises GtpError, having changed nothing.
"""


@dataclass(frozen=True)
class Group:
    """Handlers by the names of their commands, and the games in which they work."""

    handlers: Mapping[str, Handler]
    serves: Callable[[Game], bool] = lambda game: True


def is_go(game: Game) -> bool:
    """True for Go, as `serves` of commands that other games have not."""
    return isinstance(game, Go)
