"""When to pass in Go, and what becomes of a pass that a search would make too much of."""

import pytest

from games.base import Player
from games.position import Position
from search.agent import Candidate, Decision
from search.go_passing import (
    Judged,
    Outlook,
    deceptive_pass,
    outlook,
    reconsidered,
    unjudged,
    wins_by_passing,
    with_care,
)
from tests.support.drawing import SETTLED, position_of

PASS = 81
MOVE = 10

DEAD = """
    . X . X O . O . O
    X X X X O O O O O
    X X X X O O O O O
    X . . X O . . . O
    X O . X O . . . O
    X . . X O . . . O
    X X X X O O O O O
    X X X X O O O O O
    X . X X O O O . O
"""
"""As the stones lie White has 16 points more, but 9 without the dead one."""


def passed_to(drawing: str, to_move: Player, rules: str, komi: float) -> Position:
    """A position after a pass of the opponent."""
    position = position_of(drawing, rules, komi, to_move.opponent)
    position.play(to_move.opponent, PASS)
    return position


def candidate(action: int, value: float, visits: int = 1) -> Candidate:
    return Candidate(action, visits, value, 0.0, (action,))


def unsure(_: Position) -> list[float]:
    """Takes Black's eye at the upper left to be White's, and knows nothing else."""
    return [-0.3 if point == 72 else 0.0 for point in range(PASS)]


def test_who_is_ahead_wins() -> None:
    assert [Outlook(score, True).value_to_move for score in (0.5, 0.0, -7.0)] == [1, 0, -1]


@pytest.mark.parametrize(
    ("judged", "komi", "may_pass"),
    [(unsure, -9.5, True), (unsure, -9, False), (unjudged, -9, True), (unjudged, -8.5, True)],
)
def test_who_is_not_ahead_plays_on_unless_all_is_certain(
    judged: Judged, komi: float, may_pass: bool
) -> None:
    """A draw is no win: the opponent may err."""
    found = outlook(position_of(SETTLED, "chinese", komi), judged)
    assert found is not None
    assert found.may_pass == may_pass


@pytest.mark.parametrize(("value_of_pass", "action"), [(-0.3, PASS), (-0.5, MOVE)])
def test_a_pass_replaces_a_move_that_is_much_worse(value_of_pass: float, action: int) -> None:
    moves = (candidate(PASS, value_of_pass), candidate(MOVE, -0.9))
    decision = reconsidered(Decision(MOVE, -0.9, candidates=moves), PASS)
    assert decision.action == action
    assert decision.value_to_move == (value_of_pass if action == PASS else -0.9)


def test_a_pass_replaces_no_move_that_the_search_prefers_or_has_no_value_of() -> None:
    preferred = Decision(MOVE, -0.9, candidates=(candidate(MOVE, -0.9), candidate(PASS, 0.0)))
    assert reconsidered(preferred, PASS) is preferred
    unknown = Decision(MOVE, None, candidates=(candidate(PASS, 0.0), candidate(MOVE, 0.0, 0)))
    assert reconsidered(unknown, PASS) is unknown


@pytest.mark.parametrize(
    ("rules", "komi", "passes"),
    [("chinese", -9.5, True), ("chinese", -9, True), ("chinese", -8.5, False),
     ("japanese", 7.5, True)],
)  # fmt: skip
def test_a_pass_that_loses_gives_way_where_a_move_costs_nothing(
    rules: str, komi: float, passes: bool
) -> None:
    """The board is settled, yet not for certain."""
    position = position_of(SETTLED, rules, komi)
    moves = (candidate(PASS, 0.2), candidate(MOVE, -0.4))
    decision = with_care(
        position, frozenset(), lambda: Decision(PASS, 0.2, candidates=moves), unsure
    )
    assert decision.action == (PASS if passes else MOVE)
    assert decision.value_to_move == (0.2 if passes else -0.4)


def test_a_move_that_was_not_looked_into_is_worth_what_the_pass_is() -> None:
    position = position_of(SETTLED, "chinese", -8.5)
    moves = (candidate(PASS, 0.2), candidate(MOVE, 0.0, visits=0))
    decision = with_care(
        position, frozenset(), lambda: Decision(PASS, 0.2, candidates=moves), unsure
    )
    assert (decision.action, decision.value_to_move) == (MOVE, 0.2)


@pytest.mark.parametrize(("komi", "wins"), [(-15.5, True), (-16, False), (-17, False)])
def test_a_second_pass_wins_by_the_stones_as_they_lie(komi: float, wins: bool) -> None:
    position = passed_to(DEAD, Player.WHITE, "tromp-taylor", komi)
    assert wins_by_passing(position) == wins


def test_a_pass_after_the_end_ends_nothing() -> None:
    position = passed_to(DEAD, Player.WHITE, "tromp-taylor", 20)
    position.play(Player.WHITE, PASS)
    assert not wins_by_passing(position.facing(Player.WHITE))


@pytest.mark.parametrize(
    ("komi", "deceives"), [(-16.5, False), (-16, True), (-9.5, True), (-9, False)]
)
def test_a_pass_deceives_that_wins_or_draws_by_dead_stones_alone(
    komi: float, deceives: bool
) -> None:
    position = passed_to(DEAD, Player.WHITE, "chinese", komi)
    assert deceptive_pass(position, unjudged, frozenset()) == ({PASS} if deceives else set())
    untold = position_of(DEAD, "chinese", komi, Player.WHITE)
    assert deceptive_pass(untold, unjudged, frozenset()) == set()


def test_no_pass_deceives_where_all_else_is_banned() -> None:
    position = passed_to(DEAD, Player.WHITE, "chinese", -9.5)
    assert deceptive_pass(position, unjudged, frozenset(range(PASS))) == set()


def test_a_net_judges_the_end_that_a_pass_makes() -> None:
    seen: list[Position] = []
    position = passed_to(DEAD, Player.WHITE, "chinese", -9.5)
    deceptive_pass(position, seen.append, frozenset())
    assert [each.state.is_terminal for each in seen] == [True]
