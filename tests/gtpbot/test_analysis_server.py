"""KataGo's analysis protocol, in process: queries in, answers out."""

import json
import threading
import time
from collections.abc import Mapping
from typing import Any

import pytest

from games.base import Game
from games.connect4 import ConnectFour
from games.go import Go, GoOptions
from games.position import Position
from games.tictactoe import TicTacToe
from gtpbot.analysis.command import Crew
from gtpbot.analysis.server import AnalysisServer
from gtpbot.options import AgentChoice
from gtpbot.text.stdout import Disconnected
from search.agent import Agent, Candidate, Report
from tests.support.analysis_client import FOREVER, GO, Client, PatientAgent
from tests.support.ended import wait_for


def test_a_position_in_full() -> None:
    """Black's view, though White is to move; rows from the top; the pass last."""
    query = {
        **GO,
        "moves": [["B", "C1"]],
        "maxVisits": 5,
        "includeOwnership": True,
        "includePolicy": True,
        "includePVVisits": True,
        "includeMovesOwnership": True,
    }
    rows = [-1.0, -1.0, 0.0, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0]
    lead = {"scoreLead": 2.0, "scoreMean": 2.0, "scoreSelfplay": 2.0, "scoreStdev": 1.802776}
    assert Client().answers(query) == [
        {
            "isDuringSearch": False,
            "id": "q",
            "turnNumber": 1,
            "moveInfos": [
                {
                    "move": "B2",
                    "visits": 90,
                    "order": 0,
                    "lcb": 0.31125,
                    "winrate": 0.25,
                    "utility": -0.5,
                    "scoreLead": -2.5,
                    "scoreMean": -2.5,
                    "scoreSelfplay": -2.5,
                    "scoreStdev": 1.802776,
                    "prior": 0.25,
                    "pv": ["B2", "A1", "pass"],
                    "pvVisits": [90, 30, 2],
                    "ownership": rows,
                },
                {
                    "move": "A1",
                    "visits": 9,
                    "order": 1,
                    "lcb": 1.0,
                    "winrate": 1.0,
                    "utility": 1.0,
                    **lead,
                    "prior": 0.125,
                    "pv": ["A1"],
                    "pvVisits": [9],
                    "ownership": rows,
                },
            ],
            "rootInfo": {
                "currentPlayer": "W",
                "visits": 100,
                "winrate": 0.25,
                "utility": -0.5,
                **lead,
            },
            "ownership": rows,
            "policy": [0, 0, 0, 0, 0.666667, 0, 0.333333, 0, -1.0, 0],
        }
    ]


def test_the_length_of_a_variation_counts_the_moves_after_the_first() -> None:
    query = {**GO, "moves": [["B", "C1"]], "includePVVisits": True, "analysisPVLen": 1}
    (told,) = Client().answers(query)
    assert [each["pv"] for each in told["moveInfos"]] == [["B2", "A1"], ["A1"]]
    assert [each["pvVisits"] for each in told["moveInfos"]] == [[90, 30], [9]]


@pytest.mark.parametrize(
    ("view", "winrate", "owner"),
    [
        *((view, 0.25, -1.0) for view in ("BLACK", "black", "b")),
        *((view, 0.75, 1.0) for view in ("WHITE", "W", "SIDETOMOVE", "sideToMove")),
    ],
)
def test_whose_view_is_the_clients_choice(view: str, winrate: float, owner: float) -> None:
    settings = {"reportAnalysisWinratesAs": view}
    query = {**GO, "moves": [["B", "C1"]], "includeOwnership": True, "overrideSettings": settings}
    (told,) = Client().answers(query)
    assert told["rootInfo"]["winrate"] == winrate
    assert told["ownership"][0] == owner


@pytest.mark.parametrize("field", ["initialStones", "moves"])
@pytest.mark.parametrize(("bonus", "points"), [("0", 0), ("N", 2), ("N-1", 1)])
def test_points_for_handicap_stones_may_be_those_of_the_query(
    field: str, bonus: str, points: int
) -> None:
    stones = [["B", "A1"], ["B", "C3"]]
    (told,) = Client().answers({**GO, field: stones, "whiteHandicapBonus": bonus})
    assert told["rootInfo"]["scoreLead"] == 2.0 - points


def test_every_turn_asked_for_is_answered() -> None:
    moves = [["B", "C1"], ["w", "a1"], ["B", "pass"]]
    told = Client().answers({**GO, "moves": moves, "analyzeTurns": [3, 0, 2]})
    assert [each["turnNumber"] for each in told] == [3, 0, 2]
    assert [each["rootInfo"]["currentPlayer"] for each in told] == ["W", "B", "B"]


def test_a_turn_asked_for_twice_is_answered_once() -> None:
    moves = [["B", "C1"]]
    told = Client().answers(
        {**GO, "moves": moves, "analyzeTurns": [0, 1, 0], "priorities": [1, 2, 3]}
    )
    assert [each["turnNumber"] for each in told] == [0, 1]


@pytest.mark.parametrize("every", [0.02, 1e-320])
def test_reports_during_the_search(every: float) -> None:
    client = Client()
    client.ask(
        **GO, maxVisits=FOREVER, reportDuringSearchEvery=every, firstReportDuringSearchAfter=0.01
    )
    wait_for(lambda: len(client.told) >= 3)
    client.ask(id="t", action="terminate", terminateId="q")
    client.server.finish()
    answers = [each for each in client.told if each["id"] == "q"]
    assert [each["isDuringSearch"] for each in answers] == [*[True] * (len(answers) - 1), False]


def test_reports_that_are_late_are_left_out() -> None:
    told: list[float] = []

    def write(said: Mapping[str, Any]) -> None:
        told.append(time.monotonic())
        time.sleep(0.0 if told[1:] else 0.5)

    server = AnalysisServer(Go(GoOptions(size=3)), lambda game: PatientAgent(), write, 1)
    query = {**GO, "id": "q", "maxVisits": FOREVER, "reportDuringSearchEvery": 0.06}
    server.serve(json.dumps(query).encode())
    wait_for(lambda: len(told) >= 7)
    server.leave()
    assert told[6] - told[1] > 0.06 * 4


def test_a_first_report_alone() -> None:
    client = Client()
    client.ask(**GO, maxVisits=FOREVER, firstReportDuringSearchAfter=0.01)
    wait_for(lambda: client.told)
    client.ask(id="t", action="terminate", terminateId="q")
    client.server.finish()
    answers = [each for each in client.told if each["id"] == "q"]
    assert [each["isDuringSearch"] for each in answers] == [True, False]


def test_no_report_comes_before_a_move_was_looked_at() -> None:
    class SlowAgent(PatientAgent):
        looks = 0

        def report(self) -> Report | None:
            self.looks += 1
            b2 = Candidate(4, 0, 0.0, 0.5, (4,))
            shown = self._shown
            return None if shown is None else Report(shown.to_move, (b2,), 1, state=shown.state)

    told: list[Mapping[str, Any]] = []
    agent = SlowAgent()
    server = AnalysisServer(Go(GoOptions(size=3)), lambda game: agent, told.append, 1)
    query = {**GO, "id": "q", "maxVisits": FOREVER, "reportDuringSearchEvery": 0.01}
    server.serve(json.dumps(query).encode())
    wait_for(lambda: agent.looks > 3)
    server.serve(b'{"id":"t","action":"terminate_all"}')
    server.finish()
    assert not any(answer.get("isDuringSearch") for answer in told)


@pytest.mark.parametrize(("judged", "winrate"), [(0.5, 0.75), (None, 0.5)])
def test_one_visit_tells_what_the_net_says_of_the_position(
    judged: float | None, winrate: float
) -> None:
    class BriefAgent(PatientAgent):
        def report(self) -> Report | None:
            shown = self._shown
            b2 = Candidate(4, 0, 0.0, 0.5, (4,))
            return None if shown is None else Report(shown.to_move, (b2,), 1, state=shown.state)

        def judged_value(self, position: Position) -> float | None:
            return judged

    told: list[Mapping[str, Any]] = []
    server = AnalysisServer(Go(GoOptions(size=3)), lambda game: BriefAgent(), told.append, 1)
    server.serve(json.dumps({**GO, "id": "q", "maxVisits": 1, "moves": []}).encode())
    server.finish()
    (answer,) = told
    assert answer["rootInfo"]["winrate"] == answer["moveInfos"][0]["winrate"] == winrate


@pytest.mark.parametrize(
    ("said", "visits"),
    [
        ({"maxVisits": 9, "overrideSettings": {"maxPlayouts": 5}}, 5),
        ({"overrideSettings": {"maxVisits": 9, "maxPlayouts": 20}}, 9),
        ({"maxVisits": 30, "overrideSettings": {"maxVisits": 9}}, 30),
        ({"overrideSettings": {"maxPlayouts": 20}}, 20),
        ({"maxVisits": 2**50 - 1}, 2**50 - 1),
    ],
)
def test_of_several_limits_all_hold(said: Mapping[str, Any], visits: int) -> None:
    client = Client()
    client.answers({**GO, **said})
    (limits,) = client.agents[0].asked
    assert limits.playouts == visits


def test_limits_and_restrictions_reach_the_agent() -> None:
    client = Client()
    avoid = [{"player": "B", "moves": ["A1", "pass"], "untilDepth": 2}]
    settings = {"maxTime": 3.5}
    client.answers({**GO, "maxVisits": 7, "avoidMoves": avoid, "overrideSettings": settings})
    (limits,) = client.agents[0].asked
    assert (limits.playouts, limits.seconds) == (7, 3.5)
    assert {(ban.player.letter, ban.action, ban.plies) for ban in limits.bans} == {
        ("B", 0, 2),
        ("B", 9, 2),
    }


def test_stones_set_up_before_the_first_move() -> None:
    client = Client()
    told = client.answers({**GO, "initialStones": [["B", "A1"], ["B", "C3"]], "moves": []})
    assert told[0]["rootInfo"]["currentPlayer"] == "W"
    told = Client().answers({**GO, "initialStones": [["W", "A1"]], "initialPlayer": "W"})
    assert told[0]["rootInfo"]["currentPlayer"] == "W"
    told = Client().answers({**GO, "moves": [["W", "A1"], ["B", "B2"]], "analyzeTurns": [0]})
    assert told[0]["rootInfo"]["currentPlayer"] == "W"


def test_other_games() -> None:
    client = Client(ConnectFour())

    (told,) = client.answers(
        {"moves": [["B", "D1"]], "includePolicy": True, "includeOwnership": True}
    )
    assert "ownership" not in told and "scoreLead" not in told["rootInfo"]
    assert len(told["policy"]) == 43
    # White's discs would land on row 1, but on D2
    assert [place for place, share in enumerate(told["policy"]) if share >= 0] == [
        31,
        35,
        36,
        37,
        39,
        40,
        41,
    ]


def test_other_games_begin_with_black() -> None:
    told = [Client(ConnectFour()).answers({"initialPlayer": player})[0] for player in "Bw"]
    assert told[0]["rootInfo"]["currentPlayer"] == "B"
    assert told[1]["error"].startswith("initialPlayer 'W': expected 'B', for Black moves first in")
    assert told[1]["field"] == "initialPlayer"


def test_a_finished_game_tells_who_won() -> None:
    moves = [["B", "A1"], ["W", "A2"], ["B", "B1"], ["W", "B2"], ["B", "C1"]]
    (told,) = Client(TicTacToe()).answers({"moves": moves})
    assert told["moveInfos"] == []
    assert told["rootInfo"]["winrate"] == 1.0


@pytest.mark.parametrize(
    ("query", "error", "field"),
    [
        ({"moves": [["B", "D9"]]}, "Illegal move 0: B 'D9': vertex", "moves"),
        ({"moves": [["B", "A1"], ["W", "A1"]]}, "Illegal move 1: W 'A1'", "moves"),
        ({"moves": [["X", "A1"]]}, "moves.0.0 'X'", "moves"),
        ({"moves": "A1"}, "moves 'A1'", "moves"),
        ({"moves": [["B", "pass"]] * 91}, "91 moves: expected 90 at most", "moves"),
        ({"komi": 0.3}, "komi '0.3': expected a multiple of 0.5", "komi"),
        ({"rules": "chess"}, "unknown rules 'chess'", "rules"),
        ({"boardYSize": 4}, "board 3x4: expected a square one", "boardYSize"),
        ({"boardXSize": 99, "boardYSize": 99}, "size '99': expected", "boardXSize"),
        ({"analyzeTurns": [1]}, "turn 1: expected 0 to 0", "analyzeTurns"),
        ({"analyzeTurns": [-1]}, "turn -1: expected 0 to 0", "analyzeTurns"),
        ({"maxVisits": 0}, "maxVisits '0'", "maxVisits"),
        ({"analysisPVLen": 0}, "analysisPVLen '0'", "analysisPVLen"),
        *(
            ({"overrideSettings": {key: 0}}, f"overrideSettings.{key} '0'", "overrideSettings")
            for key in ("maxTime", "maxVisits", "maxPlayouts")
        ),
        ({"overrideSettings": 7}, "overrideSettings '7'", "overrideSettings"),
        ({"priorities": [1, 2]}, "priorities: expected 1, one a turn", "priorities"),
        ({"initialStones": [["B", "A1"], ["B", "A1"]]}, "B 'A1'", "initialStones"),
        ({"initialStones": [["B", "pass"]]}, "B 'pass'", "initialStones"),
        ({"reportDuringSearchEvery": 0}, "reportDuringSearchEvery '0'", "reportDuringSearchEvery"),
        (
            {"avoidMoves": [{"player": "B", "moves": ["Z9"], "untilDepth": 1}]},
            "vertex 'Z9' is off the board",
            "avoidMoves",
        ),
        (
            {"allowMoves": [{"player": "B", "moves": ["Z9"], "untilDepth": 1}]},
            "vertex 'Z9' is off the board",
            "allowMoves",
        ),
        (
            {"allowMoves": [{"player": "B", "moves": [], "untilDepth": 1}]},
            "no move is left to analyze",
            "allowMoves",
        ),
        (
            {"allowMoves": [{"player": "B", "moves": ["A1"], "untilDepth": 1}] * 2},
            "allowMoves: expected one for each player at most",
            "allowMoves",
        ),
        ({"action": "dance"}, "action 'dance'", "action"),
        ({"action": ["x"]}, "action \"['x']\"", "action"),
        ({"action": "terminate"}, "terminateId: expected", "terminateId"),
        ({"action": "terminate_all", "turnNumbers": "0"}, "turnNumbers '0'", "turnNumbers"),
        ({"id": 7}, "id '7'", "id"),
        ({"id": 7, "action": "terminate_all"}, "id: expected text", "id"),
        (
            {"overrideSettings": {"reportAnalysisWinratesAs": "mine"}},
            "reportAnalysisWinratesAs 'mine': input should be 'BLACK', 'WHITE' or 'SIDETOMOVE'",
            "overrideSettings",
        ),
    ],
)
def test_what_is_wrong_with_a_query(query: Mapping[str, Any], error: str, field: str) -> None:
    client = Client()
    (told,) = client.answers(GO | dict(query))
    assert error in told["error"]
    assert told["field"] == field
    assert told.get("id") == ("q" if "id" not in query else None)
    assert not client.agents


@pytest.mark.parametrize(
    "line",
    [b"no json", b"[1]", b"\xff", b'{"id": "q"', b"7", pytest.param(b"[" * 100_000, id="deep")],
)
def test_lines_that_hold_no_query(line: bytes) -> None:
    client = Client()
    client.server.serve(line)
    client.server.serve(b"  ")
    client.server.finish()
    (told,) = client.told
    assert list(told) == ["error"]
    assert "bug" not in told["error"] and "internal" not in told["error"]


def test_fields_that_nobody_heeds_are_told_once() -> None:
    query = {**GO, "humanSLProfile": "x", "overrideSettings": {"wideRootNoise": 0.04}}
    told = Client().answers(query, query)
    assert [(each["field"], each["id"]) for each in told if "warning" in each] == [
        ("humanSLProfile", "q"),
        ("overrideSettings.wideRootNoise", "q"),
    ]
    assert sum("rootInfo" in each for each in told) == 2


@pytest.mark.parametrize(
    ("error", "answer"),
    [
        (RuntimeError("a bug"), "internal error: a bug"),
        (MemoryError("std::bad_alloc"), "out of memory: lower the parameter memory_mb"),
    ],
)
def test_an_agent_that_fails_fails_one_query(
    error: Exception, answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    client = Client()

    class Failing(PatientAgent):
        def analyze(self, *args: object) -> None:
            raise error

    client.server._workers[0]._crew = lambda game: Failing()
    (told,) = client.answers(GO)
    assert told == {"error": answer, "id": "q", "turnNumber": 0}
    assert f"{type(error).__name__}: {error}" in capsys.readouterr().err


def test_agents_are_kept_for_a_few_sizes_of_the_board() -> None:
    client = Client()
    sizes = [3, 5, 3, 5, 7, 9, 3, 11, 5, 9, 3]  # the size 3 is the oldest of four when 11 comes
    client.answers(*({"boardXSize": size, "boardYSize": size} for size in sizes))
    assert len(client.told) == len(sizes)
    assert len(client.agents) == 6
    assert all(agent.report() is None for agent in client.agents)


def test_nets_are_kept_for_a_few_sizes_of_the_board() -> None:
    made: list[int] = []

    class Choice(AgentChoice):
        def make(self, game: Game, gathers: bool = False) -> Agent:
            assert gathers  # all positions are valued in common batches
            made.append(game.spec.width)
            return super().make(game, gathers)

    crew = Crew(Choice("random"))
    for size in (3, 5, 3, 5, 7, 9, 3, 11, 5, 3):
        crew(Go(GoOptions(size=size)))
    assert made == [3, 5, 7, 9, 11, 3]


def test_a_bug_in_the_server_fails_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    client = Client()

    def write(said: Mapping[str, Any]) -> None:
        if "version" in said:
            raise RuntimeError("a bug")
        client.told.append(said)

    client.server._write = write
    client.ask(action="query_version")
    assert client.told == [{"error": "internal error: a bug", "id": "q"}]
    assert "RuntimeError: a bug" in capsys.readouterr().err
    assert "rootInfo" in client.answers(GO)[-1]


def test_a_client_that_leaves_ends_everything() -> None:
    client = Client(workers=3)
    asked, gone = threading.Event(), threading.Event()

    def write(said: Mapping[str, Any]) -> None:
        assert asked.wait(5)
        gone.set()
        raise Disconnected

    before = threading.active_count()
    client.server._write = write
    for number in range(6):
        client.ask(**GO, id=str(number), maxVisits=FOREVER, reportDuringSearchEvery=0.01)
    asked.set()
    assert gone.wait(5)
    with pytest.raises(Disconnected):
        wait_for(lambda: client.server.serve(b'{"id":"v","action":"query_version"}'))
    client.server.leave()
    assert threading.active_count() <= before - 3


def test_many_queries_from_many_positions() -> None:
    client = Client(workers=4)
    for number in range(200):
        client.ask(**GO, id=str(number), moves=[["B", "A1"]] * (number % 2))
    client.server.finish()
    assert sorted(int(each["id"]) for each in client.told) == list(range(200))
    assert len(client.agents) <= 4
