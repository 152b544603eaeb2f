"""The `alphago` agent: a strong policy net for priors, rollouts, and a value net where they end.

As the textbook has it, simplified from Silver et al., Mastering the game of Go with deep neural
networks and tree search, 2016. The formula is with `WeightedPrior` in `core/search/select.hpp`.
With `max_tree_depth=1` it is the textbook's agent to the letter, which weighs the root's moves
only; without, the same formula chooses in a whole tree.
"""

from pydantic import Field

import gtpcore
from games.position import Position
from search.agent import Decision, Limits, net_field
from search.net_agent import NetTreeAgent, NetTreeParams


class AlphaGoParams(NetTreeParams):
    """Parameters of `alphago`."""

    net: str = net_field("policy_gradient", "policy", "the net for priors: a role or a file")
    value_net: str | None = net_field("value", "value", "the net for values; none: no such net")
    rollout_net: str = net_field("fast_policy", "policy", "the net that policy rollouts play by")
    policy_rollout: bool = Field(True, description="rollouts by the fast policy net, not at random")
    weight: float = Field(0.75, ge=0, le=1, description="the prior's share in selection")
    depth: int | None = Field(
        20, ge=0, description="moves of a rollout before the value net judges; none: to the end"
    )
    value_weight: float = Field(
        0.0, ge=0, le=1, description="the share of the value net's word on the leaf itself (lambda)"
    )
    num_rollouts: int | None = Field(
        None, ge=1, description="playouts a move, as the textbook calls them"
    )


class AlphaGoAgent(NetTreeAgent):
    """Priors, rollouts and values together."""

    name = "alphago"
    Params = AlphaGoParams
    params: AlphaGoParams

    def choose(
        self, position: Position, limits: Limits, avoid: frozenset[int] = frozenset()
    ) -> Decision:
        """Within `num_rollouts` too."""
        return super().choose(position, limits.within(self.params.num_rollouts, None), avoid)

    def rule(self) -> gtpcore.WeightedPrior:
        """Prior against mean."""
        return gtpcore.WeightedPrior(self.params.weight)

    def recipe(self) -> gtpcore.NetEvaluator:
        """A rollout to `depth`, and the value net."""
        by_policy = self.params.policy_rollout
        return gtpcore.NetEvaluator(
            prior=self.net("net"),
            value=self.net("value_net"),
            rollout="policy" if by_policy else "random",
            rollout_policy=self.net("rollout_net") if by_policy else None,
            rollout_depth=self.params.depth,
            value_weight=self.params.value_weight,
            batch_size=self.params.batch_size,
            symmetry_seed=self.symmetry_seed,
        )
