"""Life and death by playouts, on drawn positions: lower-case letters are dead, S and T in seki."""

import pytest

import gtpcore
from games.base import Player
from games.go_status import judge

SETTLED = """
    .o..XO...
    ....XO...
    .XX.XO.O.
    X..XXO.O.
    .XXXOOO..
    XXOOO.OOO
    OOO.OOO..
    .OO...x.O
    ......x..
"""
SEKI = """
    XXXXXOOOO
    .X.X.O.O.
    XXXXXOOOO
    .X.X.O.O.
    XXXXXOOOO
    XXXXOOOOO
    .XTTSO.O.
    XXT.SOOOO
    .XT.SO.O.
"""
OPEN_BORDER = """
    ...XO....
    .XX..O.O.
    ..X.O....
    ...X.O...
    ...XO....
    ....XO...
    ..X.X.O..
    ...X.O...
    ....X.O..
"""
OPENING = """
    .........
    ......O..
    ..X......
    .........
    .........
    .........
    ..O...X..
    .........
    .........
"""
NO_STONES = """
    ...
    ...
    ...
"""
ALL_DEAD = """
    x....
    .....
    OOOOO
    .O.O.
    OOOOO
"""


def read(drawing: str) -> tuple[gtpcore.GoState, dict[str, list[int]]]:
    """The state, and the points of each status; Black is `X`, `x`, `S`."""
    rows = drawing.split()[::-1]
    state = gtpcore.GoState(len(rows), gtpcore.GoRules())
    drawn: dict[str, list[int]] = {"alive": [], "seki": [], "dead": []}
    for point, mark in enumerate("".join(rows)):
        if mark != ".":
            state.place(Player.BLACK if mark in "XxS" else Player.WHITE, point)
            drawn[{"S": "seki", "T": "seki", "x": "dead", "o": "dead"}.get(mark, "alive")] += [
                point
            ]
    return state, drawn


@pytest.mark.parametrize("drawing", [SETTLED, SEKI, OPEN_BORDER, OPENING, NO_STONES, ALL_DEAD])
@pytest.mark.parametrize("to_move", list(Player))
def test_status(drawing: str, to_move: Player) -> None:
    state, drawn = read(drawing)
    state.resume(to_move)
    assert judge(state)._asdict() == drawn


def test_the_same_answer_every_time() -> None:
    state, _ = read(SETTLED)
    assert judge(state) == judge(state)


def test_who_owns_the_points_may_be_told() -> None:
    state, drawn = read(SETTLED)
    owners = state.ownership(200, seed=0)
    assert judge(state, owners)._asdict() == drawn
    assert judge(state, [-1.0] * len(owners)).dead == state.stones(Player.BLACK)
