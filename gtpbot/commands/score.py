"""Who won, and what is alive."""

from typing import cast

import gtpcore
from games.base import Player
from games.go_status import Status, judge
from gtpbot.arguments import Arguments, interpret_player, syntax_error
from gtpbot.commands.go import is_go
from gtpbot.commands.group import Group
from gtpbot.protocol import GtpError, quote
from gtpbot.session import Session


def final_score(session: Session, args: Arguments) -> str:
    """Who won by how much, as in `B+3.5`; `0` is a draw. Go is scored at any time."""
    args.none()
    margin = _go_margin(session) if is_go(session.game) else _margin(session)
    if not margin:
        return "0"
    winner = Player.BLACK if margin > 0 else Player.WHITE
    return f"{winner.letter}+{abs(margin):g}"


def final_status_list(session: Session, args: Arguments) -> str:
    """STATUS: the stones that are `alive`, in `seki` or `dead` if the game ends here."""
    status = args.one().lower()
    judged = _judged(session)._asdict()
    if status not in judged:
        raise syntax_error(f"status {quote(status)}: expected {', '.join(judged)}")
    state = session.position.state
    return " ".join(session.game.action_to_string(state, point) for point in judged[status])


def kgs_genmove_cleanup(session: Session, args: Arguments) -> str:
    """COLOUR: a move as `genmove` has it, but no pass while dead stones of the opponent stand."""
    player = interpret_player(args.one())
    state = cast(gtpcore.GoState, session.position.state)
    dead = _judged(session).dead
    passing = state.num_actions - 1
    to_capture = any(state.stone_at(point) == player.opponent for point in dead)
    return session.genmove(player, frozenset([passing] if to_capture else []))


def _margin(session: Session) -> float:
    """1 if Black won, -1 if White did."""
    if not session.position.state.is_terminal:
        raise GtpError("cannot score", "the game is not over")
    return session.position.state.black_value


def _go_margin(session: Session) -> float:
    """Black's points less White's, dead stones taken off where the rules say so.

    Of a game that goes on it is what the agent's net expects, if it has one that does.
    """
    state = cast(gtpcore.GoState, session.position.state)
    expected = None if state.is_terminal else _expected_margin(session)
    if expected is not None:
        return expected
    return state.black_score(_judged(session).dead if session.go.rules.remove_dead else [])


def _expected_margin(session: Session) -> float | None:
    """A margin that is possible with this komi."""
    lead = session.thinker.agent.judged_score(session.position)
    if lead is None:
        return None
    black_lead = lead if session.position.to_move is Player.BLACK else -lead
    return round(black_lead + session.go.komi) - session.go.komi


def _judged(session: Session) -> Status:
    """What becomes of all stones, by the agent's net if it has one that knows."""
    ownership = session.thinker.agent.judged_ownership(session.position)
    return judge(cast(gtpcore.GoState, session.position.state), ownership)


GROUP = Group({"final_score": final_score})

GO_GROUP = Group(
    {"final_status_list": final_status_list, "kgs-genmove_cleanup": kgs_genmove_cleanup},
    serves=is_go,
)
