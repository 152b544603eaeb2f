"""Go in lock-step with three other boards: the slow reference, sgfmill's, OpenSpiel's."""

import random
from collections import Counter
from itertools import product
from typing import Any, get_args

import pytest
from sgfmill import boards

import gtpcore
from games.base import Player
from games.errors import IllegalMoveError
from games.go_rules import HandicapBonus, Ko, Rules, Scoring
from tests.support.go_reference import EMPTY, ReferenceGo

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

COLORS = "bw"


def cells(state: gtpcore.GoState) -> tuple[int, ...]:
    return tuple(map(state.stone_at, range(state.size**2)))


def random_rules(rng: random.Random, ko: Ko, suicide: bool) -> Rules:
    scoring: Scoring = rng.choice(get_args(Scoring))
    return Rules(
        ko=ko,
        suicide=suicide,
        scoring=scoring,
        handicap_bonus=rng.choice(get_args(HandicapBonus)),
        remove_dead=scoring == "territory",
        komi=rng.randrange(-20, 20) / 2,
    )


class Twins:
    """The same game here and on the reference board, and how often what happened."""

    def __init__(self, size: int, rules: Rules, rng: random.Random) -> None:
        self.rng = rng
        self.ours = gtpcore.GoState(size, rules.with_komi(rules.komi))
        self.reference = ReferenceGo(size, rules, handicap=rng.randrange(4))
        self.ours.handicap = self.reference.handicap
        self.seen: Counter[str] = Counter()

    def compare(self) -> None:
        ours, reference = self.ours, self.reference
        assert cells(ours) == reference.cells
        assert [ours.captures(player) for player in Player] == reference.captures
        assert ours.current_player == reference.to_move
        assert ours.is_terminal == (reference.passes >= 2)
        reasons = [reference.why_illegal(action) for action in range(ours.num_actions)]
        assert [ours.why_illegal(action) for action in range(ours.num_actions)] == reasons
        legal = [action for action, why in enumerate(reasons) if not why]
        assert list(ours.legal_actions()) == legal
        dead = self.rng.choices(range(ours.size**2), k=self.rng.randrange(3))
        for gone in ([], dead):
            assert ours.black_score(gone) == reference.black_score(reference.rules.komi, gone)
        self.seen.update(filter(None, reasons))

    def step(self) -> None:
        """Something random; what happens seldom in a game happens more often here."""
        what = self.rng.random()
        if what < 0.05 or self.reference.passes >= 2:
            player = self.rng.choice(list(Player))
            self.ours.resume(player)
            self.reference.resume(player)
        elif what < 0.09:
            self._place()
        else:
            self._play(self.ours.size**2 if what < 0.14 else None)

    def _place(self) -> None:
        player, point = self.rng.choice(list(Player)), self.rng.randrange(self.ours.size**2)
        if self.reference.place(player, point):
            self.ours.place(player, point)
            self.seen["placed"] += 1
        else:
            with pytest.raises(IllegalMoveError):
                self.ours.place(player, point)
            self.seen["not placed"] += 1

    def change_rules(self) -> None:
        """Other rules for the rest of the game, which forbid what was played before them too."""
        ko, suicide = self.rng.choice(KINDS)
        self.reference.rules = random_rules(self.rng, ko, suicide)
        self.ours.rules = self.reference.rules.with_komi(self.reference.rules.komi)

    def _play(self, action: int | None) -> None:
        if action is None:
            points = self.ours.legal_actions()[:-1]
            action = self.rng.choice(points) if points else self.ours.size**2
        before = self.reference.cells
        self.ours.apply_action(action)
        self.reference.apply_action(action)
        if action < self.ours.size**2 and self.reference.cells[action] == EMPTY:
            self.seen["suicide accepted"] += 1
        gone = sum(
            old != EMPTY == new for old, new in zip(before, self.reference.cells, strict=True)
        )
        self.seen["captures of five or more"] += gone >= 5


KINDS = list(product(get_args(Ko), (False, True)))


def play_twins(size: int, steps: int, rules: Rules, rng: random.Random) -> Counter[str]:
    twins = Twins(size, rules, rng)
    for _ in range(steps):
        twins.compare()
        twins.step()
    return twins.seen


def assert_all_happened(seen: Counter[str], ko: Ko, suicide: bool) -> None:
    expected = {"occupied", "suicide", "ko", "placed", "not placed", "captures of five or more"}
    expected |= {"suicide accepted"} if suicide else set()
    expected |= {"superko"} if ko != "simple" else set()
    assert {what for what, count in seen.items() if count} - {"the game is over"} == expected


@pytest.mark.parametrize(("ko", "suicide"), KINDS)
def test_reference(ko: Ko, suicide: bool, rng: random.Random) -> None:
    seen: Counter[str] = Counter()
    for size, steps in ((2, 60), (2, 60), (3, 100), (3, 100), (4, 80), (4, 80), (5, 50), (5, 50)):
        seen += play_twins(size, steps, random_rules(rng, ko, suicide), rng)
    assert_all_happened(seen, ko, suicide)


def test_rules_that_change_all_the_time(rng: random.Random) -> None:
    seen: Counter[str] = Counter()
    for size in (2, 3, 3, 4, 5, 5):
        twins = Twins(size, random_rules(rng, "simple", suicide=True), rng)
        for _ in range(100):
            twins.change_rules()
            twins.compare()
            twins.step()
        seen += twins.seen
    assert_all_happened(seen, "positional", suicide=True)


@pytest.mark.slow
@pytest.mark.parametrize(("ko", "suicide"), KINDS)
def test_reference_for_long(ko: Ko, suicide: bool, rng: random.Random) -> None:
    seen: Counter[str] = Counter()
    for size, steps in ((2, 500), (3, 500), (4, 300), (5, 200), (7, 100), (9, 50)) * 2:
        seen += play_twins(size, steps, random_rules(rng, ko, suicide), rng)
    assert_all_happened(seen, ko, suicide)


def sgfmill_cells(board: Any) -> tuple[int, ...]:
    stones = (stone for row in board.board for stone in row)
    return tuple(EMPTY if stone is None else COLORS.index(stone) for stone in stones)


def play_with_sgfmill(size: int, suicide: bool, plies: int, rng: random.Random) -> Counter[str]:
    """One random game; sgfmill knows captures, suicide, simple ko and the area."""
    state = gtpcore.GoState(size, gtpcore.GoRules(ko="simple", suicide=suicide, komi=0))
    board = boards.Board(size)
    seen: Counter[str] = Counter()
    for _ in range(plies):
        legal = [p for p in rng.choices(range(size * size), k=8) if state.is_legal(p)]
        player, banned = state.current_player, None
        if legal:
            row, column = divmod(legal[0], size)
            state.apply_action(legal[0])
            banned = board.play(row, column, COLORS[player])
            seen["suicide"] += board.get(row, column) is None
        else:
            state.resume(1 - player)
        assert cells(state) == sgfmill_cells(board)
        if banned is not None:
            seen["ko"] += 1
            assert state.why_illegal(banned[0] * size + banned[1]) == "ko"
        elif legal and size < 6:  # else an earlier ban may hold still
            assert "ko" not in map(state.why_illegal, range(size * size))
    assert state.black_score() == board.area_score()
    return seen


@pytest.mark.parametrize("suicide", [False, True])
def test_sgfmill(suicide: bool, rng: random.Random) -> None:
    seen: Counter[str] = Counter()
    for size in (*range(2, 10), *range(2, 10), *range(10, 26)):
        seen += play_with_sgfmill(size, suicide, min(2 * size * size, 400), rng)
    assert seen["ko"] > 20
    assert bool(seen["suicide"]) == suicide


@pytest.mark.slow
@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize("size", range(2, 26))
def test_sgfmill_for_long(size: int, suicide: bool, rng: random.Random) -> None:
    for _ in range(100 if size < 10 else 3):
        play_with_sgfmill(size, suicide, 3 * size * size, rng)


def play_with_open_spiel(size: int, rng: random.Random) -> Counter[str]:
    """One random game; returns how it ended.

    OpenSpiel's rules are area scoring, no suicide, simple ko. It differs from ours in two things:
    a game ends drawn when a position repeats, and after max_game_length moves.
    """
    there = pyspiel.load_game(f"go(board_size={size},komi=7.5)")
    theirs = there.new_initial_state()
    ours = gtpcore.GoState(size, gtpcore.GoRules(ko="simple", suicide=False))
    length = 0
    while not theirs.is_terminal():
        assert list(ours.legal_actions()) == sorted(theirs.legal_actions())
        assert ours.current_player == theirs.current_player()
        action = rng.choice(ours.legal_actions())
        ours.apply_action(action)
        theirs.apply_action(action)
        length += 1
    if ours.is_terminal:
        assert theirs.returns() == [ours.black_value, -ours.black_value]
        return Counter(["passes"])
    if length == there.max_game_length():
        return Counter(["length"])
    assert theirs.returns() == [0, 0]
    return Counter(["repetition"])


def test_open_spiel(rng: random.Random) -> None:
    ends: Counter[str] = Counter()
    for size in (2, 2, 2, 2, 3, 3, 4, 5, 9) * 10:
        ends += play_with_open_spiel(size, rng)
    assert set(ends) == {"passes", "length", "repetition"}


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 3, 4, 5, 7, 9, 13, 19])
def test_open_spiel_for_long(size: int, rng: random.Random) -> None:
    for _ in range(2000 // size**2):
        play_with_open_spiel(size, rng)
