"""What every game promises, on positions of seeded random games.

A game that is added to the registry is tested here by that alone.
"""

import random
from collections.abc import Iterator

import pytest

from games.base import Game, Player, State
from games.coin import Coin, CoinOptions
from games.connect4 import ConnectFour, ConnectFourOptions
from games.errors import GameOverError, IllegalMoveError
from games.go import Go, GoOptions
from games.position import Position
from games.registry import GAMES
from gtpbot.options import read, shown
from tests.support.python_game import Nim

VARIANTS: list[Game] = [
    Coin(CoinOptions(pile=7, max_take=7)),
    ConnectFour(ConnectFourOptions(columns=4, rows=15, length=3)),
    ConnectFour(ConnectFourOptions(columns=8, rows=7, length=5)),
    ConnectFour(ConnectFourOptions(columns=1, rows=2, length=2)),
    Go(GoOptions(size=2)),
    Go(GoOptions(size=5)),
    Nim(),
]
ALL = [game() for game in GAMES.values()] + VARIANTS

every_game = pytest.mark.parametrize(
    "game", ALL, ids=lambda game: f"{game.spec.name}-{game.spec.width}x{game.spec.height}"
)

GAMES_PLAYED = 3
LONGEST = 70


def random_game(game: Game, seed: int) -> Position:
    """A position some way into a random game, or at its end."""
    rng = random.Random(seed)
    position = Position(game)
    while not position.state.is_terminal and len(position.moves) < LONGEST:
        position.play(position.to_move, rng.choice(position.state.legal_actions()))
    return position


def states(game: Game) -> Iterator[State]:
    """Every state of a few random games."""
    for seed in range(GAMES_PLAYED):
        position = random_game(game, seed)
        state = position.start.clone()
        yield state.clone()
        for move in position.moves:
            state.apply_action(move.action)
            yield state.clone()


def face(game: Game, state: State) -> tuple[object, ...]:
    """All that can be seen of a state."""
    return (
        str(state),
        state.hash,
        state.current_player,
        state.is_terminal,
        list(state.legal_actions()),
        game.board(state),
        dict(game.heading(state)),
    )


@every_game
def test_black_begins_a_game_that_is_not_over(game: Game) -> None:
    state = game.new_state()
    assert isinstance(state, State)
    assert state.current_player == Player.BLACK
    assert not state.is_terminal
    assert state.num_actions == game.spec.num_actions


@every_game
def test_options_are_read_as_they_are_written(game: Game) -> None:
    """Each is one word: on command lines, in a session, and in SGF files."""
    words = {key: shown(value) for key, value in game.options}
    assert all(word.split() == [word] for word in words.values())
    assert read(game.Options, words, f"game {game.spec.name}") == game.options


@every_game
def test_a_clone_goes_its_own_way(game: Game) -> None:
    for state in states(game):
        before = face(game, state)
        for action in state.legal_actions()[:3]:
            clone = state.clone()
            assert face(game, clone) == before
            clone.apply_action(action)
            assert str(clone) != str(state)
        assert face(game, state) == before


@every_game
def test_is_legal_is_membership_of_the_list(game: Game) -> None:
    for state in states(game):
        legal = list(state.legal_actions())
        assert legal == sorted(set(legal))
        assert legal == [a for a in range(-2, state.num_actions + 2) if state.is_legal(a)]
        assert bool(legal) != state.is_terminal


@every_game
def test_a_refused_move_changes_nothing(game: Game) -> None:
    for state in states(game):
        before = face(game, state)
        legal = set(state.legal_actions())
        for action in {-1, 0, state.num_actions // 2, state.num_actions - 1, state.num_actions}:
            if action in legal:
                continue
            sensible = 0 <= action < state.num_actions
            error = GameOverError if state.is_terminal and sensible else ValueError
            with pytest.raises(error, match=f"action {action}"):
                state.apply_action(action)
            assert face(game, state) == before


@every_game
def test_undo_leads_back_through_the_very_positions(game: Game) -> None:
    position = random_game(game, seed=5)
    replayed = Position(game)
    faces = [face(game, replayed.state)]
    for move in position.moves:
        replayed.play(*move)
        faces.append(face(game, replayed.state))
    assert faces[-1] == face(game, position.state)
    while position.moves:
        assert face(game, position.state) == faces.pop()
        position.undo()
    assert face(game, position.state) == faces.pop()
    with pytest.raises(ValueError, match="cannot undo 1 moves: 0 were played"):
        position.undo()


@every_game
def test_only_go_lets_a_player_move_out_of_turn(game: Game) -> None:
    position = Position(game)
    action = position.state.legal_actions()[0]
    if game.spec.any_player_may_move:
        position.play(Player.WHITE, action)
        assert position.moves == ((Player.WHITE, action),)
    else:
        with pytest.raises(IllegalMoveError, match="not White's turn"):
            position.play(Player.WHITE, action)
        assert position.moves == ()


@every_game
def test_a_finished_game_has_a_value_and_a_length_in_bounds(game: Game) -> None:
    for seed in range(10):
        position = random_game(game, seed)
        assert len(position.moves) <= game.spec.max_length
        if position.state.is_terminal:
            assert position.state.black_value in (-1.0, 0.0, 1.0)


@every_game
def test_moves_are_read_as_they_are_written(game: Game) -> None:
    for state in states(game):
        names = {a: game.action_to_string(state, a) for a in state.legal_actions()}
        assert len(set(names.values())) == len(names)
        for action, name in names.items():
            assert game.string_to_action(state, name) == action
            assert game.string_to_action(state, name.lower()) == action


@every_game
@pytest.mark.parametrize(
    "text", ["", " ", "I1", "A0", "Z99", "A99999", "1A", "A-1", "\xb2", "A\xb2"]
)
def test_what_names_no_move_is_refused(game: Game, text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        game.string_to_action(game.new_state(), text)


@every_game
def test_zeros_in_front_of_a_number_mean_nothing(game: Game) -> None:
    state = game.new_state()
    name = game.action_to_string(state, 0)
    assert game.string_to_action(state, f"{name[:1]}000000{name[1:]}") == 0


@every_game
def test_hashes_tell_positions_apart(game: Game) -> None:
    seen: dict[int, object] = {}
    for state in states(game):
        looks = (game.board(state), state.current_player)
        assert seen.setdefault(state.hash, looks) == looks


@every_game
def test_the_board_is_drawn_to_its_size(game: Game) -> None:
    for state in states(game):
        board = game.board(state)
        assert len(board) == game.spec.height
        assert {len(row) for row in board} == {game.spec.width}
        assert {cell for row in board for cell in row} <= set("XO.")
        lines = game.render(state).splitlines()
        assert len(lines) == game.spec.height + 2
        assert all(lines)


def test_the_random_games_are_worth_it() -> None:
    """Most games end within sight, in all the ways they can."""
    results = {
        (game.spec.name, position.state.black_value)
        for game in ALL
        for seed in range(10)
        if (position := random_game(game, seed)).state.is_terminal
    }
    for name in ("coin", "connect4", "tictactoe", "nim", "go"):
        assert {(name, 1.0), (name, -1.0)} <= results
    assert ("connect4", 0.0) in results
    assert ("tictactoe", 0.0) in results
