"""Commands of Go alone: handicap, setup, rules."""

from collections.abc import Callable, Iterable, Sequence
from typing import cast

import gtpcore
from games.base import Player
from games.coords import PASS
from games.errors import IllegalMoveError, InvalidMoveError
from games.go_rules import Rules, RulesError, parse_kgs_rules, parse_rules
from games.handicap import fixed_handicap, free_handicap
from games.position import Position
from gtpbot.gtp.arguments import Arguments, interpret_int, interpret_player, syntax_error
from gtpbot.gtp.commands.group import Group, is_go
from gtpbot.gtp.protocol import GtpError
from gtpbot.gtp.session import Session
from gtpbot.text.words import quote


def place_fixed_handicap(session: Session, args: Arguments) -> str:
    """N: put handicap stones on the points that the standard fixes; these points."""
    return _place_handicap(session, args, fixed_handicap)


def place_free_handicap(session: Session, args: Arguments) -> str:
    """N: put handicap stones where this program likes them; their points."""
    return _place_handicap(session, args, free_handicap)


def set_free_handicap(session: Session, args: Arguments) -> None:
    """VERTEX...: put handicap stones on these points, two or more."""
    _require_empty_board(session)
    try:
        points = [_interpret_point(session, word) for word in args.words]
    except InvalidMoveError as error:
        raise GtpError("bad vertex list", error) from None
    if len(points) < 2:
        raise GtpError("bad vertex list", f"{quote(args.text)}: expected 2 or more")
    try:
        session.place_handicap(points)
    except IllegalMoveError as error:
        raise GtpError("bad vertex list", error) from None


def setup(session: Session, args: Arguments) -> None:
    """COLOUR VERTEX...: put stones on the board, whose history begins anew."""
    try:
        stones = [
            (interpret_player(player), _interpret_point(session, vertex))
            for player, vertex in args.pairs()
        ]
        _set_up(session, stones)
    except InvalidMoveError as error:
        raise syntax_error(error) from None
    except IllegalMoveError as error:
        raise GtpError("illegal setup", error) from None


def setup_player(session: Session, args: Arguments) -> None:
    """COLOUR: who is to move in the position set up."""
    start = _copy_of_state(session)
    start.resume(interpret_player(args.one()))
    session.go_on_from(Position(session.game, start))


def kata_get_rules(session: Session, args: Arguments) -> str:
    """The rules, as KataGo's JSON."""
    return session.go.rules.to_kata_json()


def kata_set_rules(session: Session, args: Arguments) -> None:
    """RULES: a preset or KataGo's JSON; komi and board stay."""
    _set_rules(session, args.text, parse_rules)


def kgs_rules(session: Session, args: Arguments) -> None:
    """RULES: as KGS names them; komi and board stay."""
    _set_rules(session, args.text, parse_kgs_rules)


def _place_handicap(
    session: Session, args: Arguments, choose: Callable[[int, int], Sequence[int]]
) -> str:
    _require_empty_board(session)
    count = interpret_int(args.one())
    try:
        points = choose(session.game.spec.width, count)
    except ValueError as error:
        raise GtpError("invalid number of stones", error) from None
    session.place_handicap(points)
    return " ".join(session.game.action_to_string(session.position.state, p) for p in points)


def _require_empty_board(session: Session) -> None:
    state = cast(gtpcore.GoState, session.position.state)
    stones = len(state.stones(Player.BLACK)) + len(state.stones(Player.WHITE))
    if stones:
        raise GtpError("board not empty", f"it has {stones} stones")


def _set_up(session: Session, stones: Iterable[tuple[Player, int]]) -> None:
    """Go on with `stones` added to the board. Raises IllegalMoveError."""
    start = _copy_of_state(session)
    session.go.place(start, stones)
    session.go_on_from(Position(session.game, start))


def _copy_of_state(session: Session) -> gtpcore.GoState:
    return cast(gtpcore.GoState, session.position.state.clone())


def _interpret_point(session: Session, text: str) -> int:
    """The point that a vertex names. Raises InvalidMoveError, for `pass` too."""
    if text.lower() == PASS:
        raise InvalidMoveError(f"vertex {text!r}: expected a point of the board")
    return session.go.string_to_action(session.position.state, text)


def _set_rules(session: Session, text: str, parse: Callable[[str], Rules]) -> None:
    try:
        session.change_go(rules=parse(text))
    except RulesError as error:
        raise GtpError(str(error)) from None


GROUP = Group(
    {
        "fixed_handicap": place_fixed_handicap,
        "place_free_handicap": place_free_handicap,
        "set_free_handicap": set_free_handicap,
        "gogui-setup": setup,
        "gogui-setup_player": setup_player,
        "kata-get-rules": kata_get_rules,
        "kata-set-rules": kata_set_rules,
        "kgs-rules": kgs_rules,
    },
    serves=is_go,
)
