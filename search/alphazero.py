"""The `alphazero` agent: PUCT with one net for policy and value, and no playouts.

Silver et al., A general reinforcement learning algorithm that masters chess, shogi, and Go through
self-play, 2018. The formula is with `Puct` in `core/search/select.hpp`.
"""

import random
import time
from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import Field

import gtpcore
from search.agent import Nets, net_field
from search.board_net import BoardNet
from search.net_agent import NetTreeAgent, NetTreeParams
from search.tree_agent import Children, Effort


class AlphaZeroParams(NetTreeParams):
    """Parameters of `alphazero`."""

    symmetries: bool = Field(
        True,
        description="show leaves to the net turned at random, in Go; the root in all ways at once",
    )

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
        )

    def explore(
        self, search: gtpcore.Search, playouts: int | None, seconds: float | None
    ) -> Effort:
        """Search, once the root's moves have their priors."""
        start = time.monotonic()
        begun = 0 if search.children() else search.run(playouts=1, seconds=seconds).playouts
        search.set_root_priors(self._root_priors(search))
        left = None if playouts is None else playouts - begun
        if left != 0:
            left_seconds = None if seconds is None else max(0.0, seconds - time.monotonic() + start)
            begun += search.run(left, left_seconds).playouts
        return Effort(begun, time.monotonic() - start)

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

    def _root_priors(self, search: gtpcore.Search) -> dict[int, float]:
        """Of all moves of the root; with noise in them, if that is asked for."""
        children = search.children()
        priors = self._mean_priors([child.action for child in children]) or {
            child.action: child.prior for child in children
        }
        return self._noisy(priors) if self.params.epsilon > 0 else priors

    def _mean_priors(self, actions: Sequence[int]) -> dict[int, float] | None:
        """What the net says of all images of the root; None if it cannot tell."""
        net = self.net("net")
        if not (self.params.symmetries and isinstance(net, BoardNet)):
            return None
        policy, _ = net.mean(cast(gtpcore.State, self._shown))
        assert policy is not None
        total = sum(policy[action] for action in actions)
        return {action: policy[action] / total for action in actions} if total > 0 else None

    def _noisy(self, priors: Mapping[int, float]) -> dict[int, float]:
        noise = [self._random.gammavariate(self.params.alpha, 1.0) for _ in priors]
        total, epsilon = sum(noise) or 1.0, self.params.epsilon
        return {
            action: (1 - epsilon) * prior + epsilon * amount / total
            for (action, prior), amount in zip(priors.items(), noise, strict=True)
        }
