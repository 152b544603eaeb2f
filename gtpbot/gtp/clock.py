"""A player's clock: what time is left, and how much of it to spend on the next move.

Begin with `Clock.budget`, then `Fischer.budget` for the plan that all time controls share.

What is left is always a pair, as `time_left` has it: `seconds`, and `count`, which is 0 while the
main time runs and the stones or periods left in overtime. Each time control knows how a move
changes the pair, and how many seconds of it a move deserves.

The plan gives a move `INCOME + SHARE * main time / moves to go`. The income is what comes back
after the move whatever it takes (an increment, a period of byo-yomi), so all of it is spent. The
share is above 1, so more of the main time goes into the opening and the middle game than into the
end. `set_aside` seconds of each move belong to the lag of the client and to the search's own
overrun; they are never planned with.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

SHARE = 1.8
LEAST_USE = 0.4
"""Searches that take less of their budgets are given no more than if they took this part."""
RECENT = 0.25
"""The weight of the last move among those that tell how much of its budgets a search takes."""
SHORTEST = 0.01
"""Seconds a search gets even when no time is left at all."""
OVERRUN = 0.05 + SHORTEST
"""Seconds kept for a search that misses its budget, or had none."""


@dataclass(frozen=True)
class Left:
    """What a player has left."""

    seconds: float
    """Of the main time if `count` is 0, else of the current period."""
    count: int
    """0 in the main time; else the stones (Canadian) or periods (byo-yomi) left."""


@dataclass(frozen=True)
class Horizon:
    """How far away the end of the game is, guessed from the board and the moves so far."""

    points: int
    """Points of the board."""
    moves: int
    """Moves played by both."""
    use: float = 1.0
    """The part of its budgets, from 0 to 1, that the search lately took before it was sure."""

    @property
    def ahead(self) -> float:
        """The part of an ordinary game that is still to come, from 1 to 0."""
        return max(0.0, 1 - self.moves / (0.75 * self.points))

    @property
    def expected(self) -> float:
        """The moves one player still makes in an ordinary game; never few, for it may go on.

        A search that answers early pays for fewer: its moves get more, so that the time is used.
        """
        moves = max(8.0, self.points / 20, (0.75 * self.points - self.moves) / 2)
        return moves * max(self.use, LEAST_USE)

    @property
    def longest(self) -> float:
        """The moves for which lag must be paid in a long game."""
        return max(20.0, (1.4 * self.points - self.moves) / 2)


class TimeControl(ABC):
    """The rules of a clock."""

    @abstractmethod
    def start(self) -> Left:
        """What a player begins with."""

    @abstractmethod
    def after(self, left: Left, spent: float) -> Left:
        """What is left after a move that took `spent` seconds."""

    def estimated(self, left: Left, spent: float) -> Left:
        """The same for a player who only guesses what the clock of the client shows."""
        return self.after(left, spent)

    @abstractmethod
    def allowed(self, left: Left) -> float:
        """The seconds after which the clock of a player who does not move has run out."""

    @abstractmethod
    def told(self, seconds: float, count: int) -> Left:
        """What a client's `time_left` means here."""

    @abstractmethod
    def set_aside(self, lag: float, points: int) -> float:
        """The seconds of each move kept for `lag`: all of it, but at most half of a fast move."""

    @abstractmethod
    def budget(self, left: Left, set_aside: float, horizon: Horizon) -> float:
        """The seconds to think about the next move, negative if there are none."""


@dataclass(frozen=True)
class Fischer(TimeControl):
    """Main time with an increment after each move; without one, absolute time."""

    main: float
    increment: float = 0.0
    most: float = float("inf")
    """The clock never shows more than this after a move."""
    most_per_move: float = float("inf")

    def start(self) -> Left:
        """The main time."""
        return Left(self.main, 0)

    def after(self, left: Left, spent: float) -> Left:
        """The rest, the increment added."""
        return Left(min(left.seconds - spent + self.increment, self.most), 0)

    def allowed(self, left: Left) -> float:
        """All that is left, or the most that a move may take."""
        return min(left.seconds, self.most_per_move)

    def told(self, seconds: float, count: int) -> Left:
        """`count` means nothing here."""
        return Left(seconds, 0)

    def set_aside(self, lag: float, points: int) -> float:
        """At most half of what a move of a long game has."""
        a_move = self.main / Horizon(points, 0).longest + self.increment
        return min(lag, a_move / 2, self.most_per_move / 2)

    def budget(self, left: Left, set_aside: float, horizon: Horizon) -> float:
        """The increment and a share of the rest, but no more than half of all there is.

        Where lag eats more than the increment, the lag of a long game is kept back first.
        """
        income = self.increment - set_aside
        reserve = set_aside - min(income, 0.0) * horizon.longest
        usable = left.seconds - set_aside
        plan = max(income, 0.0) + SHARE * (left.seconds - reserve) / horizon.expected
        lost_if_unused = left.seconds + self.increment - self.most
        return min(
            max(min(plan, usable / 2), lost_if_unused), usable, self.most_per_move - set_aside
        )


class Overtime(TimeControl):
    """Main time, then periods that come back."""

    main: float
    period: float

    def start(self) -> Left:
        """The main time, or the first period if there is none."""
        return Left(self.main, 0) if self.main > 0 else self._first_period()

    def _main_budget(self, left: Left, income: float, horizon: Horizon) -> float:
        """The income of a move in overtime and a share of the main time.

        A move that does not fit into the main time may take all of it and its income besides.
        """
        plan = income + SHARE * left.seconds / horizon.expected
        return plan if plan < left.seconds else left.seconds + income

    @abstractmethod
    def _first_period(self) -> Left: ...


@dataclass(frozen=True)
class Canadian(Overtime):
    """Main time, then so many stones in each period."""

    main: float
    period: float
    stones: int

    def after(self, left: Left, spent: float) -> Left:
        """One stone less; a new period after the last one."""
        seconds, count = left.seconds - spent, left.count
        if count == 0:
            if seconds > 0:
                return Left(seconds, 0)
            seconds, count = seconds + self.period, self.stones
        if count == 1:
            return self._first_period()
        return Left(seconds, count - 1)

    def estimated(self, left: Left, spent: float) -> Left:
        """What a move saves is not carried on: the client may be at another stone of its period."""
        after = self.after(left, spent)
        most = after.count * self.period / self.stones if after.count else after.seconds
        return Left(min(after.seconds, most), after.count)

    def allowed(self, left: Left) -> float:
        """The rest of the period, with a whole one after the main time."""
        return left.seconds if left.count else left.seconds + self.period

    def told(self, seconds: float, count: int) -> Left:
        """No stones means main time; without main time it can only mean a whole period's."""
        return Left(seconds, count if count or self.main > 0 else self.stones)

    def set_aside(self, lag: float, points: int) -> float:
        """At most half of a stone's part of the period."""
        return min(lag, self.period / self.stones / 2)

    def budget(self, left: Left, set_aside: float, horizon: Horizon) -> float:
        """In overtime the same for each stone of the period."""
        if left.count:
            return left.seconds / left.count - set_aside
        return self._main_budget(left, self.period / self.stones - set_aside, horizon)

    def _first_period(self) -> Left:
        return Left(self.period, self.stones)


@dataclass(frozen=True)
class Byoyomi(Overtime):
    """Main time, then periods; a move within its period costs nothing, else periods are lost."""

    main: float
    period: float
    periods: int

    def after(self, left: Left, spent: float) -> Left:
        """The main time's rest, or a full period and as many periods as remain.

        One remains in any case: if the game goes on, the last one cannot have run out.
        """
        seconds, count = left.seconds - spent, left.count
        if count == 0:
            if seconds > 0:
                return Left(seconds, 0)
            seconds, count = seconds + self.period, self.periods
        lost = 1 - seconds / self.period if seconds <= 0 else 0
        return Left(self.period, count - int(min(count - 1, lost)))

    def allowed(self, left: Left) -> float:
        """The rest of the period or of the main time, and all further periods."""
        further = left.count - 1 if left.count else self.periods
        return left.seconds + further * self.period

    def told(self, seconds: float, count: int) -> Left:
        """No periods means main time; without main time it can only mean the last one."""
        return Left(seconds, count if count or self.main > 0 else 1)

    def set_aside(self, lag: float, points: int) -> float:
        """At most half of a period."""
        return min(lag, self.period / 2)

    def budget(self, left: Left, set_aside: float, horizon: Horizon) -> float:
        """A period, or two where more are left than the game ahead needs.

        The spare periods go evenly into the opening and the middle game; one is kept to the end,
        for a client that lags more than was allowed for.
        """
        if not left.count:
            return self._main_budget(left, self.period - set_aside, horizon)
        spare = left.count - 1
        spend_one = spare - 1 >= max(1.0, (self.periods - 1) * horizon.ahead)
        return left.seconds + (self.period if spend_one else 0.0) - set_aside

    def _first_period(self) -> Left:
        return Left(self.period, self.periods)


class Clock:
    """The clock of one player.

    It is kept by `time_left` where the client sends it, and by `start` and `stop` where not; then
    the lag allowed for is charged to each move, since the client's clock may have run on.
    """

    def __init__(
        self,
        control: TimeControl | None = None,
        lag: float = 0.2,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """A fresh clock; no `control` means no limit.

        `lag` is the time in seconds, at most, that the client's clock runs longer in a move than
        this one. `now` tells the time in seconds.
        """
        self.control = control
        self.lag = lag
        self._now = now
        self._use = 1.0
        self._moves = 0
        """Those played by both when the last budget was asked for."""
        self._is_cleared = False
        """True if the board was cleared since."""
        self.fill()

    def reset(self) -> None:
        """Begin a new game under the same control, or the same one on a board that was cleared.

        Which of them it is, the next move tells.
        """
        self.fill()
        self._is_cleared = True

    def fill(self) -> None:
        """Show all the time again, where the control is told once more within a game."""
        self._left = self.control.start() if self.control else None
        self._shown = self._left
        self._charged = self.lag
        self._started: float | None = None
        self._budget: float | None = None

    @property
    def left(self) -> Left | None:
        """What is left before the next move; None if there is no limit."""
        return self._left

    @property
    def shown(self) -> Left | None:
        """What the client's clock shows after the last move, if there is no lag; None likewise."""
        return self._shown

    def time_left(self, seconds: float, count: int) -> None:
        """Believe the client's `time_left`; it means nothing where there is no limit."""
        if self.control:
            self._left = self._shown = self.control.told(seconds, count)

    def budget(self, points: int, moves: int) -> float | None:
        """The seconds to think about the next move, always above 0; None if there is no limit.

        `points` is the number of points of the board and `moves` how many both have played.
        """
        if self.control is None or self._left is None:
            return None
        self._follow(moves)
        set_aside = self.control.set_aside(self.lag + OVERRUN, points)
        self._charged = min(self.lag, set_aside)
        planned = self.control.budget(self._left, set_aside, Horizon(points, moves, self._use))
        self._budget = max(SHORTEST, planned)
        return self._budget

    def _follow(self, moves: int) -> None:
        """Forget how the search used its time if a new game has begun, with fewer moves.

        A client may clear the board before each move and play the game again.
        """
        if self._is_cleared and moves <= self._moves:
            self._use = 1.0
        self._moves, self._is_cleared = moves, False

    def start(self) -> None:
        """The player's turn begins."""
        self._started = self._now()

    def stop(self) -> None:
        """The player has moved; nothing happens if the clock was not started."""
        if self._started is None:
            return
        thought = self._now() - self._started
        spent = thought + self._charged
        self._started = None
        if self._budget is not None:
            self._use += RECENT * (min(1.0, thought / self._budget) - self._use)
        if self.control and self._left is not None:
            self._shown = self.control.after(self._left, thought)
            self._left = self.control.estimated(self._left, spent)
