"""The `alphago` agent: priors of a strong policy net, and a leaf's value by rollout and value net.

By default as in Silver et al., Mastering the game of Go with deep neural networks and tree search,
2016: PUCT in a whole tree, rollouts by a fast policy to the end of the game, and the value net's
word for half. With `weight` moves are chosen as the textbook has it, by `WeightedPrior` in
`core/search/select.hpp`, and with `depth` and `max_tree_depth=1` the rest is the textbook's too;
its settings are in `gtpbot/measure/textbook.py`.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import Field, model_validator

import gtpcore
from games.base import Game
from games.go import Go
from search.agent import NO_LIMITS, Limits, net_field
from search.fast_rollouts import FastRolloutParams
from search.net_agent import NetTreeAgent, PuctParams


class AlphaGoParams(FastRolloutParams, PuctParams):
    """Parameters of `alphago`."""

    net: str = net_field("policy_gradient", "policy", "the net for priors: a role or a file")
    value_net: str | None = net_field(
        "value", "value", "the net for values; net: the same; none: no such net"
    )
    rollout_net: str = net_field(
        "fast_policy", "policy", "the net of policy rollouts, if `rollout` names no linear policy"
    )
    policy_rollout: bool = Field(True, description="rollouts by a fast policy, not at random")
    weight: float | None = Field(
        None,
        ge=0,
        le=1,
        description="the prior's share in selection, as the textbook has it; none: PUCT",
    )
    depth: int | None = Field(
        None,
        ge=0,
        lt=2**31,
        description="moves of a rollout before the value net judges; none: to the end",
    )
    value_weight: float = Field(
        0.5,
        ge=0,
        le=1,
        description="the value net's share in a leaf's value, the paper's 1 - lambda; the rest is "
        "the rollout's",
    )
    num_rollouts: int | None = Field(
        None, ge=1, lt=2**63, description="playouts a move, as the textbook calls them"
    )

    def wants(self, parameter: str) -> bool:
        """No net for rollouts that are made otherwise."""
        if parameter == "rollout_net":
            return self.policy_rollout and self.rollout is None
        return super().wants(parameter)

    @model_validator(mode="after")
    def _plays_to_the_end(self) -> "AlphaGoParams":
        if self.policy_rollout and self.rollout and self.depth is not None:
            raise ValueError(f"depth {self.depth}: expected none, as playouts are not cut off")
        return self


class AlphaGoAgent(NetTreeAgent):
    """Priors, rollouts and values together."""

    name = "alphago"
    Params = AlphaGoParams
    params: AlphaGoParams

    @classmethod
    def defaults(cls, game: Game) -> Mapping[str, Any]:
        """In Go one net is the judge too, and a linear policy plays to the end, as in the paper."""
        if not isinstance(game, Go):
            return {}
        return {**super().defaults(game), "value_net": "net", "rollout": "rollout"}

    def own_limits(self, limits: Limits = NO_LIMITS) -> Limits:
        """Within `num_rollouts` too."""
        return super().own_limits(limits).within(self.params.num_rollouts, None)

    def rule(self) -> gtpcore.WeightedPrior | gtpcore.Puct:
        """PUCT, as the paper has it, or prior against mean, as the textbook has it."""
        if self.params.weight is None:
            return self.params.puct()
        return gtpcore.WeightedPrior(self.params.weight)

    def evaluator(self) -> gtpcore.NetEvaluator:
        """A rollout to `depth`, and the value net."""
        by_policy = self.params.policy_rollout
        playouts = self.params.fast_policy() if by_policy else None
        by_net = by_policy and playouts is None
        value = self.net("value_net")
        return gtpcore.NetEvaluator(
            prior=self.net("net"),
            value=value,
            rollout="playouts" if playouts else "policy" if by_net else "random",
            rollout_policy=self.net("rollout_net") if by_net else None,
            playouts=playouts,
            rollout_depth=self.params.depth,
            value_weight=self.params.value_weight if value else 0.0,
            batch_size=self.params.batch_size,
            symmetry_seed=self.params.symmetry_seed(self._seed),
            images=self.params.images,
        )
