"""The clock never loses on time, and uses its time: whole games against a plain referee."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from math import inf

import pytest

from gtpbot.gtp.clock import Byoyomi, Canadian, Clock, Fischer, Left, TimeControl

OVERRUN = 0.05
"""Seconds by which a search may miss its budget."""
SET_ASIDE = 0.26
"""Of a move with the usual lag."""


class FlagFellError(Exception):
    """The referee has seen the time run out."""


Control = Fischer | Canadian | Byoyomi


class Referee:
    """Keeps a player's time as a server does: written apart from the controls it judges."""

    def __init__(self, control: Control) -> None:
        self.control = control
        self.main = control.main
        self.period_left = 0.0
        self.count = 0
        if self.main == 0 and not isinstance(control, Fischer):
            self._enter_overtime()

    def shown(self) -> tuple[float, int]:
        """The numbers of `time_left`."""
        return (self.period_left, self.count) if self.count else (self.main, 0)

    def move(self, seconds: float) -> None:
        if isinstance(self.control, Fischer):
            self._move_fischer(self.control, seconds)
            return
        if not self.count:
            self.main -= seconds
            if self.main >= 0:
                return
            seconds = -self.main
            self._enter_overtime()
        self._move_in_overtime(seconds)

    def _enter_overtime(self) -> None:
        if isinstance(self.control, Canadian):
            self.period_left, self.count = self.control.period, self.control.stones
        elif isinstance(self.control, Byoyomi):
            self.period_left, self.count = self.control.period, self.control.periods

    def _move_in_overtime(self, seconds: float) -> None:
        self.period_left -= seconds
        if isinstance(self.control, Byoyomi):
            while self.period_left < 0 and self.count > 1:
                self.count -= 1
                self.period_left += self.control.period
        if self.period_left < 0:
            raise FlagFellError
        if isinstance(self.control, Byoyomi):
            self.period_left = self.control.period
        else:
            self.count -= 1
            if self.count == 0:
                self._enter_overtime()

    def _move_fischer(self, control: Fischer, seconds: float) -> None:
        self.main -= seconds
        if self.main < 0 or seconds > control.most_per_move:
            raise FlagFellError
        self.main = min(self.main + control.increment, control.most)


@dataclass
class Game:
    """One player's moves in a game of `length` moves by both."""

    control: Control
    length: int
    points: int = 81
    lag: float = 0.2
    told: bool = True
    """Whether the client sends `time_left`."""
    miss: Callable[[], float] = lambda: 0.0
    """From 0 to 1: how much of the lag and the overrun that are allowed for really happen."""
    use: Callable[[], float] = lambda: 1.0
    """The part of its budget after which the search is sure."""
    budgets: list[float] = field(default_factory=list)
    spent: float = 0.0

    def play(self) -> Referee:
        now = 0.0
        clock = Clock(self.control, self.lag, now=lambda: now)
        referee = Referee(self.control)
        for moves in range(0, self.length, 2):
            if self.told:
                clock.time_left(*referee.shown())
            budget = clock.budget(self.points, moves)
            assert budget is not None and budget > 0
            self.budgets.append(budget)
            clock.start()
            thought = budget * self.use() + OVERRUN * self.miss()
            now += thought
            clock.stop()
            self.spent += thought + self.lag * self.miss()
            referee.move(thought + self.lag * self.miss())
        return referee


CONTROLS: dict[str, Callable[[random.Random], Control]] = {
    "absolute": lambda r: Fischer(r.uniform(140, 3600)),
    "fischer": lambda r: Fischer(r.uniform(1, 600), r.uniform(0.5, 60)),
    "fischer-slow-drip": lambda r: Fischer(r.uniform(140, 600), r.uniform(0.01, 0.5)),
    "fischer-capped": lambda r: Fischer(
        r.uniform(10, 60), r.uniform(1, 30), r.uniform(60, 90), r.choice([inf, r.uniform(1, 20)])
    ),
    "canadian": lambda r: Canadian(
        r.choice([0, r.uniform(0, 600)]), r.uniform(15, 600), r.randint(1, 25)
    ),
    "byoyomi": lambda r: Byoyomi(
        r.choice([0, r.uniform(0, 600)]), r.uniform(0.6, 60), r.randint(1, 9)
    ),
}


def test_time_saved_by_early_answers_is_used_later() -> None:
    game = Game(Fischer(60), 60, use=lambda: 0.4)
    game.play()
    assert game.spent > 0.8 * 60


@pytest.mark.parametrize("told", [True, False], ids=["time_left", "own clock"])
@pytest.mark.parametrize("name", CONTROLS)
def test_never_loses_on_time(name: str, told: bool) -> None:
    rng = random.Random(f"{name} {told}")
    for _ in range(500):
        control, points = CONTROLS[name](rng), rng.choice([42, 81, 169, 361])
        length = rng.randrange(2, int(1.4 * points))
        miss = rng.choice([rng.random, lambda: 1.0, lambda: 0.0])
        use = rng.choice([rng.random, lambda: 1.0])
        game = Game(control, length, points, told=told, miss=miss, use=use)
        try:
            game.play()
        except FlagFellError:
            pytest.fail(f"lost on time: {control}, {length} moves on {points} points")


@pytest.mark.parametrize("told", [True, False], ids=["time_left", "own clock"])
@pytest.mark.parametrize(("points", "main"), [(81, 120), (81, 1800), (169, 300), (361, 1800)])
def test_absolute_time_is_used(points: int, main: float, told: bool) -> None:
    rng = random.Random(1)
    for _ in range(50):
        length = round(points * rng.uniform(0.7, 0.85))
        game = Game(Fischer(main), length, points, told=told, miss=rng.random)
        left, _ = game.play().shown()
        assert left < (0.1 if told else 0.14) * main


@pytest.mark.parametrize("points", [81, 361])
def test_more_time_early_than_late(points: int) -> None:
    game = Game(Fischer(1800), round(0.75 * points), points)
    game.play()
    third = len(game.budgets) // 3
    opening, middle, end = (sum(game.budgets[i * third : (i + 1) * third]) for i in range(3))
    assert opening > middle > end > 0.05 * game.spent
    assert max(game.budgets) < 0.1 * game.spent


def test_a_blitz_game_keeps_half_its_time_for_lag_at_most() -> None:
    game = Game(Fischer(10), 60, lag=0.02)
    game.play()
    assert game.spent > 7
    for told in (True, False):
        hasty = Game(Fischer(10), 60, lag=10, told=told, miss=lambda: 0.001)
        hasty.play()
        assert hasty.spent > 4


def test_fischer_keeps_a_bank_and_spends_the_increment() -> None:
    game = Game(Fischer(10, 10), 60, miss=random.Random(1).random)
    left, _ = game.play().shown()
    assert 15 < left < 25
    assert all(9 < budget < 10.5 for budget in game.budgets[10:])


def test_fischer_lets_nothing_fall_over_the_cap() -> None:
    game = Game(Fischer(60, 40, most=60), 60)
    game.play()
    assert game.budgets == pytest.approx([40] * 30)
    with_limit = Game(Fischer(600, 20, most_per_move=15), 60)
    with_limit.play()
    assert max(with_limit.budgets) == pytest.approx(15 - SET_ASIDE)


def test_byoyomi_spends_its_periods_in_the_middle_game_but_one() -> None:
    game = Game(Byoyomi(0, 10, 5), 60, miss=random.Random(1).random)
    _, periods = game.play().shown()
    assert periods == 2
    doubled = [i for i, budget in enumerate(game.budgets) if budget > 10]
    assert len(doubled) == 3
    assert 5 < doubled[0] < doubled[1] < doubled[2] < 25
    assert game.spent > 0.97 * (30 * 10 + 3 * 10)


@pytest.mark.parametrize("main", [0, 5, 29, 31, 300])
def test_byoyomi_leaves_no_main_time_and_no_part_of_a_period(main: float) -> None:
    game = Game(Byoyomi(main, 30, 1), 80)
    game.play()
    used = list(accumulate(game.budgets))
    over = next(total for total in used if total > main)
    assert over == pytest.approx(main + 30 - SET_ASIDE)
    assert min(game.budgets) >= 30 - SET_ASIDE


@pytest.mark.parametrize("control", [Byoyomi(600, 10, 3), Canadian(600, 50, 5)])
def test_main_time_lasts_into_the_middle_game(control: Control) -> None:
    """A move has its part of the overtime and of the main time, more in the opening than later."""
    game = Game(control, 120, points=361)
    game.play()
    assert 10 + 600 / 100 < game.budgets[0] < 10 + 600 / 50
    spent = list(accumulate(game.budgets))
    assert spent[20] < 600 < spent[45]


def test_at_most_half_of_a_fast_move_is_set_aside() -> None:
    fast = [Fischer(300, 1, most_per_move=0.5), Canadian(0, 10, 20), Byoyomi(0, 0.5, 3)]
    assert [control.set_aside(3, 81) for control in fast] == [0.25] * 3
    assert [control.set_aside(0.2, 81) for control in fast] == [0.2] * 3


def test_canadian_shares_the_period_among_its_stones() -> None:
    game = Game(Canadian(0, 100, 10), 80)
    game.play()
    assert all(9.7 < budget < 12.5 for budget in game.budgets)
    assert game.spent > 0.96 * 400


def clock(control: TimeControl | None) -> Clock:
    return Clock(control, lag=0.2, now=lambda: 0.0)


@pytest.mark.parametrize(
    ("control", "shown", "left"),
    [
        (Fischer(300), (12.5, 7), Left(12.5, 0)),
        (Fischer(300), (-0.3, 0), Left(-0.3, 0)),
        (Canadian(300, 60, 5), (200.0, 0), Left(200.0, 0)),
        (Canadian(300, 60, 5), (45.0, 3), Left(45.0, 3)),
        (Canadian(0, 60, 5), (45.0, 0), Left(45.0, 5)),
        (Byoyomi(300, 30, 5), (200.0, 0), Left(200.0, 0)),
        (Byoyomi(300, 30, 5), (30.0, 4), Left(30.0, 4)),
        (Byoyomi(0, 30, 5), (30.0, 0), Left(30.0, 1)),
    ],
)
def test_time_left(control: TimeControl, shown: tuple[float, int], left: Left) -> None:
    player = clock(control)
    player.time_left(*shown)
    assert player.left == left


@pytest.mark.parametrize("seconds", [0.0, -0.5, -1000.0])
@pytest.mark.parametrize("count", [0, 1])
@pytest.mark.parametrize("control", [Fischer(60), Canadian(0, 30, 1), Byoyomi(0, 30, 1)])
def test_out_of_time_still_moves_at_once(control: TimeControl, count: int, seconds: float) -> None:
    player = clock(control)
    player.time_left(seconds, count)
    assert player.budget(81, 20) == 0.01


def test_no_limit() -> None:
    player = clock(None)
    player.time_left(1.0, 0)
    player.start()
    player.stop()
    assert player.budget(81, 20) is None
    assert player.left is None


def test_own_clock_charges_the_lag_and_starts_again_with_a_new_game() -> None:
    now = 100.0
    player = Clock(Canadian(10, 30, 2), lag=0.5, now=lambda: now)
    for spent, left in ((4, Left(5.5, 0)), (15, Left(15, 1)), (3, Left(30, 2))):
        player.start()
        now += spent
        player.stop()
        assert player.left == left
    player.stop()
    assert player.left == Left(30, 2)
    player.reset()
    assert player.left == Left(10, 0)


def test_how_time_was_used_is_known_in_a_game_played_again_but_not_in_a_new_one() -> None:
    """A search that took no time is given more for its next move."""

    def budget(player: Clock, moves: int) -> float:
        seconds = player.budget(81, moves)
        assert seconds is not None
        return seconds

    player = clock(Fischer(300))
    first = budget(player, 0)
    player.start()
    player.stop()
    for moves, begin_again in ((2, player.fill), (4, player.reset), (4, player.fill)):
        begin_again()
        assert budget(player, moves) > 1.1 * budget(clock(Fischer(300)), moves)
    for _ in range(2):
        player.reset()
        assert budget(player, 0) == first
        player.start()
        player.stop()


def test_own_clock_loses_periods_but_believes_in_the_last_one() -> None:
    now = 0.0
    player = Clock(Byoyomi(10, 30, 3), lag=0, now=lambda: now)
    for spent, left in (
        (4, Left(6, 0)),
        (11, Left(30, 3)),
        (35, Left(30, 2)),
        (1e9, Left(30, 1)),
    ):
        player.start()
        now += spent
        player.stop()
        assert player.left == left


def test_own_clock_adds_the_increment_up_to_the_cap() -> None:
    control = Fischer(60, 5, most=62)
    assert control.after(Left(60, 0), 4) == Left(61, 0)
    assert control.after(Left(60, 0), 1) == Left(62, 0)


@pytest.mark.parametrize(("control", "count"), [(Canadian(0, 30, 5), 5), (Byoyomi(0, 30, 3), 3)])
def test_without_main_time_the_first_period_begins_at_once(control: Control, count: int) -> None:
    assert clock(control).left == Left(30, count)


def test_what_a_clock_allows_before_it_has_run_out() -> None:
    assert Fischer(9, 3).allowed(Left(4, 0)) == 4
    assert Fischer(9, 3, most_per_move=2).allowed(Left(4, 0)) == 2
    assert Canadian(9, 3, 5).allowed(Left(4, 0)) == 7
    assert Canadian(9, 3, 5).allowed(Left(2, 4)) == 2
    assert Byoyomi(9, 3, 5).allowed(Left(4, 0)) == 4 + 15
    assert Byoyomi(9, 3, 5).allowed(Left(2, 4)) == 2 + 9


def test_what_a_move_saves_is_carried_on_by_the_clock_but_not_by_its_estimate() -> None:
    control = Canadian(0, 10, 5)
    assert control.after(Left(10, 5), 1) == Left(9, 4)
    assert control.estimated(Left(10, 5), 1) == Left(8, 4)
    assert control.estimated(Left(3, 1), 1) == Left(10, 5)
    assert Canadian(9, 10, 5).estimated(Left(9, 0), 1) == Left(8, 0)


def test_what_a_move_takes_beyond_the_main_time_is_taken_off_the_periods() -> None:
    assert Canadian(9, 10, 5).after(Left(2, 0), 5) == Left(7, 4)
    assert Byoyomi(9, 10, 3).after(Left(2, 0), 25) == Left(10, 1)
