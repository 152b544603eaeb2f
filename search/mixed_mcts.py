"""The `mixed-mcts` agent: UCT with random rollouts, whose selection heeds a policy net too.

The formula is with `MixedUcb` in `core/search/select.hpp`. The textbook's values go from -1 to 1,
so that its exploration of 1.4 and its prior weight of 10 are 0.7 and 5 here.
"""

from pydantic import Field

import gtpcore
from search.agent import net_field
from search.net_agent import LeafNetParams, NetTreeAgent


class MixedMctsParams(LeafNetParams):
    """Parameters of `mixed-mcts`."""

    net: str = net_field("strong_policy", "policy", "the net that advises: a role or a file")
    exploration: float = Field(
        0.7, ge=0, description="c in mean + c * sqrt(ln(parent visits) / visits), means from 0 to 1"
    )
    prior_weight: float = Field(5.0, ge=0, description="weight of prior / (1 + visits)")


class MixedMctsAgent(NetTreeAgent):
    """UCT with advice."""

    name = "mixed-mcts"
    Params = MixedMctsParams
    params: MixedMctsParams

    def rule(self) -> gtpcore.MixedUcb:
        """UCB1 and the fading prior."""
        return gtpcore.MixedUcb(self.params.exploration, self.params.prior_weight)

    def evaluator(self) -> gtpcore.NetEvaluator:
        """Random rollouts to the end of the game; the net for priors."""
        return gtpcore.NetEvaluator(
            prior=self.net("net"),
            rollout="random",
            batch_size=self.params.batch_size,
            symmetry_seed=self.params.symmetry_seed(self._seed),
            images=self.params.images,
        )
