"""What agents say while they think, and after."""

import threading
import time
from collections.abc import Iterator

import pytest
from _pytest.mark import ParameterSet

from games.base import Game, Player
from games.coin import Coin
from games.connect4 import ConnectFour
from games.go import Go, GoOptions
from games.position import Position
from games.tictactoe import TicTacToe
from gtpbot.gtp.thinking import Thinker
from gtpbot.options import AgentChoice
from search.agent import Agent, Limits, Report, net_fields
from search.minimax import AlphaBetaAgent, AlphaBetaParams, MinimaxAgent, MinimaxParams
from search.registry import AGENTS
from search.solver import SolverAgent, SolverParams
from search.uct import UctAgent, UctParams
from tests.support.positions import after

GAMES: dict[str, Game] = {
    "go": Go(GoOptions(size=5)),
    "connect4": ConnectFour(),
    "tictactoe": TicTacToe(),
    "coin": Coin(),
}


def pairs() -> Iterator[ParameterSet]:
    """Agents and games; agents with nets play one game in the quick tests."""
    for name, agent in AGENTS.items():
        for game in GAMES:
            if agent.plays(GAMES[game]):
                is_slow = net_fields(agent.Params) and game != "tictactoe"
                yield pytest.param(name, game, marks=pytest.mark.slow if is_slow else ())


def check(report: Report, position: Position) -> None:
    """Whatever an agent says must be legal, and within bounds."""
    legal = set(position.state.legal_actions())
    assert report.to_move == position.to_move
    assert report.value_to_move is None or -1 <= report.value_to_move <= 1
    assert report.candidates
    assert len({each.action for each in report.candidates}) == len(report.candidates)
    for each in report.candidates:
        assert each.action in legal
        assert each.variation[0] == each.action
        assert -1 <= each.value_to_move <= 1
        assert 0 <= each.prior <= 1
        assert each.deviation >= 0
        assert each.visits >= 0
        assert len(each.variation_visits) in (0, len(each.variation))


@pytest.mark.parametrize(("name", "game"), list(pairs()))
def test_every_agent_reports_what_it_thinks(name: str, game: str) -> None:
    agent = AgentChoice(name).make(GAMES[game])
    assert agent.report() is None
    position = Position(GAMES[game])
    position.play(Player.BLACK, position.state.legal_actions()[0])
    agent.analyze(position, Limits(playouts=100, seconds=0.3 if name == "solver" else None))
    report = agent.report()
    assert report is not None
    check(report, position)
    agent.clear()
    assert agent.report() is None
    if name != "random":
        its_choice_comes_first(agent, Position(GAMES[game]))


@pytest.mark.parametrize("name", ["uct", "rave", "alphazero"])
def test_an_analysis_of_a_finished_game_ends(name: str) -> None:
    agent, position = AgentChoice(name).make(GAMES["go"]), Position(GAMES["go"])
    passing = position.state.num_actions - 1
    for player in Player:
        position.play(player, passing)
    agent.analyze(position, Limits(seconds=0.001))
    assert agent.report() is None


def its_choice_comes_first(agent: Agent, position: Position) -> None:
    decision = agent.choose(position, Limits(playouts=100, seconds=30))
    report = agent.report()
    assert report is not None
    check(report, position)
    assert report.candidates[0].action == decision.action
    assert report.value_to_move == pytest.approx(decision.value_to_move)


def test_reports_come_while_the_root_moves() -> None:
    """Another thread asks all the time; it must never be told of two positions at once."""
    game = ConnectFour()
    agent = UctAgent(UctParams(seed=1, threads=2))
    shown = Position(game)
    stones = {0}  # numbers of moves at which the agent was shown a position
    wrong: list[Report] = []
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            report = agent.report()
            if report is None:
                continue
            assert report.state is not None
            legal = {each.action for each in report.candidates} <= set(report.state.legal_actions())
            if not legal or report.to_move != report.state.current_player:
                wrong.append(report)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        while not shown.state.is_terminal:
            decision = agent.choose(shown, Limits(playouts=3000))
            assert decision.action is not None
            report = agent.report()
            assert report is not None
            check(report, shown)
            shown.play(shown.to_move, decision.action)
            stones.add(len(shown.moves))
    finally:
        done.set()
        watcher.join()
    assert not wrong
    assert len(stones) > 7


def test_an_analysis_serves_the_next_choice() -> None:
    agent = UctAgent(UctParams(seed=1))
    position = Position(ConnectFour())
    agent.analyze(position, Limits(playouts=2000))
    agent.choose(position, Limits(playouts=100))
    report = agent.report()
    assert report is not None
    assert report.playouts >= 2099  # the root is visited once before it has moves


def test_limits_of_the_agent_do_not_end_an_analysis() -> None:
    agent = UctAgent(UctParams(seed=1, playouts=10, seconds=0.001))
    agent.analyze(Position(ConnectFour()), Limits(playouts=500))
    report = agent.report()
    assert report is not None
    assert report.playouts >= 490


def test_the_exact_agents_weigh_every_move() -> None:
    """X on C1 wins for Black at once; every other move loses or draws."""
    position = Position(TicTacToe())
    for action in (0, 3, 1, 4):
        position.play(position.to_move, action)
    agent = AlphaBetaAgent(AlphaBetaParams(seed=1))
    agent.analyze(position, Limits())
    report = agent.report()
    assert report is not None
    values = {each.action: each.value_to_move for each in report.candidates}
    assert values == {2: 1.0, 5: 0.0, 6: -1.0, 7: -1.0, 8: -1.0}
    assert report.value_to_move == 1.0


def test_an_exact_analysis_looks_as_far_ahead_as_it_is_told() -> None:
    """White threatens to win on column D."""
    agent = MinimaxAgent(MinimaxParams(depth=2, heuristic=False))
    agent.analyze(after(ConnectFour(), 0, 3, 1, 3, 0, 3), Limits())
    report = agent.report()
    assert report is not None
    values = {each.action: each.value_to_move for each in report.candidates}
    assert values == {action: 0.0 if action == 3 else -1.0 for action in range(7)}


def test_an_exact_analysis_keeps_to_its_playouts() -> None:
    agent = AlphaBetaAgent(AlphaBetaParams())
    agent.analyze(Position(ConnectFour()), Limits(playouts=3000))
    report = agent.report()
    assert report is not None
    assert 500 < report.playouts <= 3000


def test_the_solver_tells_the_value_of_each_move() -> None:
    position = Position(ConnectFour())
    for action in (3, 3, 3, 3, 3, 2, 4, 4, 2, 2, 1, 1, 5, 5):
        position.play(position.to_move, action)
    agent = SolverAgent(SolverParams(seed=1))
    agent.analyze(position, Limits(seconds=20))
    report = agent.report()
    assert report is not None
    check(report, position)
    assert len(report.candidates) == 7
    values = [each.value_to_move for each in report.candidates]
    assert values == sorted(values, reverse=True)
    assert report.candidates[0].action == agent.choose(position, Limits()).action


@pytest.mark.parametrize("name", ["uct", "alphabeta", "solver", "alphazero", "random"])
def test_an_analysis_in_the_background_ends_at_once(name: str) -> None:
    thinker = Thinker(AgentChoice(name).make(ConnectFour()))
    position = Position(ConnectFour())
    thinker.choose(position, Limits(playouts=600, seconds=1))  # nets are slow at first
    threads = threading.active_count()
    for pause in (0.0, 0.0, 0.05):
        thinker.analyze(position, Limits())
        time.sleep(pause)
        began = time.monotonic()
        thinker.rest()
        assert time.monotonic() - began < 2
        assert threading.active_count() == threads
    thinker.check()


def test_what_an_analysis_raised_can_be_asked_for() -> None:
    class Failing(UctAgent):
        def analyze(self, position: Position, limits: Limits) -> None:
            raise ValueError("no board")

    thinker = Thinker(Failing(UctParams()))
    thinker.analyze(Position(Coin()), Limits())
    thinker.rest()
    with pytest.raises(ValueError, match="no board"):
        thinker.check()
    thinker.check()


def test_ownership_is_told_for_black_from_the_lowest_row() -> None:
    """A wall of Black's on row 2, one of White's on row 4."""
    game = Go(GoOptions(size=5))
    position = Position(game)
    for column in range(5):
        position.play(Player.BLACK, 5 + column)
        position.play(Player.WHITE, 15 + column)
    owners = UctAgent(UctParams()).ownership(position)
    assert owners is not None
    assert len(owners) == 25
    assert min(owners[:10]) > 0.5
    assert max(owners[15:]) < -0.5


def test_there_are_no_owners_outside_go() -> None:
    agent: Agent = UctAgent(UctParams())
    assert agent.ownership(Position(Coin())) is None
