"""The `alphazero` agent: PUCT with one net for policy and value, and no playouts.

Silver et al., A general reinforcement learning algorithm that masters chess, shogi, and Go through
self-play, 2018. The formula is with `Puct` in `core/search/select.hpp`.
"""

import random

from pydantic import Field

import gtpcore
from search.agent import Nets, net_field
from search.net_agent import NetTreeAgent, NetTreeParams
from search.tree_agent import Children

REMEMBERED = 1 << 15
"""Positions of which a search remembers what its net said; in Go a quarter comes up again."""


class AlphaZeroParams(NetTreeParams):
    """Parameters of `alphazero`."""

    net: str = net_field("alphazero", "policy value", "the net: a role or a file")
    c_puct: float = Field(1.25, ge=0, description="weight of the priors, values from -1 to 1")
    fpu_reduction: float = Field(
        0.2, ge=0, description="how much less than its parent a move not yet tried is taken for"
    )
    epsilon: float = Field(0.0, ge=0, le=1, description="share of Dirichlet noise in root priors")
    alpha: float = Field(1.0, gt=0, description="parameter of the Dirichlet noise")
    temperature: float = Field(
        0.0, ge=0, description="moves are drawn by visits to the power of 1 / this; 0: the best"
    )


class AlphaZeroAgent(NetTreeAgent):
    """PUCT."""

    name = "alphazero"
    Params = AlphaZeroParams
    params: AlphaZeroParams

    def __init__(self, params: AlphaZeroParams, nets: Nets | None = None) -> None:
        """Noise and draws come from a generator seeded with `params.seed`."""
        super().__init__(params, nets)
        self._random = random.Random(self._seed)

    def rule(self) -> gtpcore.Puct:
        """PUCT."""
        return gtpcore.Puct(self.params.c_puct, self.params.fpu_reduction)

    def evaluator(self) -> gtpcore.NetEvaluator:
        """One net says all."""
        net = self.net("net")
        return gtpcore.NetEvaluator(
            prior=net,
            value=net,
            value_weight=1.0,
            batch_size=self.params.batch_size,
            symmetry_seed=self.symmetry_seed,
            memory=REMEMBERED,
        )

    def explore(
        self, search: gtpcore.Search, playouts: int | None, seconds: float | None
    ) -> gtpcore.SearchReport:
        """Search, with noise in the root's priors if that is asked for."""
        if self.params.epsilon > 0:
            if not search.children():
                search.run(playouts=1)
            search.set_root_priors(self._noisy(search.children()))
        return search.run(playouts, seconds)

    def pick(self, children: Children) -> gtpcore.ChildReport:
        """The best move, or one drawn by its visits."""
        best = self.best(children)
        if self.params.temperature == 0 or best.proof == "win":
            return best
        most = max(child.visits for child in children)
        weights = [
            (child.visits / most) ** (1 / self.params.temperature) if most else 1.0
            for child in children
        ]
        return self._random.choices(list(children), weights)[0]

    def _noisy(self, children: Children) -> dict[int, float]:
        noise = [self._random.gammavariate(self.params.alpha, 1.0) for _ in children]
        total, epsilon = sum(noise) or 1.0, self.params.epsilon
        return {
            child.action: (1 - epsilon) * child.prior + epsilon * amount / total
            for child, amount in zip(children, noise, strict=True)
        }
