"""Life and death by playouts, on drawn positions: lower-case letters are dead, S and T in seki."""

import random
from collections.abc import Iterable
from contextlib import suppress

import pytest

import gtpcore
from games.base import Player
from games.errors import IllegalMoveError
from games.go_chains import chains_of
from games.go_status import agreed_score, judge, owners_of

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


@pytest.mark.parametrize("seed", range(20))
def test_the_same_answer_whatever_led_to_the_position(seed: int) -> None:
    """Random stones, in two orders, with either player to move."""
    rng = random.Random(seed)
    state = gtpcore.GoState(7, gtpcore.GoRules())
    stones: dict[int, Player] = {}
    for point in rng.sample(range(49), 25):
        player = rng.choice(list(Player))
        with suppress(IllegalMoveError):  # it would leave a chain without liberties
            state.place(player, point)
            stones[point] = player
    answers = []
    for order in (list(stones), sorted(stones)):
        state = gtpcore.GoState(7, gtpcore.GoRules())
        for point in order:
            state.place(stones[point], point)
        for player in Player:
            state.resume(player)
            answers.append(judge(state))
    assert answers == answers[:1] * 4


EYES_IN_SEKI = """
    .X.O.X.XO
    XXOOOXXXO
    OOOXOOOOO
    XXX.XXXXX
    ...X.....
    .........
    XXXXXXXXX
    OOOOOOOOO
    ..O.O.O..
"""


def test_eyes_in_seki_are_territory_of_nobody() -> None:
    state, _ = read(EYES_IN_SEKI)
    status = judge(state)
    assert status.dead == []
    assert {73, 77} <= set(status.seki)
    for scoring, eyes in (("territory", 2), ("area", 0)):
        state.rules = gtpcore.GoRules(scoring=scoring, remove_dead=True, komi=0)
        assert agreed_score(state) == state.black_score() - eyes
    state.rules = gtpcore.GoRules(scoring="territory", remove_dead=True, komi=0)
    assert agreed_score(state) == 12


def test_what_a_net_has_judged_counts_where_it_is_sure() -> None:
    state, _ = read(OPEN_BORDER)
    played = owners_of(state)
    assert owners_of(state, [0.0] * 81) == played
    assert owners_of(state, [-0.5] * 81) == pytest.approx([(p - 0.25) / 1.5 for p in played])
    empty = [point for point in range(81) if state.stone_at(point) < 0]
    owners = owners_of(state, opinion(empty, 1.0))
    assert [owners[p] for p in empty] == [(played[p] + 1) / 2 for p in empty]


def test_a_net_that_is_sure_saves_stones_that_playouts_lose() -> None:
    state, drawn = read(SETTLED)
    saved = [point for point in drawn["dead"] if state.stone_at(point) == Player.BLACK]
    assert judge(state, opinion(saved, 0.3))._asdict() == drawn
    assert judge(state, opinion(saved, 1.0)).dead == sorted({*drawn["dead"]} - {*saved})


@pytest.mark.parametrize("player", list(Player))
def test_a_net_knows_of_stones_that_they_are_lost_which_playouts_let_live(player: Player) -> None:
    state, drawn = read(SETTLED)
    largest = max((c.points for c in chains_of(state) if c.player == player), key=len)
    assert {*largest} <= {*drawn["alive"]}
    assert judge(state, opinion(largest, -0.5 * player.sign))._asdict() == drawn
    assert judge(state, opinion(largest, -0.6 * player.sign)).dead == sorted(
        [*drawn["dead"], *largest]
    )


def opinion(points: Iterable[int], owner: float) -> list[float]:
    """A net's, which says of these points alone whose they will be."""
    return [owner if point in points else 0.0 for point in range(81)]
