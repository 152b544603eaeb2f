"""Analysis, as GTP and KataGo's protocol have it, with the agents that there are."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from games.connect4 import ConnectFour
from games.go import Go, GoOptions
from games.position import Position
from games.tictactoe import TicTacToe
from gtpbot.analysis.command import Crew, _crew
from gtpbot.analysis.server import AnalysisServer
from gtpbot.gtp.command import interpret_options
from gtpbot.gtp.engine import Engine
from gtpbot.gtp.session import Session
from gtpbot.options import AgentChoice
from gtpbot.report.insight import ENOUGH, Insight
from search.agent import AgentParams
from search.random import RandomAgent
from search.uct import UctAgent


@pytest.mark.parametrize("name", ["solver", "uct", "alphabeta", "policy"])
def test_moves_to_avoid_are_told_by_no_agent(name: str) -> None:
    game = ConnectFour()
    told: list[Mapping[str, Any]] = []
    server = AnalysisServer(game, Crew(AgentChoice(name, {})), told.append, 1)
    allowed = [{"player": "W", "moves": ["A1", "G1"], "untilDepth": 1}]
    query = {"id": "q", "moves": [["B", "D1"]], "maxVisits": 50, "allowMoves": allowed}
    server.serve(json.dumps(query).encode())
    server.finish()
    assert {move["move"] for move in told[-1]["moveInfos"]} <= {"A1", "G1"}
    assert told[-1]["moveInfos"]


def test_each_player_may_be_left_moves_of_their_own() -> None:
    told: list[Mapping[str, Any]] = []
    server = AnalysisServer(ConnectFour(), Crew(AgentChoice("uct", {})), told.append, 1)
    allowed = [
        {"player": "B", "moves": ["A1", "G1"], "untilDepth": 2},
        {"player": "W", "moves": ["D1"], "untilDepth": 2},
    ]
    query = {"id": "q", "moves": [], "maxVisits": 50, "allowMoves": allowed}
    server.serve(json.dumps(query).encode())
    server.finish()
    assert {tuple(move["pv"][:2]) for move in told[-1]["moveInfos"]} == {("A1", "D1"), ("G1", "D1")}


@pytest.mark.parametrize("name", ["minimax", "alphabeta"])
def test_few_visits_have_an_answer_too(name: str) -> None:
    told: list[Mapping[str, Any]] = []
    server = AnalysisServer(ConnectFour(), Crew(AgentChoice(name, {})), told.append, 1)
    server.serve(b'{"id":"q","moves":[["B","D1"]],"maxVisits":1}')
    server.finish()
    assert len(told[-1]["moveInfos"]) == 7


@pytest.mark.parametrize(
    ("params", "asked", "least", "most"),
    [
        ({}, {}, 500, 500),
        ({"playouts": "30"}, {}, 30, 30),
        ({"playouts": "30"}, {"maxVisits": 60}, 60, 60),
        ({"seconds": "0.05"}, {"maxVisits": 2_000_000}, 1, 1_999_999),
    ],
)
def test_what_a_query_does_not_limit_the_agents_parameters_do(
    params: Mapping[str, str], asked: Mapping[str, int], least: int, most: int
) -> None:
    told: list[Mapping[str, Any]] = []
    crew = Crew(AgentChoice("uct", {"threads": "1", "seed": "1", **params}))
    server = AnalysisServer(ConnectFour(), crew, told.append, 1)
    server.serve(json.dumps({"id": "q", "moves": [], **asked}).encode())
    server.finish()
    assert least <= told[-1]["rootInfo"]["visits"] <= most


def test_the_version_is_that_of_the_program_it_is_to_be_taken_for() -> None:
    told: list[Mapping[str, Any]] = []
    server = AnalysisServer(
        ConnectFour(), Crew(AgentChoice("random")), told.append, 1, None, "1.16.0"
    )
    server.serve(b'{"id":"v","action":"query_version"}')
    server.finish()
    assert told[-1]["version"] == "1.16.0"


def test_a_position_takes_one_thread_unless_more_are_asked_for() -> None:
    for words, threads in (([], 1), (["--threads", "3"], 3)):
        options = interpret_options(["--game", "tictactoe", *words])
        agent = _crew(options, TicTacToe())(TicTacToe())
        assert isinstance(agent, UctAgent)
        assert agent.params.threads == threads


def test_whose_points_are_is_told_at_last_by_as_many_playouts_as_help() -> None:
    told: list[Mapping[str, Any]] = []
    game = Go(GoOptions(size=5))
    server = AnalysisServer(game, Crew(AgentChoice("random")), told.append, 1)
    server.serve(b'{"id":"q","includeOwnership":true}')
    server.finish()
    insight = Insight(RandomAgent(AgentParams()), Position(game))
    insight.refine(ENOUGH)
    assert told[-1]["ownership"] == pytest.approx(insight.rows(insight.owners or ()), abs=1e-6)


def test_a_move_that_cannot_be_meant_in_one_position_is_in_another() -> None:
    told: list[Mapping[str, Any]] = []
    crew = Crew(AgentChoice("uct", {"threads": "1", "seed": "1", "playouts": "50"}))
    server = AnalysisServer(ConnectFour(), crew, told.append, 1)
    avoid = [{"player": "B", "moves": ["D1"], "untilDepth": 1}]
    query = {"id": "q", "moves": [["B", "D1"]], "analyzeTurns": [1, 0], "avoidMoves": avoid}
    server.serve(json.dumps(query).encode())
    server.finish()
    names = {each["turnNumber"]: {info["move"] for info in each["moveInfos"]} for each in told}
    assert "D1" not in names[0] and len(names[0]) == 6 and len(names[1]) == 7


def test_numbers_beyond_every_game_are_no_bugs() -> None:
    """With a search, which takes no such numbers; it ends as there is nothing more to look into."""
    told: list[Mapping[str, Any]] = []
    crew = Crew(AgentChoice("uct", {"threads": "1", "seed": "1"}))
    server = AnalysisServer(TicTacToe(), crew, told.append, 1)
    avoid = [{"player": "B", "moves": ["B2"], "untilDepth": 2**40}]
    query = {"id": "q", "maxVisits": 2**80, "avoidMoves": avoid}
    server.serve(json.dumps({**query, "overrideSettings": {"maxTime": 0.2}}).encode())
    server.finish()
    moves = [info["move"] for info in told[0]["moveInfos"]]
    assert moves and "B2" not in moves


LOST = ["play w e5", "play w c5", "play w g5", "play w e7", "play w e3"]
"""For Black, as a net sees at a glance."""


@pytest.mark.parametrize(
    ("command", "winrate"),
    [
        ("kata-genmove_analyze b", r"winrate (\S+)"),
        ("kata-search_analyze b", r"lcb (\S+)"),
        ("cgos-genmove_analyze b", r'"winrate":([^,]+)'),
    ],
)
def test_one_playout_tells_what_the_net_thinks_of_the_position(command: str, winrate: str) -> None:
    """It looks at no move, and moves that were not looked at are not even for that."""
    told = _answer_to(*LOST, command)
    found = [float(each) for each in re.findall(winrate, told)]
    assert found and max(found) < 0.1


def test_a_move_that_was_not_looked_at_has_no_value_in_the_tree() -> None:
    _, header, *moves = _answer_to(*LOST, "reg_genmove b", "gtpbot-tree").splitlines()
    assert header.split()[:3] == ["move", "visits", "wins"]
    rows = [row.split() for row in moves if row and "more" not in row]
    assert rows and {(visits, wins) for _, visits, wins, *_ in rows} == {("0", "-")}


def _answer_to(*lines: str) -> str:
    """What is answered to the last of some lines, where `alphazero` makes one playout a move."""
    answers: list[str] = []
    session = Session(Go(GoOptions(size=9)), AgentChoice("alphazero", {"playouts": "1"}))
    engine = Engine(session, answers.append)
    for line in lines:
        answers.clear()
        engine.serve(line.encode())
    return "".join(answers)
