"""The `rave` agent for Go: UCT helped by RAVE, priors, and playouts with some sense.

Gelly and Silver, Monte-Carlo tree search and rapid action value estimation in computer Go, 2011.
The formula is with `Rave` in `core/search/select.hpp`; what it knows of Go is in
`core/games/go/guide.hpp`.
"""

import time

from pydantic import Field

import gtpcore
from games.base import Game
from games.go import Go
from games.position import Position
from search import go_passing
from search.agent import Decision, Limits
from search.fast_rollouts import FastRolloutParams
from search.tree_agent import TreeAgent, TreeParams


class RaveParams(FastRolloutParams, TreeParams):
    """Parameters of `rave`."""

    exploration: float = Field(
        0.0, ge=0, description="c in mean + c * sqrt(ln(parent visits) / visits), means from 0 to 1"
    )
    equivalence: float = Field(
        3000, gt=0, description="visits after which a mean counts as much as its AMAF value"
    )
    atari_rate: float = Field(
        0.9, ge=0, le=1, description="how often playouts look for captures and rescues"
    )
    pattern_rate: float = Field(
        0.95, ge=0, le=1, description="how often playouts look for 3x3 patterns"
    )
    prior_weight: float = Field(1.0, ge=0, le=500, description="scale of the priors' weights")
    expand_visits: int = Field(
        4, ge=1, lt=2**31, description="visits of a node before its children are made"
    )
    resign_below: float | None = Field(
        -0.9, ge=-1, le=1, description="resign when the value, -1 to 1, is lower; none: never"
    )


class RaveAgent(TreeAgent):
    """UCT with RAVE."""

    name = "rave"
    Params = RaveParams
    params: RaveParams

    @classmethod
    def plays(cls, game: Game) -> bool:
        """Go alone."""
        return isinstance(game, Go)

    def choose(self, position: Position, limits: Limits) -> Decision:
        """Pass when the game is settled and won so, or where all else loses; otherwise search."""
        began, pass_action = time.monotonic(), position.state.num_actions - 1
        if pass_action in limits.banned(position.to_move):
            return super().choose(position, limits)
        if go_passing.wins_by_passing(position):
            return self.told(position, Decision(pass_action, 1.0))
        outlook, limits = go_passing.outlook(position), self.rest_of(limits, began)
        if outlook is None:
            decision = self.searched(position, limits, unplayed=pass_action)
            return go_passing.reconsidered(decision, pass_action)
        if outlook.may_pass:
            return self.told(position, Decision(pass_action, outlook.value_to_move))
        return super().choose(position, limits)

    def expand_visits(self) -> int:
        """As asked."""
        return self.params.expand_visits

    def rule(self) -> gtpcore.Rave:
        """UCB1 with RAVE."""
        return gtpcore.Rave(self.params.exploration, self.params.equivalence)

    def evaluator(self) -> gtpcore.Evaluator:
        """Playouts and priors that know Go."""
        fast_policy = self.params.fast_policy(self.params.prior_weight)
        return fast_policy or gtpcore.GoGuide(
            atari_rate=self.params.atari_rate,
            pattern_rate=self.params.pattern_rate,
            prior_weight=self.params.prior_weight,
        )
