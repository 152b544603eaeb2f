"""The count of finished games of Go, drawn; lower-case stones are dead."""

import pytest

import gtpcore
from games.base import Player
from games.go_rules import PRESETS, HandicapBonus, Rules
from tests.support.drawing import draw

AREA = Rules(remove_dead=True, komi=0)
TERRITORY = Rules(scoring="territory", remove_dead=True, komi=0)

DEAD = """
    . X O . .
    X X O . x
    o X O O O
    . X X O .
    . . X O .
"""
"""Black has 7 stones and 5 points, White 7 and 6; each has one prisoner."""

NEUTRAL = """
    X X . O .
    . X . O O
    X X . O .
    . X . O O
    X X . O .
"""
"""Black has 8 stones and 2 points, White 7 and 3; the third column is nobody's."""

CAPTURE = """
    . X . .
    X O a .
    . X . .
    . . . .
"""
ONE_STONE = """
    . . . .
    . X . .
    . . . .
    . . . .
"""
ONE_DEAD_STONE = ONE_STONE.lower()
NO_STONE = """
    . .
    . .
"""


@pytest.mark.parametrize(
    ("drawing", "area", "territory"),
    [
        (DEAD, (7 + 5) - (7 + 6), (5 + 1) - (6 + 1)),
        (NEUTRAL, (8 + 2) - (7 + 3), 2 - 3),
        (ONE_STONE, 16, 15),
        (ONE_DEAD_STONE, 0, -1),
        (NO_STONE, 0, 0),
    ],
)
def test_both_ways_to_count(drawing: str, area: int, territory: int) -> None:
    for rules, expected in ((AREA, area), (TERRITORY, territory)):
        drawn = draw(drawing, rules)
        assert drawn.state.black_score(drawn.dead) == expected


def test_without_dead_stones_named_all_are_alive() -> None:
    assert draw(DEAD, AREA).state.black_score() == (8 + 1) - (8 + 2)
    assert draw(DEAD, TERRITORY).state.black_score() == 1 - 2


def test_what_touches_a_chain_in_seki_is_territory_of_nobody() -> None:
    """One stone names its chain; White's on the right has two eyes, Black's on the left four."""
    drawn = draw(NEUTRAL, TERRITORY)
    black, white = (drawn.state.stones(player)[0] for player in Player)
    assert drawn.state.black_score(seki=[black]) == -3
    assert drawn.state.black_score(seki=[white, white]) == 2
    assert draw(NEUTRAL, AREA).state.black_score(seki=[black, white]) == (8 + 2) - (7 + 3)
    with pytest.raises(ValueError, match="point 25: expected 0 to 24"):
        drawn.state.black_score(seki=[25])


def test_one_stone_names_its_whole_chain_and_twice_is_once() -> None:
    drawn = draw(DEAD, TERRITORY)
    white = drawn.state.stones(Player.WHITE)
    chain = [point for point in white if point not in drawn.dead]
    expected = drawn.state.black_score(chain)
    assert drawn.state.black_score(chain[:1] * 3) == expected == 1 + 12 + 7


def test_captured_stones_count_as_territory_only() -> None:
    for rules, expected in ((AREA, 16), (TERRITORY, 12 + 1)):
        drawn = draw(CAPTURE, rules)
        drawn.play("a")
        assert drawn.state.captures(Player.BLACK) == 1
        assert drawn.state.black_score() == expected


@pytest.mark.parametrize("komi", [0, 0.5, 7.5, 16, 16.5, -3.5, -1000, 1000])
def test_komi_is_white_s_and_may_be_negative(komi: float) -> None:
    drawn = draw(ONE_STONE, AREA.model_copy(update={"komi": komi}))
    assert drawn.state.black_score() == 16 - komi
    drawn.play("pass pass")
    assert drawn.state.black_value == (komi < 16) - (komi > 16)


@pytest.mark.parametrize(
    ("bonus", "stones", "points"),
    [("none", 5, 0), ("n", 5, 5), ("n-1", 5, 4), ("n-1", 1, 0), ("n", 1, 0), ("n", 0, 0)],
)
def test_white_s_bonus_for_handicap_stones(bonus: HandicapBonus, stones: int, points: int) -> None:
    for rules, plain in ((AREA, 16), (TERRITORY, 15)):
        drawn = draw(ONE_STONE, rules.model_copy(update={"handicap_bonus": bonus}))
        drawn.state.handicap = stones
        assert drawn.state.black_score() == plain - (points if rules is AREA else 0)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_counts_by_its_own_facts(name: str) -> None:
    rules = PRESETS[name]
    drawn = draw(ONE_STONE, rules)
    drawn.state.handicap = 2
    bonus = {"none": 0, "n": 2, "n-1": 1}[rules.handicap_bonus]
    expected = (16 if rules.scoring == "area" else 15) - bonus - rules.komi
    assert drawn.state.black_score() == expected


def test_a_change_of_rules_counts_the_same_board_anew() -> None:
    drawn = draw(CAPTURE, TERRITORY)
    drawn.play("a")
    drawn.state.rules = AREA.with_komi(6.5)
    assert drawn.state.black_score() == 16 - 6.5
    drawn.state.rules = TERRITORY.with_komi(-0.5)
    assert drawn.state.black_score() == 13 + 0.5


def test_dead_points_off_the_board_are_refused() -> None:
    state = draw(ONE_STONE).state
    for point in (-1, 16):
        with pytest.raises(ValueError, match=f"point {point}: expected 0 to 15"):
            state.black_score([point])


def test_captures_before_a_position_are_as_many_as_can_be_counted() -> None:
    """Scores are told in half points, of 32 bits."""
    most = 1_000_000
    state = gtpcore.GoState(5, gtpcore.GoRules(scoring="territory", komi=0.0))
    state.add_captures(0, most - 1)
    state.add_captures(0, 1)
    assert state.black_score() == most
    for count in (-1, 1, 2_000_000_000):
        with pytest.raises(ValueError, match=f"captures {count}: expected 0 or more"):
            state.add_captures(0, count)
    assert state.captures(0) == most
