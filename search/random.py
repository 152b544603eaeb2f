"""The random agent: any legal move, each as likely. The template for a new agent."""

import random

from games.position import Position
from search.agent import Agent, AgentParams, Candidate, Decision, Limits, Nets, Report


class RandomAgent(Agent):
    """Plays uniformly random legal moves."""

    name = "random"
    Params = AgentParams

    def __init__(self, params: AgentParams, nets: Nets | None = None) -> None:
        """Seeded by `params.seed`."""
        super().__init__(params, nets)
        self._random = random.Random(params.seed)

    def choose(self, position: Position, limits: Limits) -> Decision:
        """A random legal action."""
        wanted = position.legal_actions(limits.banned(position.to_move))
        chances = (Candidate(action, 0, 0.0, 1 / len(wanted), (action,)) for action in wanted)
        self._report = Report(position.to_move, tuple(chances), state=position.state)
        return Decision(self._random.choice(wanted))
