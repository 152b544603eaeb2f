"""Positions of Go where the rules are easily got wrong, drawn."""

from typing import get_args

import pytest

from games.base import Player
from games.errors import GameOverError, IllegalMoveError
from games.go_rules import Ko, Rules
from tests.support.drawing import Drawn, draw

every_ko = pytest.mark.parametrize("ko", get_args(Ko))

KO = """
    . X O .
    X a b O
    . X O .
    c . . d
"""
DOUBLE_KO = """
    . X O . . .
    X a b O . .
    . X O . . .
    . X O . . .
    X c d O . .
    . X O . . .
"""
TRIPLE_KO = """
    . X O . . . . . .
    X a b O . . . . .
    . X O . . . . . .
    . X O . . . . . .
    X c d O . . . . .
    . X O . . . . . .
    . X O . . . . . .
    X e f O . . . . .
    . X O . . . . . .
"""
SEND_TWO_RETURN_ONE = """
    . . . . .
    . . . . .
    . . . . .
    X X O O .
    a b c O .
"""
SNAPBACK = """
    . . . . .
    . . . . .
    X X X X .
    O O O X .
    O b a X .
"""
SUICIDES = """
    b O . X e
    O O . O X
    . . X X X
    O O X c d
    a O X X X
"""


def rules(ko: Ko, suicide: bool = False) -> Rules:
    return Rules(ko=ko, suicide=suicide)


@every_ko
def test_ko(ko: Ko) -> None:
    drawn = draw(KO, rules(ko), to_move=Player.WHITE)
    drawn.play("a b")
    assert drawn.why_illegal("a") == "ko"
    drawn.state.resume(Player.BLACK)
    assert drawn.why_illegal("a") == "", "Black may connect at once"
    drawn.state.resume(Player.WHITE)
    assert drawn.why_illegal("a") == "ko"
    drawn.play("c d")
    assert drawn.why_illegal("a") == ""
    drawn.play("a")
    assert drawn.why_illegal("b") == "ko"


@every_ko
def test_whoever_just_took_the_ko_may_move_again(ko: Ko) -> None:
    drawn = draw(KO, rules(ko), to_move=Player.WHITE)
    drawn.play("a b")
    drawn.state.resume(Player.BLACK)
    drawn.play("c")
    assert drawn.why_illegal("a") == ""
    drawn.play("a")
    assert drawn.state.captures(Player.WHITE) == drawn.state.captures(Player.BLACK) == 1


def test_passes_lift_a_ko_but_no_superko() -> None:
    for ko in get_args(Ko):
        drawn = draw(KO, rules(ko), to_move=Player.WHITE)
        drawn.play("a b pass pass")
        assert drawn.why_illegal("a") == "the game is over"
        drawn.state.resume(Player.WHITE)
        assert drawn.why_illegal("a") == ("" if ko == "simple" else "superko")


@every_ko
def test_setup_stones_forget_the_ko_and_the_passes(ko: Ko) -> None:
    drawn = draw(KO, rules(ko), to_move=Player.WHITE)
    drawn.play("a b")
    drawn.place(Player.BLACK, "d")
    assert drawn.why_illegal("a") == ""
    drawn.play("pass pass")
    assert drawn.why_illegal("c") == "the game is over"
    drawn.place(Player.WHITE, "c")
    drawn.play("pass")
    assert not drawn.state.is_terminal


def test_a_refused_setup_stone_forgets_nothing() -> None:
    drawn = draw(KO, rules("positional"), to_move=Player.WHITE)
    drawn.play("a b")
    with pytest.raises(IllegalMoveError, match="occupied"):
        drawn.place(Player.BLACK, "b")
    with pytest.raises(IllegalMoveError, match="without liberties"):
        drawn.place(Player.WHITE, "a")
    assert drawn.why_illegal("a") == "ko"


@every_ko
def test_double_ko_is_no_repetition(ko: Ko) -> None:
    drawn = draw(DOUBLE_KO, rules(ko), to_move=Player.BLACK)
    drawn.place(Player.WHITE, "a")
    drawn.place(Player.BLACK, "d")
    drawn.play("b c")
    assert drawn.why_illegal("d") == "ko"
    drawn.play("pass")
    assert drawn.why_illegal("a") == ""


def test_triple_ko_goes_on_for_ever_unless_superko_ends_it() -> None:
    ends: dict[Ko, str] = {}
    for ko in get_args(Ko):
        drawn = draw(TRIPLE_KO, rules(ko), to_move=Player.BLACK)
        drawn.place(Player.WHITE, "a e")
        drawn.place(Player.BLACK, "d")
        drawn.play("b c f a d")
        ends[ko] = drawn.why_illegal("e")
    assert ends == {"simple": "", "positional": "superko", "situational": "superko"}


def sent_two(ko: Ko) -> Drawn:
    """White sends two stones from a position where it is to move, and Black takes them."""
    drawn = draw(SEND_TWO_RETURN_ONE, rules(ko), to_move=Player.WHITE)
    drawn.place(Player.WHITE, "b")
    drawn.play("a c")
    return drawn


def test_send_two_return_one_repeats_the_position_but_not_the_situation() -> None:
    """Black is to move now where White was; once more round, the situation too is repeated."""
    returns = {ko: sent_two(ko).why_illegal("b") for ko in get_args(Ko)}
    assert returns == {"simple": "", "positional": "superko", "situational": ""}
    again: dict[Ko, str] = {}
    for ko in ("simple", "situational"):
        drawn = sent_two(ko)
        drawn.play("b pass")
        again[ko] = drawn.why_illegal("a")
    assert again == {"simple": "", "situational": "superko"}


def test_a_situation_is_there_by_whoever_moves_in_it() -> None:
    """Here Black was to move first, but White moved; so it counts as situation of White's alone."""
    drawn = draw(SEND_TWO_RETURN_ONE, rules("situational"), to_move=Player.BLACK)
    drawn.place(Player.WHITE, "b")
    drawn.state.resume(Player.WHITE)
    drawn.play("a c")
    assert drawn.why_illegal("b") == ""


def test_a_move_out_of_turn_leaves_the_situation_behind_as_a_pass_does() -> None:
    """White puts b, and moves again: so White was to move there, and Black was as well."""
    for between in ("pass", ""):
        drawn = draw(SEND_TWO_RETURN_ONE, rules("situational"), to_move=Player.WHITE)
        drawn.play(f"b {between}")
        drawn.state.resume(Player.WHITE)
        drawn.play("a c")
        assert drawn.why_illegal("b") == "superko"


@pytest.mark.parametrize("first", get_args(Ko))
def test_a_change_of_the_ko_rule_holds_for_what_was_played_before(first: Ko) -> None:
    drawn = sent_two(first)
    reasons: dict[Ko, str] = {"positional": "superko", "situational": "", "simple": ""}
    for ko, why in reasons.items():
        drawn.state.rules = rules(ko).with_komi(7.5)
        assert drawn.why_illegal("b") == why


@every_ko
def test_snapback(ko: Ko) -> None:
    drawn = draw(SNAPBACK, rules(ko), to_move=Player.BLACK)
    drawn.play("b a")
    assert drawn.state.captures(Player.WHITE) == 1
    assert drawn.why_illegal("b") == ""
    drawn.play("b")
    assert drawn.state.captures(Player.BLACK) == 5
    drawn.shows("""
        . . . . .
        . . . . .
        X X X X .
        . . . X .
        . X . X .
    """)


@every_ko
def test_one_stone_may_never_kill_itself(ko: Ko) -> None:
    for suicide in (False, True):
        drawn = draw(SUICIDES, rules(ko, suicide), to_move=Player.BLACK)
        assert drawn.why_illegal("a") == drawn.why_illegal("b") == "suicide"


@every_ko
def test_more_stones_may_kill_themselves_where_the_rules_say_so(ko: Ko) -> None:
    for suicide in (False, True):
        drawn = draw(SUICIDES, rules(ko, suicide), to_move=Player.WHITE)
        drawn.play("c e")
        assert drawn.why_illegal("d") == ("" if suicide else "suicide")
        if suicide:
            drawn.play("d")
            assert drawn.state.captures(Player.BLACK) == 2
            drawn.shows(SUICIDES.replace("e", "X"))


def test_superko_forbids_a_suicide_that_leads_back() -> None:
    """White's two moves and Black's pass lead back to where White was to move, now Black."""
    back: dict[Ko, str] = {"simple": "", "positional": "superko", "situational": ""}
    for ko, why in back.items():
        drawn = draw(SUICIDES, rules(ko, suicide=True), to_move=Player.WHITE)
        drawn.play("c pass")
        assert drawn.why_illegal("d") == why
    drawn = draw(SUICIDES, rules("situational", suicide=True), to_move=Player.BLACK)
    drawn.play("pass c pass")
    assert drawn.why_illegal("d") == "superko"


def test_why_illegal() -> None:
    drawn = draw(KO, rules("simple"))
    size = drawn.state.size
    for action in (-1, size * size + 1, 10**6):
        assert drawn.state.why_illegal(action) == "off the board"
    assert drawn.state.why_illegal(drawn.names["a"] - 1) == "occupied"
    drawn.play("pass pass")
    assert drawn.why_illegal("c") == drawn.why_illegal("pass") == "the game is over"
    with pytest.raises(GameOverError, match="the game is over"):
        drawn.play("c")
