"""Time: how much there is, and how much is left."""

from gtpbot.gtp.arguments import (
    Arguments,
    interpret_float,
    interpret_int,
    interpret_player,
    syntax_error,
)
from gtpbot.gtp.commands.group import Group
from gtpbot.gtp.session import Session
from gtpbot.gtp.time_settings import KINDS, TimeSettingsError, parse_kind, parse_time_settings


def time_settings(session: Session, args: Arguments) -> None:
    """MAIN PERIOD STONES: main time and Canadian byo-yomi, in seconds."""
    try:
        session.set_time_control(parse_time_settings(args.words))
    except TimeSettingsError as error:
        raise syntax_error(error) from None


def time_settings_of_a_kind(session: Session, args: Arguments) -> None:
    """KIND and its numbers: none, absolute, byoyomi, canadian, fischer or fischer-capped."""
    try:
        session.set_time_control(parse_kind(args.words))
    except TimeSettingsError as error:
        raise syntax_error(error) from None


def kata_list_time_settings(session: Session, args: Arguments) -> str:
    """The kinds that `kata-time_settings` knows."""
    return " ".join(KINDS)


def time_left(session: Session, args: Arguments) -> None:
    """COLOUR SECONDS COUNT: what a player's clock shows; stones or periods if in overtime."""
    player, seconds, count = args.exactly(3)
    clock = session.clocks[interpret_player(player)]
    clock.time_left(interpret_float(seconds), max(0, interpret_int(count)))


GROUP = Group(
    {
        "time_settings": time_settings,
        "kgs-time_settings": time_settings_of_a_kind,
        "kata-time_settings": time_settings_of_a_kind,
        "kata-list_time_settings": kata_list_time_settings,
        "time_left": time_left,
    }
)
