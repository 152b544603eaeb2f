"""The agents at play in the small games: what they must not miss."""

import random

import pytest

from games.base import Player, State
from games.connect4 import ConnectFour
from games.position import Position, play_at_random
from games.tictactoe import TicTacToe
from search.agent import Agent, Limits
from search.minimax import AlphaBetaAgent, AlphaBetaParams
from search.uct import UctAgent, UctParams

AGENTS: dict[str, Agent] = {
    "uct": UctAgent(UctParams(seed=1)),
    "alphabeta": AlphaBetaAgent(AlphaBetaParams(seed=1)),
}
ENOUGH = {"uct": Limits(playouts=3000), "alphabeta": Limits(playouts=1_000_000)}
"""With which each must play Tic Tac Toe without a fault."""
each_agent = pytest.mark.parametrize("name", AGENTS)


@each_agent
@pytest.mark.parametrize("player", Player)
def test_tictactoe_is_never_lost(name: str, player: Player) -> None:
    """Against every line of play that the opponent has."""
    chosen: dict[int, int] = {}
    games = [Position(TicTacToe())]
    finished = 0
    while games:
        position = games.pop()
        state = position.state
        if state.is_terminal:
            lost = -1 if player is Player.BLACK else 1
            assert state.black_value != lost, position.moves
            finished += 1
            continue
        moves = state.legal_actions()
        if position.to_move == player:
            if state.hash not in chosen:
                action = AGENTS[name].choose(position, ENOUGH[name]).action
                assert action is not None
                chosen[state.hash] = action
            moves = [chosen[state.hash]]
        for action in moves:
            after = position.copy()
            after.play(after.to_move, action)
            games.append(after)
    assert finished > 50


def winning_moves(state: State, player: int) -> list[int]:
    """The moves by which `player`, who is to move, wins at once."""
    wins = []
    for action in state.legal_actions():
        after = state.clone()
        after.apply_action(action)
        if after.is_terminal and after.black_value == (1 if player == 0 else -1):
            wins.append(action)
    return wins


def safe_moves(state: State) -> list[int]:
    """The moves after which the opponent does not win at once."""
    safe = []
    for action in state.legal_actions():
        after = state.clone()
        after.apply_action(action)
        if not winning_moves(after, after.current_player):
            safe.append(action)
    return safe


def connect_four_positions(rng: random.Random) -> list[Position]:
    """Positions of random games in all phases."""
    positions: list[Position] = []
    while len(positions) < 1000:
        position = Position(ConnectFour())
        if play_at_random(position, rng.randrange(6, 34), rng):
            positions.append(position)
    return positions


def test_connect_four_wins_in_one_are_found(rng: random.Random) -> None:
    tested = 0
    for position in connect_four_positions(rng):
        wins = winning_moves(position.state, position.to_move)
        if not wins:
            continue
        decision = AGENTS["uct"].choose(position, Limits(playouts=500))
        assert decision.action in wins, position.state
        assert decision.value_to_move == 1
        tested += 1
    assert tested > 200


def test_connect_four_losses_in_one_are_blocked(rng: random.Random) -> None:
    """Where the opponent threatens to win, and one move and no other prevents it."""
    tested = 0
    for position in connect_four_positions(rng):
        safe = safe_moves(position.state)
        if len(safe) != 1 or winning_moves(position.state, position.to_move):
            continue
        assert AGENTS["uct"].choose(position, Limits(playouts=1000)).action in safe, position.state
        tested += 1
    assert tested > 100
