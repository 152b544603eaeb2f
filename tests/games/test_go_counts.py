"""Go on tiny boards, counted to the last position."""

from itertools import product
from typing import cast

import pytest

import gtpcore
from games.base import Player
from games.errors import IllegalMoveError

LEGAL_POSITIONS = {2: 57, 3: 12_675}
"""Tromp and Farneback, Combinatorics of Go (2006)."""

sizes = pytest.mark.parametrize("size", LEGAL_POSITIONS)


def may_be_set_up(size: int, stones: tuple[int, ...]) -> bool:
    state = gtpcore.GoState(size, gtpcore.GoRules())
    try:
        for point, stone in enumerate(stones):
            if stone >= 0:
                state.place(stone, point)
    except IllegalMoveError:
        return False
    return True


@sizes
def test_colourings_whose_every_chain_has_a_liberty(size: int) -> None:
    colourings = product((Player.BLACK, Player.WHITE, -1), repeat=size * size)
    assert sum(may_be_set_up(size, stones) for stones in colourings) == LEGAL_POSITIONS[size]


@sizes
@pytest.mark.parametrize("suicide", [False, True])
def test_moves_of_either_colour_lead_to_every_legal_position(size: int, suicide: bool) -> None:
    rules = gtpcore.GoRules(ko="simple", suicide=suicide)
    todo = [gtpcore.GoState(size, rules)]
    seen = {(-1,) * size**2}
    while todo:
        state = todo.pop()
        for player in Player:
            state.resume(player)
            for action in state.legal_actions()[:-1]:
                after = cast(gtpcore.GoState, state.clone())
                after.apply_action(action)
                cells = tuple(map(after.stone_at, range(size * size)))
                if cells not in seen:
                    seen.add(cells)
                    todo.append(after)
    assert len(seen) == LEGAL_POSITIONS[size]
