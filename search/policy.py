"""The `policy` agent: moves from a policy net, without search.

The actor-critic agent of the coin game is this one with the net `actor_critic`.
"""

import random
from collections.abc import Mapping
from typing import Any, Literal, cast

from pydantic import Field

import gtpcore
from games.base import Game
from games.go import Go
from games.position import Position
from search import go_passing
from search.agent import (
    AgentParams,
    Candidate,
    Decision,
    Limits,
    Nets,
    Report,
    has_planes,
    net_field,
)
from search.board_net import BoardAgent, usual_net


class PolicyParams(AgentParams):
    """Parameters of `policy`."""

    net: str = net_field("strong_policy", "policy", "the policy net: a role or a file")
    mode: Literal["stochastic", "deterministic"] = Field(
        "deterministic",
        description="stochastic: draw moves by their probabilities; deterministic: take the "
        "likeliest",
    )
    symmetries: bool = Field(
        True, description="the mean of what the net says of all symmetric images of a position"
    )


class PolicyAgent(BoardAgent):
    """A policy net at its word."""

    name = "policy"
    Params = PolicyParams
    params: PolicyParams

    def __init__(self, params: PolicyParams, nets: Nets | None = None) -> None:
        """Draws by a generator seeded with `params.seed`.

        Raises ValueError if its net has no policy.
        """
        super().__init__(params, nets)
        if not self.nets["net"].has_policy:
            raise ValueError("agent policy: nets['net']: expected one with a policy")
        self._random = random.Random(params.seed)

    @classmethod
    def plays(cls, game: Game) -> bool:
        """Games that can be shown to a net."""
        return has_planes(game)

    @classmethod
    def defaults(cls, game: Game) -> Mapping[str, Any]:
        """In Go all agents have the same net."""
        return {"net": usual_net(game)} if isinstance(game, Go) else {}

    def choose(self, position: Position, limits: Limits) -> Decision:
        """A sensible move, with care about passes in Go, where also no own eye is filled."""
        banned = limits.banned(position.to_move)
        decision = go_passing.with_care(
            position, banned, lambda: self._choose(position, banned), self.judged_ownership
        )
        self._tell(position, decision)
        return decision

    def analyze(self, position: Position, limits: Limits) -> None:
        """What the net says of all moves, passes among them."""
        self._tell(position, self._choose(position, limits.banned(position.to_move)))

    def _tell(self, position: Position, decision: Decision) -> None:
        report = Report.of(position.to_move, decision, position.state)
        self._report = self.look_at(position).scored(report)

    def _choose(self, position: Position, banned: frozenset[int]) -> Decision:
        """Other actions than sensible ones count as if the net had given them nothing."""
        state = cast(gtpcore.State, position.state)
        policy, value = self._asked(position)
        sensible = [action for action in state.candidates() if action not in banned]
        wanted = sensible or position.legal_actions(banned)
        candidates = [
            Candidate(action, 0, value or 0.0, policy[action], (action,))
            for action in sorted(wanted, key=lambda action: -policy[action])
        ]
        return Decision(
            self._pick(wanted, policy), value_to_move=value, candidates=tuple(candidates)
        )

    def _asked(self, position: Position) -> tuple[list[float], float | None]:
        mean = self.look_at(position).mean if self.params.symmetries else None
        if mean is not None and mean.policy is not None:
            return list(mean.policy), mean.value_to_move
        return self.nets["net"].evaluate(cast(gtpcore.State, position.state))

    def _pick(self, actions: list[int], policy: list[float]) -> int:
        weights = [policy[action] for action in actions]
        if self.params.mode == "deterministic" or not any(weights):
            return max(actions, key=lambda action: policy[action])
        return self._random.choices(actions, weights)[0]
