"""What an answer of the analysis protocol says where an agent knows little."""

from typing import Any

import pytest

from games.base import Player
from games.connect4 import ConnectFour
from games.go import Go, GoOptions
from games.position import Position
from games.tictactoe import TicTacToe
from gtpbot.analysis.answer import answer, final_report, policy
from gtpbot.analysis.query import interpret_query
from gtpbot.report.insight import Insight
from search.agent import AgentParams, Candidate, Report
from search.random import RandomAgent
from tests.support.positions import after

MOVE = Candidate(3, 0, 0.5, 0.0, (3,))


def said(position: Position, report: Report, **fields: bool) -> dict[str, Any]:
    insight = Insight(RandomAgent(AgentParams(seed=1)), position)
    return answer(interpret_query({"id": "one", **fields}), 0, insight, report)


def test_without_priors_all_legal_moves_are_as_likely() -> None:
    position = after(ConnectFour(), 0, 0, 0, 0, 0, 0)
    shares = policy(position, Report(Player.BLACK, (MOVE,)))
    assert shares[-7:] == pytest.approx([1 / 6] * 6 + [-1], abs=1e-6)
    assert shares.count(-1.0) == 43 - 6


def test_priors_are_told_as_shares_of_the_legal_moves() -> None:
    position = Position(Go(GoOptions(size=2)))
    moves = (Candidate(0, 1, 0.0, 0.3, (0,)), Candidate(4, 1, 0.0, 0.1, (4,)))
    assert policy(position, Report(Player.BLACK, moves)) == [0, 0, 0.75, 0, 0.25]


def test_what_is_not_counted_or_not_asked_for_is_not_told() -> None:
    position = Position(ConnectFour())
    report = Report(Player.BLACK, (MOVE,), 1, 0.5)
    wanted = ("includeOwnership", "includeOwnershipStdev", "includePVVisits")
    (move,) = said(position, report, **dict.fromkeys(wanted, True))["moveInfos"]
    assert (move["visits"], move["pvVisits"]) == (1, [1])
    told = said(position, report)
    assert not {"ownership", "ownershipStdev", "policy"} & told.keys()
    assert "pvVisits" not in told["moveInfos"][0]
    of_go = said(Position(Go(GoOptions(size=5))), report)
    assert not {"ownership", "ownershipStdev", "policy"} & of_go.keys()


def test_moves_that_were_not_looked_at_are_not_told_beside_others() -> None:
    looked = Candidate(0, 1, 0.5, 0.0, (0,))
    told = said(Position(ConnectFour()), Report(Player.BLACK, (looked, MOVE), 1, 0.5))
    assert [move["move"] for move in told["moveInfos"]] == ["A1"]


def test_how_far_owners_deviate_is_told_alone_and_alike_for_both_players() -> None:
    position = after(Go(GoOptions(size=5)), 12)
    report = Report(Player.WHITE, (MOVE,), 1, 0.5)
    told = said(position, report, includeOwnershipStdev=True, includeMovesOwnershipStdev=True)
    for each in (told, told["moveInfos"][0]):
        assert "ownership" not in each
        assert len(each["ownershipStdev"]) == 25
        assert min(each["ownershipStdev"]) >= 0 < max(each["ownershipStdev"])


def test_a_finished_game_is_worth_what_it_ended_with() -> None:
    won = after(TicTacToe(), 0, 3, 1, 4, 2)
    assert (final_report(won).to_move, final_report(won).value_to_move) == (Player.WHITE, -1)
    drawn = after(TicTacToe(), 4, 0, 2, 6, 3, 5, 1, 7, 8)
    assert final_report(drawn).value_to_move == 0
