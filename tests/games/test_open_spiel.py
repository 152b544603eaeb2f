"""Connect Four and Tic Tac Toe in lock-step with OpenSpiel, on seeded random games."""

import random
from dataclasses import dataclass
from typing import Any

import pytest

from games.base import Game, State
from games.connect4 import ConnectFour, ConnectFourOptions
from games.tictactoe import TicTacToe

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

GAMES_EACH = 60


@dataclass(frozen=True)
class Twin:
    """A game here and there."""

    game: Game
    name: str

    def their_action(self, action: int) -> int:
        """In Tic Tac Toe they count the rows from the top."""
        if self.game.spec.name != "tictactoe":
            return action
        row, column = divmod(action, 3)
        return (2 - row) * 3 + column


def connect_four(columns: int, rows: int, length: int) -> Twin:
    return Twin(
        ConnectFour(ConnectFourOptions(columns=columns, rows=rows, length=length)),
        f"connect_four(columns={columns},rows={rows},x_in_row={length})",
    )


TWINS = [
    Twin(TicTacToe(), "tic_tac_toe"),
    connect_four(7, 6, 4),
    connect_four(5, 4, 3),
    connect_four(8, 7, 5),
    connect_four(4, 15, 4),
]


def assert_same(twin: Twin, ours: State, theirs: Any) -> None:
    board = "\n".join("".join(row) for row in twin.game.board(ours))
    assert board == str(theirs).strip().upper()
    legal = {twin.their_action(action) for action in ours.legal_actions()}
    assert legal == set(theirs.legal_actions())
    assert ours.is_terminal == theirs.is_terminal()
    if ours.is_terminal:
        assert [ours.black_value, -ours.black_value] == theirs.returns()
    else:
        assert ours.current_player == theirs.current_player()


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_lock_step(twin: Twin, rng: random.Random) -> None:
    results = set()
    full_columns = 0
    there = pyspiel.load_game(twin.name)
    for _ in range(GAMES_EACH):
        ours, theirs = twin.game.new_state(), there.new_initial_state()
        assert_same(twin, ours, theirs)
        while not ours.is_terminal:
            action = rng.choice(ours.legal_actions())
            ours.apply_action(action)
            theirs.apply_action(twin.their_action(action))
            assert_same(twin, ours, theirs)
            full_columns += 0 < len(ours.legal_actions()) < ours.num_actions
        results.add(ours.black_value)
    assert {1.0, -1.0} <= results
    assert full_columns
