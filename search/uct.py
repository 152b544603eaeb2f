"""The `uct` agent: Monte-Carlo tree search with UCB1 and random playouts, for any game.

Kocsis and Szepesvari, Bandit based Monte-Carlo planning, 2006. The formula is with `Ucb1` in
`core/search/select.hpp`. The textbook's values go from -1 to 1, so that its exploration of 1.4 is
0.7 here.
"""

from pydantic import Field

import gtpcore
from games.base import Game
from search.tree_agent import TreeAgent, TreeParams

SHORT_GAME = 9
"""Moves of a game whose tree is so small that threads which share it only wait for each other."""


class UctParams(TreeParams):
    """Parameters of `uct`."""

    expand_visits: int = Field(
        1, ge=1, lt=2**31, description="visits of a node before its children are made"
    )
    exploration: float = Field(
        0.7, ge=0, description="c in mean + c * sqrt(ln(parent visits) / visits), means from 0 to 1"
    )
    decisive: bool = Field(
        True,
        description="Connect Four: only moves that win at once, or else keep the other from that, "
        "in tree and playouts",
    )


class UctAgent(TreeAgent):
    """UCT."""

    name = "uct"
    Params = UctParams
    params: UctParams

    def rule(self) -> gtpcore.Ucb1:
        """UCB1."""
        return gtpcore.Ucb1(self.params.exploration)

    def expand_visits(self) -> int:
        """As asked."""
        return self.params.expand_visits

    def shares(self, game: Game) -> bool:
        """As asked; otherwise in all games but short ones."""
        if self.params.transpositions is not None:
            return self.params.transpositions
        return game.spec.max_length > SHORT_GAME

    def evaluator(self) -> gtpcore.Evaluator:
        """Random playouts of all moves, or of those alone that do not lose at once."""
        return gtpcore.DecisivePlayouts() if self.params.decisive else gtpcore.Evaluator()
