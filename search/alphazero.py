"""The `alphazero` agent: PUCT with one net for policy and value, and no playouts.

Silver et al., A general reinforcement learning algorithm that masters chess, shogi, and Go through
self-play, 2018. The formula is with `Puct` in `core/search/select.hpp`.
"""

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import Field

import gtpcore
from games.base import Game
from games.go import Go
from games.position import Position
from search.agent import Decision, Limits, Nets, net_field
from search.net_agent import NetTreeAgent, PuctParams
from search.solver import SolverAgent, SolverParams, wins
from search.tree_agent import Children, Effort

REMEMBERED = 1 << 15
"""Positions of which a search remembers what its net said; in Go a quarter comes up again."""
SOLVED_IN = 1.0
"""Seconds at most to find out how soon a game that is decided ends; a tenth is mostly enough."""
SOLVER_MB = 64
"""Memory for that."""


class AlphaZeroParams(PuctParams):
    """Parameters of `alphazero`."""

    net: str = net_field("alphazero", "policy value", "the net: a role or a file")
    by_spread: float = Field(
        0.85,
        ge=0,
        le=1,
        description="how much exploration follows the spread of values; 0: not, 1: in proportion",
    )
    bias_correction: float = Field(
        0.0,
        ge=0,
        le=1,
        description="Go: how much of what the net was off by in alike positions is made up for",
    )
    solve_nodes: int = Field(
        0,
        ge=0,
        le=20_000,  # which takes two milliseconds; a search may be stopped between some of them
        description="Connect Four on 7x6: positions visited to prove how a leaf ends; 0: no proofs",
    )
    epsilon: float = Field(0.0, ge=0, le=1, description="share of Dirichlet noise in root priors")
    alpha: float = Field(
        1.0,
        gt=0,
        le=1e6,
        description="parameter of the Dirichlet noise; in the paper about 10 / (legal moves)",
    )
    temperature: float = Field(
        0.0, ge=0, description="moves are drawn by visits to the power of 1 / this; 0: the best"
    )
    temperature_moves: int = Field(
        30, ge=0, description="moves of a game, of both players, that are drawn so; then the best"
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
        self._solver = SolverAgent(SolverParams(seed=self._seed, memory_mb=SOLVER_MB))
        self._stopped = False

    def rule(self) -> gtpcore.Puct:
        """PUCT."""
        return self.params.puct(self.params.by_spread)

    @classmethod
    def defaults(cls, game: Game) -> Mapping[str, Any]:
        """Connect Four can be solved in the leaves; the rest won matches of Go."""
        solvable = {"solve_nodes": 2_000} if SolverAgent.plays(game) else {}
        go = {"bias_correction": 0.45, "choose_by": "lcb"} if isinstance(game, Go) else {}
        return {**super().defaults(game), **solvable, **go}

    def prover(self, game: Game) -> gtpcore.Prover | None:
        """The solver of Connect Four, if it may be asked."""
        nodes = self.params.solve_nodes
        if not nodes or not SolverAgent.plays(game):
            return None
        return gtpcore.ConnectFourProver(threads=self.params.num_threads, nodes=nodes)

    def bias_correction(self) -> float:
        """As asked for."""
        return self.params.bias_correction

    def evaluator(self) -> gtpcore.NetEvaluator:
        """One net says all."""
        net = self.net("net")
        return gtpcore.NetEvaluator(
            prior=net,
            value=net,
            value_weight=1.0,
            batch_size=self.params.batch_size,
            symmetry_seed=self.params.symmetry_seed(self._seed),
            images=self.params.images,
            memory=REMEMBERED,
        )

    def choose(self, position: Position, limits: Limits) -> Decision:
        """Search; where leaves are proven, win soonest and lose latest."""
        state = position.state
        if not self.params.solve_nodes or not isinstance(state, gtpcore.ConnectFourState):
            return super().choose(position, limits)
        self._stopped = False
        for action in position.legal_actions(limits.banned(position.to_move)):
            if wins(state, action):
                return self.told(position, Decision(action, value_to_move=1.0))
        decision = super().choose(position, limits)
        is_decided = decision.action is not None and abs(decision.value_to_move or 0) == 1
        is_plain = limits.bans_reach <= 1  # the solver knows no bans beyond the next move
        if not is_decided or not is_plain or self._stopped:
            return decision
        return self._in_good_time(position, limits, decision)

    def _in_good_time(self, position: Position, limits: Limits, decision: Decision) -> Decision:
        """The quickest win or slowest loss, which no proof tells, if there is time to find it."""
        seconds = self.usual_limits(limits).seconds
        left = SOLVED_IN if seconds is None else min(SOLVED_IN, seconds - decision.seconds)
        if left <= 0 or not SolverAgent.plays(position.game):
            return decision
        solved = self._solver.choose(position, replace(limits, seconds=left))
        if solved.value_to_move != decision.value_to_move:
            return decision
        better = replace(
            decision,
            action=solved.action,
            seconds=decision.seconds + solved.seconds,
            candidates=tuple(
                sorted(decision.candidates, key=lambda each: each.action != solved.action)
            ),
        )
        return self.telling(position, better)

    def stop(self) -> None:
        """End the search in progress, and what follows it."""
        self._stopped = True
        super().stop()
        self._solver.stop()

    def clear(self) -> None:
        """Forget what was learned of earlier games."""
        super().clear()
        self._solver.clear()

    def explore(
        self, search: gtpcore.Search, playouts: int | None, seconds: float | None
    ) -> Effort:
        """Search, with noise in the root's priors for as long, if that is asked for."""
        if self.params.epsilon == 0:
            return super().explore(search, playouts, seconds)
        first = Effort(0, 0.0)
        if not search.children():
            first = super().explore(search, 1, seconds)
        clean = {child.action: child.prior for child in search.children()}
        if not clean or playouts == first.playouts:  # stopped, or done
            return first
        search.set_root_priors(self._noisy(clean))
        left = playouts and playouts - first.playouts
        then = super().explore(search, left, seconds and max(0.0, seconds - first.seconds))
        search.set_root_priors(clean)
        return Effort(first.playouts + then.playouts, first.seconds + then.seconds)

    def pick(self, children: Children) -> gtpcore.ChildReport:
        """The best move, or one drawn by its visits, but none that surely loses."""
        best = self.best(children)
        is_late = len(self._moves) >= self.params.temperature_moves
        if self.params.temperature == 0 or is_late or best.proof == "win":
            return best
        open_ones = [child for child in children if child.proof != "loss"] or list(children)
        most = max(child.visits for child in open_ones)
        weights = [
            (child.visits / most) ** (1 / self.params.temperature) if most else 1.0
            for child in open_ones
        ]
        return self._random.choices(open_ones, weights)[0]

    def _noisy(self, priors: Mapping[int, float]) -> dict[int, float]:
        noise = [self._random.gammavariate(self.params.alpha, 1.0) for _ in priors]
        total, epsilon = sum(noise) or 1.0, self.params.epsilon
        return {
            action: (1 - epsilon) * prior + epsilon * amount / total
            for (action, prior), amount in zip(priors.items(), noise, strict=True)
        }
