"""The commands that the standard requires of every engine."""

from gtpbot import __version__
from gtpbot.arguments import Arguments, interpret_player
from gtpbot.commands.group import Group
from gtpbot.session import Session


def protocol_version(session: Session, args: Arguments) -> str:
    """`2`."""
    return "2"


def name(session: Session, args: Arguments) -> str:
    """The name of this program."""
    return "gtpbot"


def version(session: Session, args: Arguments) -> str:
    """Its version, as in `0.17.1`."""
    return __version__


def quit_session(session: Session, args: Arguments) -> None:
    """End the session after the answer."""
    session.finished = True


def clear_board(session: Session, args: Arguments) -> None:
    """Begin the same game again."""
    args.none()
    session.new_game(session.game)


def play(session: Session, args: Arguments) -> None:
    """COLOUR MOVE: play a move."""
    player, move = args.exactly(2)
    session.play(interpret_player(player), move)


def genmove(session: Session, args: Arguments) -> str:
    """COLOUR: choose a move and play it."""
    return session.genmove(interpret_player(args.one()))


def undo(session: Session, args: Arguments) -> None:
    """Take back one move."""
    args.none()
    session.undo(1)


def showboard(session: Session, args: Arguments) -> str:
    """The position, drawn."""
    return "\n" + session.game.render(session.position.state)


GROUP = Group(
    {
        "protocol_version": protocol_version,
        "name": name,
        "version": version,
        "quit": quit_session,
        "clear_board": clear_board,
        "play": play,
        "genmove": genmove,
        "undo": undo,
        "showboard": showboard,
    }
)
