"""What the standard requires of every engine, and what goes with it."""

import time

from games.base import Game
from games.coords import PASS
from games.go import Go, GoOptions
from games.go_rules import komi_in_points
from gtpbot.gtp.arguments import (
    Arguments,
    interpret_float,
    interpret_int,
    interpret_player,
    syntax_error,
)
from gtpbot.gtp.commands.group import Group
from gtpbot.gtp.protocol import GtpError
from gtpbot.gtp.session import Session
from gtpbot.options import OptionsError, read
from gtpbot.text.words import quote


def protocol_version(session: Session, args: Arguments) -> str:
    """The version of GTP: `2`."""
    return "2"


def name(session: Session, args: Arguments) -> str:
    """The name of this program, or the one that it was told to give."""
    return session.identity.partition("/")[0].strip()


def version(session: Session, args: Arguments) -> str:
    """Its version, as in `0.17.1`."""
    return session.identity.partition("/")[2].strip()


def quit_session(session: Session, args: Arguments) -> None:
    """End the session after this answer."""
    session.finished = True


def boardsize(session: Session, args: Arguments) -> None:
    """N, W H, or W:H: an empty board of this size, from columns and rows."""
    numbers = [interpret_int(word) for word in args.text.replace(":", " ").split()]
    if len(numbers) not in (1, 2):
        raise syntax_error(f"board size {quote(args.text)}: expected N, W H or W:H")
    session.new_game(_resized(session.game, numbers))


def rectangular_boardsize(session: Session, args: Arguments) -> None:
    """W H: an empty board of this size, from columns and rows."""
    session.new_game(_resized(session.game, [interpret_int(word) for word in args.exactly(2)]))


def clear_board(session: Session, args: Arguments) -> None:
    """An empty board of the same size; komi, rules and time settings stay."""
    args.none()
    session.new_game(session.game)


def komi(session: Session, args: Arguments) -> None:
    """KOMI: the points that White gets; kept, without effect, in games other than Go."""
    points = komi_in_points(interpret_float(args.one()))
    try:
        session.change_go(komi=points)
    except OptionsError as error:
        raise GtpError("unacceptable komi", error) from None


def get_komi(session: Session, args: Arguments) -> str:
    """The komi."""
    return f"{session.go.komi:g}"


def play(session: Session, args: Arguments) -> None:
    """COLOUR MOVE: play a move."""
    player, move = args.exactly(2)
    session.play(interpret_player(player), move)


def genmove(session: Session, args: Arguments) -> str:
    """COLOUR: choose a move and play it; the move, `pass`, or `resign`."""
    return session.genmove(interpret_player(args.one()))


def reg_genmove(session: Session, args: Arguments) -> str:
    """COLOUR: the move that `genmove` would play now, without playing it."""
    player = interpret_player(args.one())
    return PASS if session.over else session.move_text(session.think(player))


def undo(session: Session, args: Arguments) -> None:
    """Take back one move; handicap and setup stones are no moves."""
    args.between(0, 1)  # qGo sends `undo 0`, for GNU Go ignores what follows
    session.undo(1)


def gg_undo(session: Session, args: Arguments) -> None:
    """[N]: take back N moves."""
    count = interpret_int((args.between(0, 1) or ["1"])[0])
    if count < 0:
        raise syntax_error(f"number {count}: expected 0 or more moves")
    session.undo(count)


def showboard(session: Session, args: Arguments) -> str:
    """The position, drawn."""
    state = session.position.state
    facts = [f"{fact}: {value}" for fact, value in session.game.heading(state).items()]
    return "\n".join(
        ["", session.game.render(state), *facts, f"{session.position.to_move} to move"]
    )


def cputime(session: Session, args: Arguments) -> str:
    """The CPU time used so far by all threads, in seconds."""
    return f"{time.process_time():.3f}"


def _resized(game: Game, size: list[int]) -> Game:
    """`game` on a board of `size`, one or two numbers. Raises GtpError."""
    if isinstance(game, Go):
        return _resized_go(game, size)
    width, height = game.spec.width, game.spec.height
    if size not in ([width], [max(width, height)], [width, height]):  # the second by GoGui
        expected = f"{width} {height}"
        raise GtpError("unacceptable size", f"{game.spec.title} is played on {expected}")
    return game


def _resized_go(game: Go, size: list[int]) -> Go:
    if size[0] != size[-1]:
        raise GtpError("unacceptable size", f"{size[0]}x{size[-1]}: expected a square board for Go")
    try:
        return Go(read(GoOptions, dict(game.options) | {"size": size[0]}, "game go"))
    except OptionsError as error:
        raise GtpError("unacceptable size", error) from None


GROUP = Group(
    {
        "protocol_version": protocol_version,
        "name": name,
        "version": version,
        "quit": quit_session,
        "boardsize": boardsize,
        "rectangular_boardsize": rectangular_boardsize,
        "clear_board": clear_board,
        "komi": komi,
        "get_komi": get_komi,
        "play": play,
        "genmove": genmove,
        "reg_genmove": reg_genmove,
        "undo": undo,
        "gg-undo": gg_undo,
        "showboard": showboard,
        "cputime": cputime,
    }
)
