"""How an agent over the tree search chooses once it has searched."""

from dataclasses import dataclass
from typing import Literal, cast

import pytest

from games.base import Player
from games.coin import Coin, CoinOptions
from games.connect4 import ConnectFour
from games.errors import GameOverError
from games.go import Go, GoOptions
from games.position import Position
from gtpbot.options import AgentChoice
from search.agent import Agent, Limits
from search.mixed_mcts import MixedMctsAgent, MixedMctsParams
from search.rave import RaveAgent, RaveParams
from search.tree_agent import Children
from search.uct import UctAgent, UctParams
from tests.support.fakes import FakeNet
from tests.support.positions import after


def lost_position() -> Position:
    """White can only stop one end of Black's open three."""
    return after(ConnectFour(), 2, 2, 3, 3, 4)


def test_resignation_is_for_those_who_ask_for_it() -> None:
    position = lost_position()
    plain = UctAgent(UctParams(seed=1)).choose(position, Limits(playouts=3000))
    assert plain.action is not None
    assert plain.value_to_move == -1
    proud = UctAgent(UctParams(seed=1, resign_below=-0.9))
    assert proud.choose(position, Limits(playouts=3000)).action is None
    assert proud.choose(Position(ConnectFour()), Limits(playouts=3000)).action is not None


@pytest.mark.parametrize("name", ["random", "minimax", "alphabeta", "solver", "uct", "policy"])
def test_nothing_is_chosen_in_a_finished_game(name: str) -> None:
    position = after(ConnectFour(), 3, 0, 3, 0, 3, 0, 3)
    agent = AgentChoice(name).make(position.game)
    with pytest.raises(GameOverError, match="the game is over"):
        agent.choose(position, Limits(playouts=10))


@pytest.mark.parametrize("name", ["rave", "policy", "alphazero"])
def test_nor_is_a_pass_where_two_have_ended_a_settled_game_of_go(name: str) -> None:
    game = Go(GoOptions(size=5))
    start = game.new_state()
    for point in set(range(25)) - {0, 10, 14, 24}:  # two eyes each
        start.place(Player.WHITE if point % 5 < 2 else Player.BLACK, point)
    position = Position(game, start)
    for player in (Player.BLACK, Player.WHITE):
        position.play(player, 25)
    with pytest.raises(GameOverError, match="the game is over"):
        AgentChoice(name).make(game).choose(position, Limits(playouts=10))


def hopeless_for_white(handicap: int = 0) -> Position:
    """White is to move, and 300 points behind."""
    start = Go(GoOptions(size=9, komi=-300)).new_state()
    start.handicap = handicap
    position = Position(Go(GoOptions(size=9, komi=-300)), start)
    position.play(Player.BLACK, 0)
    return position


def turns_until_resigned(agent: Agent, position: Position, playouts: int) -> int | None:
    """How many moves a player of nearly no points chooses before giving up; None: more than 20."""
    for turn in range(20):
        if agent.choose(position, Limits(playouts=playouts)).action is None:
            return turn
        for _ in Player:
            empty = position.state.legal_actions()
            position.play(position.to_move, empty[len(empty) // 2])
    return None


def test_few_playouts_are_no_reason_to_resign() -> None:
    many = RaveAgent.MIN_PLAYOUTS_TO_RESIGN
    agent = RaveAgent(RaveParams(seed=1, reuse_tree=False))
    assert turns_until_resigned(agent, hopeless_for_white(), many - 50) is None
    agent.clear()
    assert turns_until_resigned(agent, hopeless_for_white(), many) is not None


def test_one_playout_of_the_best_move_is_no_reason_to_resign() -> None:
    """Where each move has but one, as `mixed-mcts` tries them all, that may well be a loss."""
    game = Go(GoOptions(size=9, komi=0))
    net = FakeNet(game, [1 / 82] * 82).native()
    agent = MixedMctsAgent(MixedMctsParams(seed=2, resign_below=-0.95), {"net": net})
    assert turns_until_resigned(agent, Position(game), 50) is None


@pytest.mark.parametrize("handicap", [0, 4])
def test_go_is_not_given_up_early(handicap: int) -> None:
    """Without a net either: who gives a handicap begins with a game that looks lost."""
    agent = RaveAgent(RaveParams(seed=1))
    turns = turns_until_resigned(agent, hopeless_for_white(handicap), 300)
    assert turns is not None and 1 + 2 * turns >= (4 + handicap) * 81 / 20 > 2 * turns - 1


def test_what_is_thought_of_one_game_of_go_does_not_end_another() -> None:
    agent = RaveAgent(RaveParams(seed=1))
    turns = turns_until_resigned(agent, hopeless_for_white(), 300)
    agent.clear()
    assert turns_until_resigned(agent, hopeless_for_white(), 300) == turns


def test_what_is_banned_is_not_played_if_anything_else_can_be() -> None:
    position = after(ConnectFour(), 3, 0, 3, 0, 3, 1)
    agent = UctAgent(UctParams(seed=1))
    assert agent.choose(position, Limits(playouts=100)).action == 3
    assert agent.choose(position, Limits(playouts=100).banning(Player.BLACK, {3})).action != 3
    assert agent.choose(position, Limits(playouts=100).banning(Player.BLACK, range(7))).action == 3


@dataclass(frozen=True)
class Child:
    """What `gtpcore.ChildReport` tells."""

    action: int
    visits: int
    value_to_move: float
    deviation: float
    proof: str = ""


@pytest.mark.parametrize(
    ("choose_by", "action"), [("visits", 0), ("value", 2), ("lcb", 1)], ids=lambda each: str(each)
)
def test_a_move_is_chosen_as_asked_for(
    choose_by: Literal["visits", "value", "lcb"], action: int
) -> None:
    tried = [
        Child(0, 100, 0.1, 0.01),
        Child(1, 40, 0.2, 0.02),
        Child(2, 10, 0.9, 0.0),  # seldom
        Child(3, 30, 0.3, 0.06),  # not surely good
        Child(6, 0, 0.95, 0.0),  # never
    ]
    agent = UctAgent(UctParams(choose_by=choose_by))
    assert agent.best(cast(Children, tried)).action == action
    won = Child(4, 1, 0.0, 0.0, "win")
    assert agent.best(cast(Children, [won, *tried])).action == 4
    lost = Child(5, 90, 0.9, 0.0, "loss")
    assert agent.best(cast(Children, [*tried, lost])).action == action


def test_a_report_begins_with_the_move_that_is_best_as_asked_for() -> None:
    agent, position = UctAgent(UctParams(seed=3, choose_by="value")), Position(ConnectFour())
    decision = agent.choose(position, Limits(playouts=10))
    report = agent.report()
    assert report is not None
    assert decision.action == report.candidates[0].action != decision.candidates[0].action


def test_a_sure_draw_is_chosen_over_what_seems_lost() -> None:
    agent = UctAgent(UctParams())
    bad, even = Child(0, 100, -0.1, 0.01), Child(0, 100, 0.0, 0.01)
    unsure, drawn = Child(1, 20, 0.0, 0.02), Child(2, 10, 0.0, 0.0, "draw")
    assert agent.best(cast(Children, [bad, unsure, drawn])).action == 2
    assert agent.best(cast(Children, [even, unsure, drawn])).action == 0
    assert agent.best(cast(Children, [bad, unsure])).action == 0


def test_a_proven_move_is_worth_what_is_proven_whatever_its_visits_say() -> None:
    drawn = Child(1, 90, 0.0, 0.1, "draw")
    agent = UctAgent(UctParams(choose_by="lcb"))
    assert agent.best(cast(Children, [Child(0, 100, 0.1, 0.04), drawn])).action == 1


@pytest.mark.parametrize(
    ("value_of_best", "value_of_others", "resigns"),
    [(-0.95, -0.95, True), (-0.85, -1.0, False), (-0.95, -0.5, False), (-0.9, -1.0, False)],
)
def test_a_game_is_given_up_where_the_best_move_and_all_together_lose(
    value_of_best: float, value_of_others: float, resigns: bool
) -> None:
    agent = UctAgent(UctParams(seed=1, resign_below=-0.9))
    children = [Child(0, 150, value_of_best, 0.0), Child(1, 100, value_of_others, 0.0)]
    best, *_ = cast(Children, children)
    assert agent._is_lost(best, cast(Children, children)) == resigns


def test_a_proven_win_is_chosen_over_a_move_with_more_visits() -> None:
    agent = UctAgent(UctParams(seed=3))
    decision = agent.choose(Position(Coin(CoinOptions(pile=11, max_take=2))), Limits())
    assert decision.action == 1
    assert decision.value_to_move == 1
    assert decision.candidates[0].action == 1
    assert decision.candidates[0].variation[0] == 1
