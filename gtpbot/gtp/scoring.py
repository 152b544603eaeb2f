"""Who won by how much, and how that is written."""

from collections.abc import Sequence
from typing import cast

import gtpcore
from games.base import Game, Player, State
from games.go import Go
from games.go_status import agreed_score


def black_margin(game: Game, state: State, judged: Sequence[float] | None = None) -> float:
    """Black's points less White's, if the game ended here; in other games than Go 1, 0 or -1.

    Where the rules of Go say so, dead stones are taken off, by what a net has `judged` of all
    points too (`games.go_status.owners_of`).
    """
    if not isinstance(game, Go):
        return state.black_value
    return agreed_score(cast(gtpcore.GoState, state), judged)


def result_text(black_margin: float) -> str:
    """The result as GTP and SGF write it; `0` is a draw.

    >>> result_text(3.5), result_text(-1.0), result_text(0)
    ('B+3.5', 'W+1', '0')
    """
    if not black_margin:
        return "0"
    winner = Player.BLACK if black_margin > 0 else Player.WHITE
    return f"{winner.letter}+{abs(black_margin):g}"


def winner_of(result: str) -> Player | None:
    """Who won by a result as GTP and SGF write it; None if nobody did.

    >>> winner_of("B+Resign"), winner_of("0")
    (<Player.BLACK: 0>, None)
    """
    return {"B": Player.BLACK, "W": Player.WHITE}.get(result.strip()[:1].upper())
