"""What an agent thinks, as pictures and as text; and pictures of a search while it runs."""

import time
from dataclasses import replace

import pytest

from games.base import Player
from games.go import Go, GoOptions
from games.position import Position
from games.registry import GAMES
from games.tictactoe import TicTacToe
from gtpbot.gtp.gfx import gfx
from gtpbot.gtp.live import LivePictures
from gtpbot.gtp.session import Session
from gtpbot.options import AgentChoice, make_game
from gtpbot.report import thoughts
from search.agent import Agent, AgentParams, Candidate, Decision, Limits, Report, net_fields
from search.registry import AGENTS

A1, B1, B2 = 0, 1, 4
PASS = 9

REPORT = Report(
    Player.BLACK,
    (
        Candidate(B2, 90, 0.5, 0.6, (B2, A1, PASS, B1), variation_visits=(90, 40, 2, 1)),
        Candidate(A1, 10, -0.25, 0.4, (A1,)),
        Candidate(PASS, 0, 0.0, 0.0, (PASS,)),
        Candidate(B1, 0, 0.0, 0.0, (B1,)),
    ),
    playouts=100,
    value_to_move=0.5,
    score_to_move=1.5,
)
SUMMARY = "TEXT Black to move, best B2, wins 75.0 %, leads by 1.5, 100 playouts"


@pytest.fixture
def position() -> Position:
    return Position(Go(GoOptions(size=3)))


def lines(*expected: str) -> str:
    return "\n".join(expected)


def test_shares_of_visits_leave_out_what_got_none(position: Position) -> None:
    picture = lines("COLOR #40c0ff A1", "COLOR #ff5030 B2", "LABEL B2 90 A1 10", SUMMARY)
    assert gfx(thoughts.visits(position, REPORT)) == picture


def test_passes_have_no_place_and_numbers_are_rounded(position: Position) -> None:
    chances = {B2: (64, 0.1237), PASS: (46, 0.0), A1: (45, -0.1)}
    moves = (Candidate(move, *known, 0.0, (move,)) for move, known in chances.items())
    report = Report(Player.BLACK, tuple(moves), 155, 0.1237)
    summary = "Black to move, best B2, wins 56.2 %, 155 playouts"
    assert gfx(thoughts.visits(position, report)) == lines(
        "COLOR #ffa030 A1", "COLOR #ff5030 B2", "LABEL B2 41 A1 29", f"TEXT {summary}"
    )
    assert [row.split() for row in thoughts.tree(position, report).splitlines()[2:]] == [
        ["B2", "64", "56.2", "-"],
        ["pass", "46", "50.0", "-"],
        ["A1", "45", "45.0", "-"],
    ]


def test_a_policy_is_the_priors(position: Position) -> None:
    assert gfx(thoughts.policy(position, REPORT)).splitlines()[-2] == "LABEL B2 60 A1 40"


def test_an_agent_without_a_policy_says_so(position: Position) -> None:
    report = Report(Player.BLACK, (Candidate(A1, 1, 0.0, 0.0, (A1,)),))
    assert gfx(thoughts.policy(position, report)).startswith("TEXT this agent has no policy")


def test_values_are_chances_of_moves_that_were_tried(position: Position) -> None:
    picture = lines("SQUARE B2", "LABEL B2 75 A1 38", SUMMARY)
    assert gfx(thoughts.values(position, REPORT)) == picture


def test_no_chances_are_drawn_where_none_are_known(position: Position) -> None:
    """As of an agent that has a policy and does not search."""
    likely = Report(Player.BLACK, (Candidate(A1, 0, 0.0, 1.0, (A1,)),))
    summary = "TEXT Black to move, best A1, 0 playouts"
    assert gfx(thoughts.values(position, likely)) == summary
    exact = replace(likely, value_to_move=0.0)
    assert gfx(thoughts.values(position, exact)).splitlines()[:2] == ["SQUARE A1", "LABEL A1 50"]
    assert [row.split() for row in thoughts.tree(position, likely).splitlines()[2:]] == [
        ["A1", "0", "-", "100.0"]
    ]


def test_the_best_line_alternates_and_may_pass(position: Position) -> None:
    picture = lines("VAR B B2 W A1 B pass W B1", SUMMARY)
    assert gfx(thoughts.best_line(position, REPORT)) == picture


def test_a_search_is_its_line_and_its_shares(position: Position) -> None:
    picture = lines("INFLUENCE B2 1.00 A1 0.11", "VAR B B2 W A1 B pass W B1", SUMMARY)
    assert gfx(thoughts.thinking(position, REPORT)) == picture


def test_shares_of_white_are_drawn_white(position: Position) -> None:
    position.play(Player.BLACK, A1)
    report = Report(Player.WHITE, (Candidate(B2, 10, 0.0, 0.0, (B2,)),), playouts=10)
    assert gfx(thoughts.thinking(position, report)).startswith("INFLUENCE B2 -1.00\nVAR W B2")


def test_a_tree_is_a_table(position: Position) -> None:
    assert thoughts.tree(position, REPORT) == lines(
        "Black to move, best B2, wins 75.0 %, leads by 1.5, 100 playouts",
        "move  visits  wins %  prior %  line",
        "  B2      90    75.0     60.0  A1(40) pass(2) B1(1)",
        "  A1      10    37.5     40.0",
        "and 2 more",
    )


def test_owners_are_summed(position: Position) -> None:
    picture = thoughts.ownership(position, [1.0, 1.0, 0.5] + [-0.25] * 6)
    assert picture.text == "White leads by 6.5 points, komi counted"
    assert gfx(picture).startswith("INFLUENCE A1 1.00 B1 1.00 C1 0.50 A2 -0.25")


QUICK = {"playouts": 30, "depth": 2, "seed": 1}
WITHOUT_NETS = [name for name, agent in AGENTS.items() if not net_fields(agent.Params)]


PAIRS = [
    (agent, game)
    for agent in (*WITHOUT_NETS, "alphazero")
    for game in GAMES
    if AGENTS[agent].plays(make_game(game, {}))
]


@pytest.mark.parametrize(("agent", "game"), PAIRS)
def test_every_agent_can_be_drawn_in_every_game(agent: str, game: str) -> None:
    known = AGENTS[agent].Params.model_fields
    choice = AgentChoice(agent, {key: value for key, value in QUICK.items() if key in known})
    session = Session(make_game(game, {}), choice)
    told = session.thoughts()
    for draw in (thoughts.policy, thoughts.visits, thoughts.values, thoughts.thinking):
        assert gfx(draw(*told))
    assert len(thoughts.best_line(*told).moves) >= 1
    assert len(thoughts.tree(*told).splitlines()) >= 3


class SlowAgent(Agent):
    """Reports the next of `reports` each time it is asked, and thinks until all are told."""

    name = "slow"
    Params = AgentParams

    def __init__(self, *reports: Report | None) -> None:
        super().__init__(AgentParams())
        self.left = list(reports)

    def choose(self, position: Position, limits: Limits) -> Decision:
        deadline = time.monotonic() + 10
        while self.left and time.monotonic() < deadline:
            time.sleep(0.001)
        return Decision(A1)

    def report(self) -> Report | None:
        return self.left.pop(0) if self.left else None


def watch(agent: Agent, position: Position, *, on: bool = True) -> str:
    told: list[str] = []
    live = LivePictures(told.append, every=0.001)
    live.on = on
    with live.of(agent, position):
        agent.choose(position, Limits())
    return "".join(told)


def test_a_running_search_is_drawn_with_its_board() -> None:
    position = Position(TicTacToe())
    candidates = (Candidate(B2, 5, 1.0, 0.0, (B2, A1)),)
    report = Report(Player.BLACK, candidates, 5, 1.0, state=position.state)
    assert watch(SlowAgent(report), position) == lines(
        "gogui-gfx:",
        "COLOR #ffffff A1 B1 C1 A2 B2 C2 A3 B3 C3",
        "INFLUENCE B2 1.00",
        "VAR B B2 W A1",
        "TEXT Black to move, best B2, wins 100.0 %, 5 playouts",
        "",
        "gogui-gfx: CLEAR",
        "",
    )


def test_thoughts_about_another_position_are_not_drawn() -> None:
    position = Position(TicTacToe())
    position.play(Player.BLACK, A1)
    position.play(Player.WHITE, B1)
    earlier = Report(Player.BLACK, (Candidate(A1, 5, 1.0, 0.0, (A1,)),), state=position.start)
    assert watch(SlowAgent(None, earlier), position) == "gogui-gfx: CLEAR\n"


def test_nothing_is_drawn_unless_asked_for() -> None:
    agent = SlowAgent()
    assert watch(agent, Position(TicTacToe()), on=False) == ""


def test_a_session_thinks_once_about_a_position() -> None:
    session = Session(TicTacToe(), AgentChoice("uct", {"seed": 1, "playouts": 50}))
    assert session.thoughts()[1].playouts == 50
    assert session.thoughts()[1].playouts == 50
    session.play(Player.BLACK, "A1")
    assert session.thoughts()[1].to_move is Player.WHITE
    session.undo(1)
    assert session.thoughts()[0].state is session.position.state
    assert session.thoughts()[1].to_move is Player.BLACK
    session.change_agent(AgentChoice("random", {}))
    assert session.thoughts()[1].playouts == 0
