"""How an agent over the tree search chooses once it has searched."""

from dataclasses import dataclass
from typing import Literal, cast

import pytest

from games.coin import Coin, CoinOptions
from games.connect4 import ConnectFour
from games.errors import GameOverError
from games.go import Go, GoOptions
from games.position import Position
from search.agent import Limits
from search.rave import RaveAgent, RaveParams
from search.tree_agent import Children
from search.uct import UctAgent, UctParams
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


def test_nothing_is_chosen_in_a_finished_game() -> None:
    position = after(ConnectFour(), 3, 0, 3, 0, 3, 0, 3)
    with pytest.raises(GameOverError, match="the game is over"):
        UctAgent(UctParams(seed=1)).choose(position, Limits(playouts=10))


def test_few_playouts_are_no_reason_to_resign() -> None:
    position = Position(Go(GoOptions(size=9, komi=300)))
    agent = RaveAgent(RaveParams(seed=1))
    few, many = RaveAgent.MIN_PLAYOUTS_TO_RESIGN - 50, RaveAgent.MIN_PLAYOUTS_TO_RESIGN
    assert agent.choose(position, Limits(playouts=few)).action is not None
    assert agent.choose(position, Limits(playouts=many)).action is None


def test_what_to_avoid_is_avoided_if_it_can_be() -> None:
    position = after(ConnectFour(), 3, 0, 3, 0, 3, 1)
    agent = UctAgent(UctParams(seed=1))
    assert agent.choose(position, Limits(playouts=100)).action == 3
    assert agent.choose(position, Limits(playouts=100), frozenset({3})).action != 3
    assert agent.choose(position, Limits(playouts=100), frozenset(range(7))).action == 3


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
    ]
    agent = UctAgent(UctParams(choose_by=choose_by))
    assert agent.best(cast(Children, tried)).action == action
    won = Child(4, 1, 0.0, 0.0, "win")
    assert agent.best(cast(Children, [won, *tried])).action == 4
    lost = Child(5, 90, 0.9, 0.0, "loss")
    assert agent.best(cast(Children, [*tried, lost])).action == action


def test_a_proven_win_is_chosen_over_a_move_with_more_visits() -> None:
    agent = UctAgent(UctParams(seed=3))
    decision = agent.choose(Position(Coin(CoinOptions(pile=11, max_take=2))), Limits())
    assert decision.action == 1
    assert decision.value_to_move == 1
    assert decision.candidates[0].action == 1
    assert decision.candidates[0].variation[0] == 1
