"""What the client of the Computer Go Server sends.

The server shows a game with what its players thought. `cgos-genmove_analyze` tells that as one line
of JSON, from the view of the player to move; whose points are is a letter for each point.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from gtpbot.gtp.arguments import Arguments, interpret_player, syntax_error
from gtpbot.gtp.commands.group import Group, is_go
from gtpbot.gtp.session import Session
from gtpbot.report.insight import ENOUGH, Insight, winrate, worth_telling
from search.agent import Candidate, Report

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+"
"""An owner from -1 to 1, in 63 steps."""
MOST_MOVES = 20


def genmove_analyze(session: Session, args: Arguments) -> str:
    """COLOUR: choose a move and play it; what was thought, and the move."""
    player = interpret_player(args.one())
    if session.over:
        return f"{{}}\nplay {session.genmove(player)}"
    position, decision = session.chosen(player)
    insight = Insight(session.thinker.agent, position)
    report = insight.last_report()
    insight.refine(ENOUGH)
    thought = json.dumps(_thought(insight, report) if report else {}, separators=(",", ":"))
    return f"{thought}\nplay {session.played(position, decision)}"


def game_over(session: Session, args: Arguments) -> None:
    """RESULT: the game is over; the position stays, for it may go on."""
    session.tell_result(_as_sgf(args.text))


def opponent_name(session: Session, args: Arguments) -> None:
    """NAME of the opponent, which a record of the game has."""
    if not args.text:
        raise syntax_error("no argument: expected a name")
    session.opponent = args.text


def opponent_rating(session: Session, args: Arguments) -> None:
    """RATING of the opponent: nothing depends on it."""
    if not args.text:
        raise syntax_error("no argument: expected a rating")


def _thought(insight: Insight, report: Report) -> Mapping[str, Any]:
    moves = worth_telling(report)[:MOST_MOVES]
    thought = _known(insight, report) | {
        "visits": report.playouts,
        "moves": [_move(insight, candidate) for candidate in moves],
    }
    if insight.owners is not None:
        thought["ownership"] = "".join(map(_letter, insight.rows(insight.owners)))
    return thought


def _move(insight: Insight, candidate: Candidate) -> Mapping[str, Any]:
    move, *rest = insight.position.line(candidate.variation)
    return (
        {"move": move}
        | _known(insight, candidate)
        | {"prior": round(candidate.prior, 4), "visits": candidate.visits, "pv": " ".join(rest)}
    )


def _known(insight: Insight, known: Candidate | Report) -> dict[str, Any]:
    value, score = known.value_to_move, insight.score_to_move(known)
    return ({} if value is None else {"winrate": round(winrate(value), 4)}) | (
        {} if score is None else {"score": round(score, 2)}
    )


def _letter(owner: float) -> str:
    """The letter of an owner.

    >>> _letter(-1.0), _letter(0.0), _letter(1.0)
    ('A', 'f', '+')
    """
    return LETTERS[round((owner + 1) / 2 * (len(LETTERS) - 1))]


def _as_sgf(result: str) -> str:
    """A result as SGF has it; the server may leave the `+` out.

    >>> _as_sgf("BForfeit"), _as_sgf("W+Time"), _as_sgf("Draw")
    ('B+Forfeit', 'W+Time', 'Draw')
    """
    return re.sub("^([BW])(?=[A-Z])", r"\1+", result)


GO_GROUP = Group({"cgos-genmove_analyze": genmove_analyze}, serves=is_go)
GROUP = Group(
    {
        "cgos-gameover": game_over,
        "cgos-opponent_name": opponent_name,
        "cgos-opponent_rating": opponent_rating,
    }
)
