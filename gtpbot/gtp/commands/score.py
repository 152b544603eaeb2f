"""Who won, and what is alive."""

from typing import cast

import gtpcore
from games.go_status import Status, as_they_stand, judge
from gtpbot.gtp.arguments import Arguments, interpret_player, syntax_error
from gtpbot.gtp.commands.group import Group, is_go
from gtpbot.gtp.session import Session
from gtpbot.text.words import quote
from search.agent import Ban


def final_score(session: Session, args: Arguments) -> str:
    """Who won by how much, as in `B+3.5`; `0` is a draw.

    Go is scored at any time: a game that goes on by what the agent's net expects, if it has one.
    """
    args.none()
    return session.score()


def final_status_list(session: Session, args: Arguments) -> str:
    """STATUS: the stones that are `alive`, in `seki` or `dead` if the game ends here.

    Under rules by which all stones count as they stand, none are dead: as `final_score` has it.
    """
    status = args.one().lower()
    if status not in Status._fields:
        raise syntax_error(f"status {quote(status)}: expected {', '.join(Status._fields)}")
    state = cast(gtpcore.GoState, session.position.state)
    judged = (_judged(session) if state.rules.remove_dead else as_they_stand(state))._asdict()
    return " ".join(session.game.action_to_string(state, point) for point in judged[status])


def kgs_genmove_cleanup(session: Session, args: Arguments) -> str:
    """COLOUR: a move as `genmove` has it, but no pass while dead stones of the opponent stand."""
    player = interpret_player(args.one())
    state = cast(gtpcore.GoState, session.position.state)
    dead = _judged(session).dead
    passing = state.num_actions - 1
    to_capture = any(state.stone_at(point) == player.opponent for point in dead)
    return session.genmove(player, (Ban(player, passing, 1),) if to_capture else ())


def _judged(session: Session) -> Status:
    """What becomes of all stones, by what the agent's net says too if it has one that knows."""
    judged = session.thinker.agent.judged_ownership(session.position)
    return judge(cast(gtpcore.GoState, session.position.state), judged)


GROUP = Group({"final_score": final_score})

GO_GROUP = Group(
    {"final_status_list": final_status_list, "kgs-genmove_cleanup": kgs_genmove_cleanup},
    serves=is_go,
)
