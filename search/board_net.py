"""Nets of Go that say more than a search asks: who leads by how much, and whose each point is."""

from collections.abc import Sequence
from dataclasses import dataclass

import gtpcore


@dataclass(frozen=True)
class BoardOpinion:
    """What a net expects of the end of a game."""

    score_to_move: float | None
    """Points ahead, komi included, for the player to move; None if the net has no such output."""
    ownership: Sequence[float] | None
    """Of each point, row * width + column, from -1 for White to 1 for Black; None likewise."""


class BoardNet(gtpcore.Net):
    """A net that may be asked about the whole board too."""

    def board(self, state: gtpcore.GoState) -> BoardOpinion:
        """Its opinion of a position, on average over all symmetric images of it."""
        raise NotImplementedError


def board_opinion(net: gtpcore.Net | None, state: object) -> BoardOpinion | None:
    """What a net that knows says of a position of Go; None if it does not know."""
    if not isinstance(net, BoardNet) or not isinstance(state, gtpcore.GoState):
        return None
    return net.board(state)
