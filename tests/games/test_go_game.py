"""A game of Go in progress: either colour at any time, the end and beyond, and all the way back."""

import random
from typing import cast

import pytest

import gtpcore
from games.base import Player, State
from games.errors import GameOverError, IllegalMoveError
from games.go import Go, GoOptions
from games.go_rules import Rules
from games.position import Position

SIZE = 5
PASS = SIZE * SIZE


def new_position(rules: Rules | None = None) -> Position:
    return Position(Go(GoOptions(size=SIZE, rules=rules or Rules(suicide=True))))


def face(position: Position) -> tuple[object, ...]:
    state = cast(gtpcore.GoState, position.state)
    reasons = [state.why_illegal(action) for action in range(state.num_actions)]
    captures = [state.captures(player) for player in Player]
    return str(state), state.hash, captures, reasons, state.is_terminal, state.black_score()


def play_anything(position: Position, rng: random.Random) -> None:
    """A legal move of a random player, a pass now and then."""
    player = rng.choice(list(Player))
    points = position.after(player).legal_actions()[:-1]
    passing = not points or rng.random() < 0.2
    position.play(player, PASS if passing else rng.choice(points))


def test_undo_leads_back_through_moves_out_of_turn_and_past_the_end(rng: random.Random) -> None:
    ends = 0
    for _ in range(20):
        position = new_position()
        faces = [face(position)]
        for _ in range(60):
            ends += position.state.is_terminal
            play_anything(position, rng)
            faces.append(face(position))
        for count in range(60):
            assert face(position) == faces[60 - count]
            position.undo()
        assert face(position) == faces[0]
    assert ends > 20


def test_two_passes_end_the_game_whoever_passes() -> None:
    for second in Player:
        position = new_position()
        position.play(Player.BLACK, PASS)
        position.state.clone().apply_action(0)
        position.play(second, PASS)
        with pytest.raises(GameOverError):
            position.state.clone().apply_action(0)


def test_a_game_goes_on_after_its_end_and_ends_anew() -> None:
    position = new_position()
    ended = []
    for _ in range(6):
        position.play(position.to_move, PASS)
        ended.append(position.state.is_terminal)
    assert ended == [False, True] * 3


def test_one_player_may_play_all_the_stones() -> None:
    position = new_position()
    for action in range(PASS - 1):
        position.play(Player.WHITE, action)
    state = cast(gtpcore.GoState, position.state)
    assert len(state.stones(Player.WHITE)) == PASS - 1
    assert position.to_move is Player.BLACK
    position.play(Player.BLACK, PASS - 1)
    assert cast(gtpcore.GoState, position.state).captures(Player.BLACK) == PASS - 1


def test_a_refused_move_out_of_turn_changes_nothing() -> None:
    position = new_position()
    position.play(Player.BLACK, 0)
    before = face(position)
    for player in Player:
        with pytest.raises(IllegalMoveError, match="A1 is illegal: occupied"):
            position.play(player, 0)
        assert face(position) == before


def test_other_rules_in_mid_game_know_all_that_was_played(rng: random.Random) -> None:
    """A game taken to other rules is as if it had been played under them all along."""

    def under_situational(state: State) -> None:
        cast(gtpcore.GoState, state).rules = rules.with_komi(rules.komi)

    rules = Rules(ko="situational", suicide=True)
    for _ in range(20):
        positional, situational = new_position(), new_position(rules)
        for _ in range(80):
            play_anything(positional, rng)
            situational.play(*positional.moves[-1])
        adapted = positional.adapted(situational.game, under_situational)
        for _ in range(80):
            assert face(adapted) == face(situational)
            adapted.undo()
            situational.undo()
