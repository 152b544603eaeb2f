"""The `policy-mcts` agent: UCT whose rollouts play by a policy net instead of at random.

Its exploration of 0.7 is the textbook's 1.4, whose values go from -1 to 1.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

import gtpcore
from games.base import Game
from games.go import Go
from search.agent import net_field
from search.fast_rollouts import FastRolloutParams
from search.net_agent import NetTreeAgent, NetTreeParams


class PolicyMctsParams(FastRolloutParams, NetTreeParams):
    """Parameters of `policy-mcts`."""

    net: str = net_field(
        "fast_policy", "policy", "the net of rollouts, if `rollout` names no linear policy"
    )
    exploration: float = Field(
        0.7, ge=0, description="c in mean + c * sqrt(ln(parent visits) / visits), means from 0 to 1"
    )

    def wants(self, parameter: str) -> bool:
        """No net where rollouts are made without."""
        return self.rollout is None and super().wants(parameter)


class PolicyMctsAgent(NetTreeAgent):
    """UCT with policy rollouts."""

    name = "policy-mcts"
    Params = PolicyMctsParams
    params: PolicyMctsParams

    @classmethod
    def defaults(cls, game: Game) -> Mapping[str, Any]:
        """In Go rollouts are native ones by a linear policy."""
        return {"rollout": "rollout"} if isinstance(game, Go) else {}

    def rule(self) -> gtpcore.Ucb1:
        """UCB1."""
        return gtpcore.Ucb1(self.params.exploration)

    def evaluator(self) -> gtpcore.NetEvaluator:
        """Rollouts to the end of the game."""
        playouts = self.params.fast_policy()
        return gtpcore.NetEvaluator(
            rollout="playouts" if playouts else "policy",
            rollout_policy=self.net("net"),
            playouts=playouts,
            batch_size=self.params.batch_size,
        )
