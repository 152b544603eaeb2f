"""Every agent by its name on the command line. A new agent is one line here."""

from search.agent import Agent
from search.alphago import AlphaGoAgent
from search.alphazero import AlphaZeroAgent
from search.minimax import AlphaBetaAgent, MinimaxAgent
from search.mixed_mcts import MixedMctsAgent
from search.policy import PolicyAgent
from search.policy_mcts import PolicyMctsAgent
from search.random import RandomAgent
from search.rave import RaveAgent
from search.solver import SolverAgent
from search.uct import UctAgent

AGENTS: dict[str, type[Agent]] = {
    agent.name: agent
    for agent in (
        RandomAgent,
        MinimaxAgent,
        AlphaBetaAgent,
        SolverAgent,
        UctAgent,
        RaveAgent,
        PolicyAgent,
        PolicyMctsAgent,
        MixedMctsAgent,
        AlphaGoAgent,
        AlphaZeroAgent,
    )
}
