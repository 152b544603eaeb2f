"""What single clients send: GoGui, KGS."""

from gtpbot.gtp.arguments import Arguments, interpret_player
from gtpbot.gtp.commands.group import Group
from gtpbot.gtp.session import Session


def interrupt(session: Session, args: Arguments) -> None:
    """Says that the comment line `# interrupt` stops a running search, which then answers."""


def title(session: Session, args: Arguments) -> str:
    """What GoGui's window is called."""
    return f"gtpbot: {session.game.spec.title}, {session.thinker.agent.name}"


def play_sequence(session: Session, args: Arguments) -> None:
    """COLOUR MOVE COLOUR MOVE...: play all these moves, or none of them."""
    with session.all_or_nothing():
        for player, move in args.pairs():
            session.play(interpret_player(player), move)


def game_over(session: Session, args: Arguments) -> None:
    """The controller's game is over; the position stays, for it may go on."""


GROUP = Group(
    {
        "gogui-interrupt": interrupt,
        "gogui-title": title,
        "gogui-play_sequence": play_sequence,
        "kgs-game_over": game_over,
    }
)
