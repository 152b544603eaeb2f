"""What is asked of an agent about one position, however often a client is told."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest

import gtpcore
from games.base import Player
from games.go import Go, GoOptions
from games.position import Position
from gtpbot.report.insight import ENOUGH, Insight, is_first_look, worth_telling
from search.agent import AgentParams, Candidate, Report
from search.random import RandomAgent

POSITION = Position(Go(GoOptions(size=5)))


def insight_of(position: Position = POSITION) -> Insight:
    return Insight(RandomAgent(AgentParams(seed=1)), position)


def candidate(action: int, visits: int, prior: float = 0.0) -> Candidate:
    return Candidate(action, visits, 0.0, prior, (action,))


def test_whose_points_are_is_the_mean_of_all_playouts_so_far() -> None:
    state, insight = cast(gtpcore.GoState, POSITION.state), insight_of()
    parts = [state.ownership(50, seed=seed) for seed in (0, 50, 100, 150)]
    for count in (1, 2, 3, 4, 4):
        insight.refine(50)
        mean = [sum(point) / count for point in zip(*parts[:count], strict=True)]
        assert insight.owners == pytest.approx(mean, abs=1e-6)


def test_who_never_asked_for_more_gets_a_first_look_once() -> None:
    insight = insight_of()
    first = insight.owners
    assert first is not None
    assert insight.owners is first


class JudgingAgent(RandomAgent):
    """Has a net that gives every point to White, and Black a tenth of a chance to win."""

    def __init__(self, report: Report) -> None:
        super().__init__(AgentParams())
        self._report = report

    def judged_ownership(self, position: Position) -> Sequence[float]:
        return [-1.0000001] * 25

    def judged_value(self, position: Position) -> float:
        return -0.8


def test_whose_points_are_is_asked_of_a_net_alone_if_there_is_one() -> None:
    insight = Insight(JudgingAgent(Report(Player.BLACK, ())), POSITION)
    for _ in range(2):
        insight.refine(50)
        assert insight.owners == [-1.0000001] * 25
        assert insight.score_deviation == 0


@pytest.mark.parametrize(("value", "expected"), [(0.5, 0.5), (None, -0.8)])
def test_the_value_of_a_net_stands_in_for_one_that_is_not_known(
    value: float | None, expected: float
) -> None:
    moves = (replace(candidate(0, 0), value_to_move=expected),)
    given = Report(Player.BLACK, moves if value else (candidate(0, 0),), 1, value)
    agent = JudgingAgent(replace(given, state=POSITION.state))
    assert Insight(agent, POSITION).last_report() == Report(Player.BLACK, moves, 1, expected)


def test_owners_after_a_move_are_asked_for_until_the_deadline() -> None:
    position = POSITION.copy()
    insight = insight_of(position)
    assert insight.owners_after(12, -1.0) is None
    owners = insight.owners_after(12, float("inf"))
    assert owners is not None and owners[12] > 0.5
    assert insight.owners_after(12, -1.0) is owners
    assert not position.moves


@pytest.mark.parametrize("to_move", Player)
def test_the_lead_is_that_of_the_player_to_move(to_move: Player) -> None:
    insight = insight_of(POSITION.facing(to_move))
    insight.refine(ENOUGH)
    assert insight.owners is not None
    lead = cast(gtpcore.GoState, POSITION.state).black_lead(insight.owners)
    assert insight.score_to_move(Report(to_move, ())) == to_move.sign * lead
    assert insight.score_to_move(Report(to_move, (), score_to_move=3.5)) == 3.5


def test_so_many_moves_are_told_of_and_those_looked_at_first() -> None:
    tried, untried = [candidate(1, 5), candidate(3, 1)], [candidate(0, 0), candidate(2, 0)]
    report = Report(Player.BLACK, (tried[0], untried[0], untried[1], tried[1]))
    assert worth_telling(report) == tried
    assert worth_telling(report, 1) == tried
    assert worth_telling(report, 3) == [*tried, untried[0]]
    assert worth_telling(Report(Player.BLACK, tuple(untried))) == tuple(untried)


def test_a_search_that_has_only_priors_has_had_its_first_look() -> None:
    liked, other = candidate(0, 0, prior=0.5), candidate(1, 0)
    assert is_first_look(Report(Player.BLACK, (liked, other), 1))
    assert not is_first_look(Report(Player.BLACK, (other,), 1))
    assert not is_first_look(Report(Player.BLACK, (liked,), 0))
    assert not is_first_look(Report(Player.BLACK, (liked,), 1, value_to_move=0.1))
