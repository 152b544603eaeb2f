"""The `policy-mcts` agent: UCT whose rollouts play by a policy net instead of at random."""

from pydantic import Field

import gtpcore
from search.agent import net_field
from search.net_agent import NetTreeAgent, NetTreeParams


class PolicyMctsParams(NetTreeParams):
    """Parameters of `policy-mcts`."""

    net: str = net_field("fast_policy", "policy", "the net that rollouts play by: a role or a file")
    exploration: float = Field(
        0.7, ge=0, description="weight of sqrt(ln(parent visits) / visits) beside a mean of 0 to 1"
    )


class PolicyMctsAgent(NetTreeAgent):
    """UCT with policy rollouts."""

    name = "policy-mcts"
    Params = PolicyMctsParams
    params: PolicyMctsParams

    def rule(self) -> gtpcore.Ucb1:
        """UCB1."""
        return gtpcore.Ucb1(self.params.exploration)

    def recipe(self) -> gtpcore.NetEvaluator:
        """Rollouts to the end of the game."""
        return gtpcore.NetEvaluator(
            rollout="policy",
            rollout_policy=self.net("net"),
            batch_size=self.params.batch_size,
            symmetry_seed=self.symmetry_seed,
        )
