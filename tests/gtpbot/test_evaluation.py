"""What an agent thinks of a position, in words."""

import pytest

from games.base import Player
from games.go import Go, GoOptions
from games.position import Position
from gtpbot.report.evaluation import others, reasons, summary
from search.agent import Candidate, Decision, Report

GAME = Go(GoOptions(size=9))


def candidate(action: int, visits: int, value: float = 0.0, *then: int) -> Candidate:
    return Candidate(action, visits, value, 0.0, (action, *then))


def test_nothing_is_said_of_what_is_not_known() -> None:
    position = Position(GAME)
    assert summary(position, Report(Player.BLACK, ())) == ""
    assert summary(position, Report(Player.BLACK, (candidate(0, 1),))) == ""


@pytest.mark.parametrize(
    ("to_move", "score", "ahead"),
    [
        (Player.BLACK, 2.5, "Black ahead by 2.5"),
        (Player.BLACK, -2.5, "White ahead by 2.5"),
        (Player.WHITE, 2.5, "White ahead by 2.5"),
        (Player.WHITE, -2.5, "Black ahead by 2.5"),
        (Player.WHITE, 0.0, "White ahead by 0.0"),
    ],
)
def test_who_leads_is_named(to_move: Player, score: float, ahead: str) -> None:
    report = Report(to_move, (), score_to_move=score)
    assert summary(Position(GAME), report) == ahead


def test_all_that_is_known_is_on_a_line() -> None:
    report = Report(Player.BLACK, (candidate(0, 7, 0.5, 1),), 1200, 0.5, 3.0)
    expected = "1,200 playouts, Black 75.0 %, Black ahead by 3.0, A1 B1"
    assert summary(Position(GAME), report) == expected


def test_the_move_chosen_comes_first_and_others_only_if_they_were_tried() -> None:
    position = Position(GAME)
    position.play(Player.BLACK, 40)
    moves = [candidate(0, 30, 0.2), candidate(1, 0), candidate(2, 40, -0.5), candidate(3, 1000)]
    more = [candidate(4, 5, -1.0), candidate(5, 4, -1.0)]
    report = reasons(position, Decision(2, candidates=(*moves, *more)))
    assert [each.action for each in report.candidates] == [2, 0, 1, 3, 4, 5]
    assert others(position, report) == "A1 40.0 % (30), D1 50.0 % (1,000), E1 100.0 % (5)"
