"""The agent `solver`: it plays Connect Four on 7x6 without a mistake.

In the opening of its own games it plays by a book. From there on it finds which moves win, draw and
lose, then, among those that keep the value, which wins soonest or loses latest, as far as time
permits. `core/search/connect_four_solver.hpp` says how.
"""

import math
import random
import time
from dataclasses import replace
from pathlib import Path
from typing import cast

from pydantic import Field

import gtpcore
from games.base import Game, after
from games.connect4 import ConnectFour, ConnectFourOptions
from games.position import Position
from search.agent import NO_LIMITS, Agent, AgentParams, Candidate, Decision, Limits, Nets, Report

BOOK = Path(__file__).parent / "data" / "connect4.book"
"""What to play in the opening, and what that is worth; `gtpbot book` makes it."""

Judgement = tuple[list[int], int | None, dict[int, int]]
"""The best moves, what they are worth if that is known, and the known values of wanted moves."""

CENTRE = 3


class SolverParams(AgentParams):
    """Parameters of `solver`."""

    seconds: float | None = Field(
        None, gt=0, description="seconds a move; none: 5 if nothing else limits the search"
    )
    memory_mb: int = Field(
        256, ge=1, le=2**20, description="the cap on what is remembered of positions, in MiB"
    )


class SolverAgent(Agent):
    """Exact play of Connect Four on 7x6. A playout is a position visited, of which none limits it.

    If the time ends before the value of the position is known, it avoids the moves known to lose
    and says so by a Decision without a value.
    """

    name = "solver"
    Params = SolverParams
    USUAL_SECONDS = 5.0
    params: SolverParams

    def __init__(self, params: SolverParams, nets: Nets | None = None) -> None:
        """Ties are broken by a generator seeded with `params.seed`."""
        super().__init__(params, nets)
        self._random = random.Random(params.seed)
        self._made: gtpcore.ConnectFourSolver | None = None
        self._stopped = False
        self._deadline = 0.0

    @classmethod
    def plays(cls, game: Game) -> bool:
        """Connect Four on the usual board alone."""
        return isinstance(game, ConnectFour) and game.options == ConnectFourOptions()

    def choose(self, position: Position, limits: Limits) -> Decision:
        """A move that keeps the value: the book's, or else the quickest win or slowest loss."""
        self._begin(self.usual_limits(limits))
        start, nodes = time.monotonic(), self._solver.nodes
        state = cast(gtpcore.ConnectFourState, position.state)
        wanted = position.legal_actions(limits.banned(position.to_move))
        answer = self._solver.book_answer(state)
        if answer is not None and answer in wanted:
            best, value, values = self._by_book(state, wanted, answer)
        else:
            best, value, values = self._by_search(state, wanted)
        action = self._random.choice(best)
        decision = Decision(
            action,
            value,
            self._solver.nodes - nodes,
            time.monotonic() - start,
            _candidates(values, first=action),
        )
        self._report = Report.of(position.to_move, decision, position.state)
        return decision

    def analyze(self, position: Position, limits: Limits) -> None:
        """Solve each move by itself, the central ones first; then find the best one's distance."""
        self._begin(limits)
        state = cast(gtpcore.ConnectFourState, position.state)
        wanted = position.legal_actions(limits.banned(position.to_move))
        nodes, values = self._solver.nodes, dict[int, int]()
        for action in sorted(wanted, key=lambda action: abs(action - CENTRE)):
            value = self._value_of_move(state, action, self._left())
            if value is None:
                return
            values[action] = value
            self._report = _reported(position, wanted, values, self._solver.nodes - nodes)
        best = [action for action in wanted if values[action] == max(values.values())]
        if values[best[0]]:
            first = self._most_lasting(state, best)[0]
            told = _reported(position, wanted, values, self._solver.nodes - nodes, first)
            self._report = told

    def own_limits(self, limits: Limits = NO_LIMITS) -> Limits:
        """In time alone."""
        return super().own_limits(replace(limits, playouts=None))

    def stop(self) -> None:
        """End the search in progress; what it knows by then counts."""
        self._stopped = True
        if self._made is not None:
            self._made.stop()

    def clear(self) -> None:
        """Forget the positions of earlier games."""
        super().clear()
        self._made = None

    def _begin(self, limits: Limits) -> None:
        self._stopped = False
        self._deadline = time.monotonic() + (math.inf if limits.seconds is None else limits.seconds)

    @property
    def _solver(self) -> gtpcore.ConnectFourSolver:
        """Made when it is first needed, since the book is read then."""
        if self._made is None:
            self._made = gtpcore.ConnectFourSolver(
                max_bytes=self.params.memory_mb << 20, book=BOOK.read_bytes()
            )
        return self._made

    def _by_book(
        self, state: gtpcore.ConnectFourState, wanted: list[int], answer: int
    ) -> Judgement:
        """With what is known without a search."""
        values = {
            action: value
            for action in wanted
            if (value := self._value_of_move(state, action, seconds=0)) is not None
        }
        value = self._solver.solve(state, seconds=0)
        if value is not None:
            values[answer] = value
        return [answer], value, values

    def _by_search(self, state: gtpcore.ConnectFourState, wanted: list[int]) -> Judgement:
        """As far as time permits; to see who can win at once takes none."""
        most = self._solver.solve(state, seconds=self._left())
        solved = self._solver.solve_moves(state, seconds=self._left())
        values = {action: value for action, value in solved.items() if action in wanted}
        if at_once := [action for action in wanted if wins(state, action)]:
            return at_once, 1, values | dict.fromkeys(at_once, 1)
        best, value = _weigh(_lasting(state, wanted) or wanted, values, most)
        return self._most_lasting(state, best) if value else best, value, values

    def _value_of_move(
        self, state: gtpcore.ConnectFourState, action: int, seconds: float
    ) -> int | None:
        """1, 0 or -1 for the player who makes the move; None if there is no time to tell."""
        follower = after(state, action)
        if follower.is_terminal:
            return 1 if follower.black_value else 0
        value = self._solver.solve(follower, seconds=seconds)
        return None if value is None else -value

    def _left(self) -> float:
        """Seconds before the deadline; 0 once stopped."""
        return 0.0 if self._stopped else max(0.0, self._deadline - time.monotonic())

    def _most_lasting(self, state: gtpcore.ConnectFourState, actions: list[int]) -> list[int]:
        """Of moves of one value, those of the best exact score; all, if there is no time for it."""
        followers = {action: after(state, action) for action in actions}
        if at_once := [action for action in actions if followers[action].is_terminal]:
            return at_once
        if len(actions) == 1:
            return actions
        scores = {}
        for action in actions:
            score = self._solver.solve(followers[action], exact=True, seconds=self._left())
            if score is None:
                return actions
            scores[action] = -score
        return [action for action in actions if scores[action] == max(scores.values())]


def wins(state: gtpcore.ConnectFourState, action: int) -> bool:
    """True if the move ends the game, and not as a draw: only who moves can win by it."""
    follower = after(state, action)
    return follower.is_terminal and follower.black_value != 0


def can_win(state: gtpcore.ConnectFourState) -> bool:
    """True if who is to move wins by some move at once."""
    return any(wins(state, action) for action in state.legal_actions())


def _lasting(state: gtpcore.ConnectFourState, wanted: list[int]) -> list[int]:
    """The moves by which the opponent cannot win at once."""
    return [action for action in wanted if not can_win(after(state, action))]


def _weigh(
    wanted: list[int], values: dict[int, int], most: int | None
) -> tuple[list[int], int | None]:
    """The moves to choose from, and their value; None if there was no time to tell.

    `most` is the value of the position, if that is known. Of moves not known, the most central one
    is better than a sure loss.
    """
    if most == -1:
        return wanted, -1
    best = max((values[action] for action in wanted if action in values), default=-1)
    known = [action for action in wanted if values.get(action) == best]
    unknown = [action for action in wanted if action not in values]
    if (best in (1, most) and known) or not unknown:
        return known, best
    if best == 0 and most != 1:
        return known, None
    return [min(unknown, key=lambda action: abs(action - CENTRE))], None


def _reported(
    position: Position,
    wanted: list[int],
    values: dict[int, int],
    nodes: int,
    first: int | None = None,
) -> Report:
    """The moves whose values are known; that of the position too if no other move can be better."""
    candidates = _candidates(values, first)
    best = candidates[0].value_to_move
    value = best if best == 1 or len(values) == len(wanted) else None
    return Report(position.to_move, candidates, nodes, value, state=position.state)


def _candidates(values: dict[int, int], first: int | None) -> tuple[Candidate, ...]:
    """Best first, and of the best the one given."""
    ranked = sorted(values, key=lambda action: (-values[action], action != first))
    return tuple(Candidate(action, 0, values[action], 0.0, (action,)) for action in ranked)
