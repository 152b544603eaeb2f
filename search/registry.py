"""Every agent by its name on the command line. A new agent is one line here."""

from search.agent import Agent
from search.minimax import AlphaBetaAgent, MinimaxAgent
from search.random import RandomAgent
from search.rave import RaveAgent
from search.uct import UctAgent

AGENTS: dict[str, type[Agent]] = {
    agent.name: agent for agent in (RandomAgent, MinimaxAgent, AlphaBetaAgent, UctAgent, RaveAgent)
}
