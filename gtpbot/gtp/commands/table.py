"""The table of all commands, and the two commands that tell what is in it."""

from collections.abc import Mapping

from games.base import Game
from gtpbot.gtp.arguments import Arguments
from gtpbot.gtp.commands import (
    analysis,
    cgos,
    clients,
    clock,
    core,
    dialogs,
    go,
    kata,
    menu,
    pictures,
    rules,
    score,
    setup,
    sgf,
)
from gtpbot.gtp.commands.group import Group, Handler
from gtpbot.gtp.session import Session


def list_commands(session: Session, args: Arguments) -> str:
    """Every command that works in the game in play, one a line."""
    return "\n".join(commands_for(session.game))


def known_command(session: Session, args: Arguments) -> str:
    """NAME: `true` if the command would be listed."""
    return str(args.text in commands_for(session.game)).lower()


ABOUT = Group({"list_commands": list_commands, "known_command": known_command})

GROUPS = (
    core.GROUP,
    ABOUT,
    clock.GROUP,
    score.GROUP,
    score.GO_GROUP,
    go.GROUP,
    sgf.GROUP,
    rules.GROUP,
    analysis.GROUP,
    kata.GROUP,
    kata.GO_GROUP,
    clients.GROUP,
    cgos.GO_GROUP,
    cgos.GROUP,
    setup.GROUP,
    dialogs.GROUP,
    pictures.GROUP,
    pictures.GO_GROUP,
    menu.GROUP,
)


def commands_for(game: Game) -> Mapping[str, Handler]:
    """The handlers that work in `game`; `protocol_version` first."""
    return {
        name: handler
        for group in GROUPS
        if group.serves(game)
        for name, handler in group.handlers.items()
    }
