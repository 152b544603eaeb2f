"""Moves that a search is told not to look at."""

from typing import cast

import pytest

import gtpcore
from games.base import Player
from games.connect4 import ConnectFour
from games.go import Go, GoOptions
from games.go_rules import TROMP_TAYLOR
from games.position import Position
from games.tictactoe import TicTacToe
from search.agent import Agent, AgentParams, Ban, Limits
from search.alphazero import AlphaZeroAgent, AlphaZeroParams
from search.minimax import AlphaBetaAgent, AlphaBetaParams
from search.policy import PolicyAgent, PolicyParams
from search.random import RandomAgent
from search.rave import RaveAgent, RaveParams
from search.solver import SolverAgent, SolverParams
from search.tree_agent import Children, TreeAgent
from search.uct import UctAgent, UctParams
from tests.support.drawing import draw
from tests.support.fakes import FakeNet
from tests.support.positions import after


def agents() -> list[TreeAgent]:
    net = FakeNet(ConnectFour()).native()
    return [
        UctAgent(UctParams(seed=1)),
        UctAgent(UctParams(seed=1, threads=2)),
        AlphaZeroAgent(AlphaZeroParams(seed=1), {"net": net}),
    ]


@pytest.mark.parametrize("agent", agents(), ids=["alone", "threads", "batches"])
def test_a_ban_holds_for_one_player_and_so_many_moves(agent: TreeAgent) -> None:
    """Black may not begin in the centre, White may not answer beside it; later both may."""
    bans = (Ban(Player.BLACK, 3, 1), Ban(Player.WHITE, 2, 2), Ban(Player.WHITE, 4, 2))
    position = Position(ConnectFour())
    agent.analyze(position, Limits(playouts=3000, bans=bans))
    report = agent.report()
    assert report is not None
    assert {each.action for each in report.candidates} == {0, 1, 2, 4, 5, 6}
    lines = [each.variation for each in report.candidates if len(each.variation) > 4]
    assert lines
    assert not {line[1] for line in lines} & {2, 4}
    if isinstance(agent, UctAgent):  # the fake net has no reason to go there
        assert any({2, 3, 4} & set(line[2:]) for line in lines)


def test_moves_are_banned_at_the_root() -> None:
    agent = UctAgent(UctParams(seed=1))
    position = Position(TicTacToe())
    agent.analyze(position, Limits(playouts=2000).banning(Player.BLACK, {4}))
    report = agent.report()
    assert report is not None
    assert {each.action for each in report.candidates} == set(range(9)) - {4}


def test_banned_moves_are_not_searched_for_a_choice_either() -> None:
    """The win by D4, looked at, would end the search of all else at once."""
    agent = UctAgent(UctParams(seed=1, decisive=False))
    position = after(ConnectFour(), 3, 0, 3, 0, 3, 1)
    decision = agent.choose(position, Limits(playouts=300).banning(Player.BLACK, {3}))
    assert decision.playouts == 300 and decision.action != 3
    agent.choose(position, Limits(playouts=200).banning(Player.BLACK, {3}))
    report = agent.report()
    assert report is not None and report.playouts > 300


def test_another_move_is_played_where_a_search_would_look_at_banned_ones_alone() -> None:
    """All but two moves fill own eyes, which are left out of a search if they can be."""
    drawing = """
        . X . X
        X . X .
        X X X O
        . X X X
    """
    state = draw(drawing, TROMP_TAYLOR, Player.BLACK).state
    position = Position(Go(GoOptions(size=4, rules=TROMP_TAYLOR)), state)
    candidates = set(cast(gtpcore.GoState, position.state).candidates())
    assert candidates < set(position.state.legal_actions())
    limits = Limits(playouts=100).banning(Player.BLACK, candidates)
    for agent in (UctAgent(UctParams(seed=1)), RaveAgent(RaveParams(seed=1))):
        decision = agent.choose(position, limits)
        assert decision.action not in candidates


def test_what_was_learned_under_bans_is_forgotten_with_them() -> None:
    agent = UctAgent(UctParams(seed=1))
    position = Position(ConnectFour())
    agent.analyze(position, Limits(playouts=1000, bans=(Ban(Player.BLACK, 3, 1),)))
    agent.analyze(position, Limits(playouts=1000, bans=(Ban(Player.BLACK, 3, 1),)))
    report = agent.report()
    assert report is not None and report.playouts == 2000
    agent.choose(position, Limits(playouts=500))
    report = agent.report()
    assert report is not None and report.playouts == 500
    assert {each.action for each in report.candidates} == set(range(7))


@pytest.mark.parametrize("agent", agents(), ids=["alone", "threads", "batches"])
def test_an_analysis_under_bans_serves_a_choice_under_the_same(agent: TreeAgent) -> None:
    position, limits = Position(ConnectFour()), Limits(playouts=500).banning(Player.BLACK, {3})
    agent.analyze(position, limits)
    known = agent.report()
    agent.choose(position, limits)
    report = agent.report()
    assert known is not None and report is not None
    assert report.playouts > known.playouts


def choosers() -> list[Agent]:
    nets = {"net": FakeNet(ConnectFour()).native()}
    return [
        RandomAgent(AgentParams(seed=1)),
        AlphaBetaAgent(AlphaBetaParams(seed=1, depth=2)),
        SolverAgent(SolverParams(seed=1, memory_mb=1, seconds=0.1)),
        PolicyAgent(PolicyParams(seed=1), nets),
        UctAgent(UctParams(seed=1)),
        AlphaZeroAgent(AlphaZeroParams(seed=1), nets),
        AlphaZeroAgent(AlphaZeroParams(seed=1, solve_nodes=2000), nets),
    ]


each_chooser = pytest.mark.parametrize("agent", choosers(), ids=lambda agent: agent.name)


@each_chooser
def test_a_banned_move_is_neither_played_nor_told(agent: Agent) -> None:
    """But others are that their player may not make now, or nobody for no move at all."""
    columns = (3, 3, 3, 3, 3, 2, 3, 1, 1, 5, 0, 1, 1, 0, 5, 5, 5, 5, 4, 4, 0, 0)
    position = after(ConnectFour(), *columns)
    bans = tuple(Ban(Player.BLACK, action, 1) for action in (0, 2, 5, 6))
    bans += Ban(Player.WHITE, 1, 1), Ban(Player.BLACK, 4, 0)
    limits = Limits(playouts=50, seconds=30, bans=bans)
    assert agent.choose(position, limits).action in (1, 4)
    agent.analyze(position, limits)
    report = agent.report_of(position)
    assert report is not None
    assert {each.action for each in report.candidates} == {1, 4}


@each_chooser
def test_any_move_is_played_where_all_are_banned(agent: Agent) -> None:
    position = after(ConnectFour(), *[3] * 6)
    limits = Limits(playouts=50).banning(Player.BLACK, range(7))
    assert agent.choose(position, limits).action in position.state.legal_actions()


def test_a_search_for_rave_looks_at_a_pass_that_is_not_to_be_played() -> None:
    """Which is how it sees that all else loses; a ban on another move changes nothing of it."""

    class Idle(RaveAgent):
        def best(self, children: Children) -> gtpcore.ChildReport:
            return next((child for child in children if child.action == 25), children[0])

    agent, position = Idle(RaveParams(seed=1)), Position(Go(GoOptions(size=5)))
    everywhere = range(25)
    for banned in ({12}, everywhere[1:], everywhere):
        decision = agent.choose(position, Limits(playouts=50).banning(Player.BLACK, banned))
        told = {each.action for each in decision.candidates}
        assert told == {*everywhere, 25}.difference(banned)
        assert decision.action != 25 or told == {25}


def test_an_eye_is_filled_if_nothing_else_is_allowed() -> None:
    """Moves that a search leaves out are looked at when they are all that is asked about."""
    game = Go(GoOptions(size=5))
    position = Position(game)
    for point in (1, 5):
        position.play(Player.BLACK, point)
    position = position.facing(Player.BLACK)
    state = position.state
    assert isinstance(state, gtpcore.GoState)
    assert 0 not in state.candidates() and state.is_legal(0)
    bans = tuple(Ban(Player.BLACK, action, 1) for action in range(1, 26))
    agent = UctAgent(UctParams(seed=1))
    agent.analyze(position, Limits(playouts=50, bans=bans))
    report = agent.report()
    assert report is not None
    assert [each.action for each in report.candidates] == [0]


def test_forbidden_moves_are_counted_from_a_root_that_moves_too() -> None:
    """What Black may not play first was looked at two moves later, which then is at the root."""
    search = gtpcore.Search(
        ConnectFour().new_state(),
        gtpcore.Evaluator(),
        gtpcore.Ucb1(),
        seed=1,
        forbidden=[(0, 3, 1)],
    )
    search.run(3000)
    for action in (2, 2):
        search.advance(action)
        assert search.root_visits == 0
    search.run(100)
    assert {child.action for child in search.children()} == {0, 1, 2, 4, 5, 6}


def test_forbidden_moves_and_transpositions_exclude_each_other() -> None:
    root = ConnectFour().new_state()
    with pytest.raises(ValueError, match="forbidden moves depend on the way"):
        gtpcore.Search(
            root,
            gtpcore.Evaluator(),
            gtpcore.Ucb1(),
            transpositions=True,
            forbidden=[(0, 3, 1)],
        )


@pytest.mark.parametrize("move", [(2, 0, 1), (0, 7, 1), (0, -1, 1), (0, 0, -1)])
def test_forbidden_moves_out_of_range(move: tuple[int, int, int]) -> None:
    root = ConnectFour().new_state()
    with pytest.raises(ValueError, match="expected a player, 0 or 1, an action"):
        gtpcore.Search(root, gtpcore.Evaluator(), gtpcore.Ucb1(), forbidden=[move])
