"""What the agent thinks of the position, and what is on the board, as pictures for GoGui.

A picture of thoughts is drawn at once if the agent has thought about the position; else it thinks
first, as long as for a move.
"""

from collections.abc import Callable
from typing import cast

import gtpcore
from games.go_chains import chains_of, ladders
from games.picture import Picture
from games.position import Position
from gtpbot.gtp.arguments import Arguments
from gtpbot.gtp.commands.group import Group, Handler, is_go
from gtpbot.gtp.gfx import gfx
from gtpbot.gtp.session import Session
from gtpbot.report import thoughts
from search.agent import Report

LIBERTY_COLORS = {1: "#ff2020", 2: "#ff9020", 3: "#ffe040"}
"""The colours of chains with few liberties."""


def _of_thoughts(draw: Callable[[Position, Report], Picture]) -> Handler:
    """The command that draws this picture."""

    def handler(session: Session, args: Arguments) -> str:
        args.none()
        return gfx(draw(*session.thoughts()))

    handler.__doc__ = draw.__doc__
    return handler


def tree(session: Session, args: Arguments) -> str:
    """The moves looked into, best first, each with the line expected after it."""
    args.none()
    return thoughts.tree(*session.thoughts())


def ownership(session: Session, args: Arguments) -> str:
    """Whose each point will be, and by how much."""
    args.none()
    owners = session.thinker.agent.ownership(session.position)
    return gfx(thoughts.ownership(session.position, owners or []))


def liberties(session: Session, args: Arguments) -> str:
    """How many liberties each chain has; those with few are coloured."""
    args.none()
    state = session.position.state
    vertex = session.game.action_to_string
    colors: dict[str, list[str]] = {color: [] for color in LIBERTY_COLORS.values()}
    labels: dict[str, str] = {}
    for chain in chains_of(cast(gtpcore.GoState, state)):
        places = [vertex(state, point) for point in chain.points]
        count = len(chain.liberties)
        labels |= dict.fromkeys(places, str(count))
        if count in LIBERTY_COLORS:
            colors[LIBERTY_COLORS[count]] += places
    return gfx(Picture(colors=colors, labels=labels))


def ladder_stones(session: Session, args: Arguments) -> str:
    """Stones that a ladder takes, crossed, and the moves that begin one, as triangles."""
    args.none()
    state = session.position.state
    prey, beginnings = (
        [session.game.action_to_string(state, point) for point in points]
        for points in ladders(cast(gtpcore.GoState, state))
    )
    text = f"{session.position.to_move} to move: ladders take {len(prey)} stones"
    return gfx(Picture(text, crosses=prey, triangles=beginnings))


GROUP = Group(
    {
        "gtpbot-policy": _of_thoughts(thoughts.policy),
        "gtpbot-visits": _of_thoughts(thoughts.visits),
        "gtpbot-values": _of_thoughts(thoughts.values),
        "gtpbot-best_line": _of_thoughts(thoughts.best_line),
        "gtpbot-tree": tree,
    }
)

GO_GROUP = Group(
    {
        "gtpbot-ownership": ownership,
        "gtpbot-liberties": liberties,
        "gtpbot-ladders": ladder_stones,
    },
    serves=is_go,
)
