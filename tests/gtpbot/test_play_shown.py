"""What a person at the board is shown: boards, moves, hints, help."""

import io
import sys

import pytest

from games.base import Player
from games.position import Position
from gtpbot.cli import main
from search.agent import AgentParams, Candidate, Decision, Limits, Report
from search.random import RandomAgent
from tests.support.agents import ReportingAgent
from tests.support.table import Table

TWO_PEOPLE = frozenset(Player)

FOUR = """\
  A B C D E F G
6 . . . . . . . 6
5 . . . . . . . 5
4 . . . . . . . 4
3 . . . . . . . 3
2 . . .(O). . . 2
1 . . . X . . . 1
  A B C D E F G
Black to move
"""

GO = """\
  A B C D E
5 . . . . . 5
4 . . . . . 4
3 . .(X). . 3
2 . . . . . 2
1 . . . . . 1
  A B C D E
Black captured: 0. White captured: 0. Komi: 0.5. White to move
"""


@pytest.mark.parametrize(
    ("colour", "told"),
    [("white", "you are White, gtpbot (random) is Black"), ("both", "two people")],
)
def test_who_plays_which_colour_is_told(
    colour: str, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"quit\n")))
    assert main(["play", "tictactoe", "--agent", "random", "--colour", colour]) == 0
    assert capsys.readouterr().out.startswith(f"Tic Tac Toe: {told}. Say `help` for help.\n")


def test_nobody_plays_where_nothing_can_be_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["play", "tictactoe"]) == 2
    assert "play: expected standard input and output" in capsys.readouterr().err


def test_each_move_of_people_is_followed_by_one_board() -> None:
    table = Table("connect4", TWO_PEOPLE)
    table.say("D")
    assert table.say("D") == table.say("board") == FOUR
    assert Table("go", TWO_PEOPLE, size="5", komi="0.5").say("C3") == GO


def test_the_line_that_is_told_is_of_the_move_that_was_played() -> None:
    class Whimsical(RandomAgent):
        def choose(self, position: Position, limits: Limits) -> Decision:
            candidates = (Candidate(0, 9, 0.0, 0.0, (0, 1)), Candidate(2, 1, 0.0, 0.0, (2, 3)))
            return Decision(2, candidates=candidates)

    table = Table("tictactoe")
    table.session.thinker.agent = Whimsical(AgentParams())
    assert table.say("B2").startswith("gtpbot plays C1 (C1 A2)\n")


def hinted(report: Report) -> str:
    """What is hinted at by an agent that thinks so."""
    table = Table("tictactoe")
    agent = ReportingAgent(lambda position: report)
    table.session.thinker.agent = agent
    told = table.say("hint")
    assert agent.asked == [Limits(seconds=1.0)]
    return told


def test_hints_are_of_moves_that_were_looked_at_and_else_of_likely_ones() -> None:
    tried, other = Candidate(4, 1234, 0.5, 0.6, (4, 0)), Candidate(0, 56, -1.0, 0.4, (0,))
    untried = Candidate(1, 0, 0.0, 0.0, (1,))
    assert hinted(Report(Player.BLACK, (tried, untried, other), 1290, 0.5)) == (
        "Black 75.0 %  1,234 playouts  B2 A1\nBlack 0.0 %      56 playouts  A1\n"
    )
    likely = (Candidate(4, 0, 0.0, 0.6, (4, 0)), Candidate(0, 0, 0.0, 0.4, (0,)), untried)
    assert hinted(Report(Player.BLACK, likely)) == "60 % likely    B2 A1\n40 % likely    A1\n"


def test_the_help_gives_a_move_for_an_example() -> None:
    assert Table("go").say("help").startswith("L10     play this move\nundo    take back")
    over = Table("coin", TWO_PEOPLE, pile="2")
    over.say("2")
    assert over.say("help").startswith("D4      play this move\n")
