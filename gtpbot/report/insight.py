"""What an agent knows of one position, in the numbers that clients show.

An agent says what it thinks of moves by a Report. Clients want a winning chance for each, the lead
in points, and the owner of every point. What is not in the report is asked of the agent here, once
for each position, however often a client is told.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import gtpcore
from games.position import Position
from search.agent import Agent, Candidate, Report

CONFIDENCE = 1.96
"""Standard errors below the mean where the lower confidence bound is: one in forty is lower."""

OWNERS_SECONDS = 0.05
"""How long an answer may wait for the owners after each move; the next one has more."""

LOOK = 50
"""Playouts that tell whose points are when the first line is told, and each better than before."""
ENOUGH = 200
"""Playouts after which nobody sees a difference."""


def winrate(value: float) -> float:
    """The chance to win, from 0 to 1, where a value goes from -1 to 1.

    >>> winrate(-1.0), winrate(0.5)
    (0.0, 0.75)
    """
    return (1 + value) / 2


def lower_bound(candidate: Candidate) -> float:
    """A chance to win that the true one is seldom below."""
    return winrate(max(-1.0, candidate.value_to_move - CONFIDENCE * candidate.deviation))


def spread(owner: float) -> float:
    """How far an owner deviates from its mean, which is 1 or -1 in each playout.

    >>> spread(-1.0), spread(0.6)
    (0.0, 0.8)
    """
    return math.sqrt(max(0.0, 1 - owner * owner))


@dataclass(frozen=True)
class Ending:
    """How a game of Go is expected to end."""

    owners: Sequence[float]
    """As `Agent.ownership` has them."""
    black_lead: float
    """In points."""

    @cached_property
    def deviation(self) -> float:
        """How far the score may be off, if each point is won or lost by itself."""
        return math.hypot(*map(spread, self.owners))


class Insight:
    """One position, seen by one agent. The agent may think about it on another thread.

    Whose points are is known by a net of the agent at once, or else by playouts, ever better.
    """

    def __init__(self, agent: Agent, position: Position) -> None:
        """`position` is the one that the agent is asked about, and must not change."""
        self.agent = agent
        self.position = position
        self._state = position.state
        self._playouts = 0
        self._ending: Ending | None = None
        self._after: dict[int, Sequence[float] | None] = {}

    def report(self) -> Report | None:
        """What the agent thinks of this position now; None if nothing yet."""
        return self.agent.report_of(self.position)

    def last_report(self) -> Report | None:
        """The same once nothing more is to come.

        Where no move was looked at, as for one visit, a net's opinion of the position stands in for
        its value and for that of each move.
        """
        report = self.report()
        if report is None or report.value_to_move is not None:
            return report
        value = self.agent.judged_value(self.position)
        if value is None:
            return report
        moves = tuple(replace(each, value_to_move=value) for each in report.candidates)
        return replace(report, value_to_move=value, candidates=moves)

    @property
    def ending(self) -> Ending | None:
        """As well as it is known now; None outside Go."""
        if self._ending is None:
            self.refine()
        return self._ending

    @property
    def owners(self) -> Sequence[float] | None:
        """As `Agent.ownership` has them, as well as they are known now; None outside Go."""
        return self.ending.owners if self.ending else None

    def refine(self, playouts: int = LOOK) -> None:
        """Know the ending better by so many more playouts, as long as that helps."""
        state, known = self._state, self._ending
        if not isinstance(state, gtpcore.GoState) or self._playouts >= ENOUGH:
            return
        owners = None if known else self.agent.judged_ownership(self.position)
        if owners is not None:
            self._playouts = ENOUGH
        else:
            owners = state.ownership(playouts, seed=self._playouts)
            self._playouts += playouts
        if known:
            share = playouts / self._playouts
            pairs = zip(known.owners, owners, strict=True)
            owners = [old + share * (new - old) for old, new in pairs]
        self._ending = Ending(owners, state.black_lead(owners))

    def owners_after(self, action: int, deadline: float) -> Sequence[float] | None:
        """The owners once a move is made; None outside Go.

        None also if they are not known by the deadline, in the seconds of `time.monotonic`.
        """
        if action not in self._after:
            if time.monotonic() >= deadline:
                return None
            after = self.position.copy()
            after.play(after.to_move, action)
            self._after[action] = self.agent.ownership(after)
        return self._after[action]

    def score_to_move(self, known: Candidate | Report) -> float | None:
        """Points ahead for the player to move; None outside Go.

        Where the agent does not tell what a move leads to, what the position leads to stands in.
        """
        if known.score_to_move is not None or self.ending is None:
            return known.score_to_move
        return self.sign * self.ending.black_lead

    @property
    def score_deviation(self) -> float | None:
        """How far the score may be off; None outside Go."""
        return self.ending.deviation if self.ending else None

    @property
    def sign(self) -> int:
        """What turns Black's view into that of the player to move."""
        return self.position.to_move.sign

    def rows(self, owners: Sequence[float]) -> list[float]:
        """Owners in the order of reading, from the top left, for the player to move."""
        spec, sign = self.position.game.spec, self.sign
        width, height = spec.width, spec.height
        return [
            sign * owners[row * width + column] + 0.0  # which makes 0 of -0
            for row in reversed(range(height))
            for column in range(width)
        ]


def worth_telling(report: Report, least: int = 0) -> Sequence[Candidate]:
    """The moves looked at, best first, and of the others as many as make `least` in all.

    If the agent looks at none, as one without a search does, all that it knows.
    """
    known = [candidate for candidate in report.candidates if candidate.visits]
    if not known:
        return report.candidates
    rest = [candidate for candidate in report.candidates if not candidate.visits]
    return known + rest[: max(0, least - len(known))]


def is_first_look(report: Report) -> bool:
    """True where a search knows from a net how likely its moves are, and has looked at none yet.

    Nothing is known of their values: told so, every move of the board would be even.
    """
    is_begun = report.playouts > 0 and report.value_to_move is None
    return is_begun and any(candidate.prior for candidate in report.candidates)
