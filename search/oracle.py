"""What positions of the solved games are worth in truth, and which moves throw something away.

A *mistake* is a move where another legal move keeps a strictly better outcome: a win is drawn or
lost, or a draw is lost. In a lost position there is none to be made.
"""

from abc import ABC, abstractmethod
from typing import cast

import gtpcore
from games.base import Game, Player, State, after
from search.solver import BOOK

MEMORY_MB = 256
"""The cap on what the solver of Connect Four remembers."""


class Oracle(ABC):
    """Knows the outcome of every position of a game in which the players take turns.

    Outcomes are 1 (won), 0 (drawn) and -1 (lost), and are remembered.
    """

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._known: dict[int, int] = {}

    @abstractmethod
    def solve(self, state: State) -> int:
        """The outcome for the player to move in a game that is not over."""

    def outcome(self, state: State) -> int:
        """The outcome for the player to move, in a finished game too."""
        if state.is_terminal:
            return int(state.black_value) * Player(state.current_player).sign
        if state.hash not in self._known:
            self._known[state.hash] = self.solve(state)
        return self._known[state.hash]

    def outcome_of(self, state: State, action: int) -> int:
        """The outcome of a legal move, for the player who makes it."""
        return -self.outcome(after(state, action))

    def is_mistake(self, state: State, action: int) -> bool:
        """True if a legal move throws something away."""
        best = self.outcome(state)
        return best > -1 and self.outcome_of(state, action) < best


class SearchOracle(Oracle):
    """By alpha-beta to the end of the game; for the small ones."""

    def solve(self, state: State) -> int:
        """Search without a limit."""
        report = gtpcore.ExactSearch(True).run(state, state.legal_actions())
        return int(report.value_to_move)


class ConnectFourOracle(Oracle):
    """By the solver of Connect Four on 7x6."""

    def __init__(self) -> None:
        """With a solver of its own, which has read the book of openings."""
        super().__init__()
        self._solver = gtpcore.ConnectFourSolver(max_bytes=MEMORY_MB << 20, book=BOOK.read_bytes())

    def solve(self, state: State) -> int:
        """Solve; few discs take long. Raises ValueError for another size of the board."""
        value = self._solver.solve(cast(gtpcore.ConnectFourState, state))
        assert value is not None, "there was no limit"
        return value


ORACLES: dict[str, type[Oracle]] = {
    "coin": SearchOracle,
    "tictactoe": SearchOracle,
    "connect4": ConnectFourOracle,
}
"""By the names of the games."""


def oracle_of(game: Game) -> Oracle:
    """The oracle of a game. Raises ValueError if it is not solved."""
    if game.spec.name not in ORACLES:
        raise ValueError(f"{game.spec.title} is not solved: expected one of {', '.join(ORACLES)}")
    return ORACLES[game.spec.name]()
