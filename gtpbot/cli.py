"""The command line."""

import argparse
from collections.abc import Sequence

from games.registry import GAMES
from gtpbot.engine import Engine
from gtpbot.session import Session
from gtpbot.transport import claim_stdout, read_lines
from search.registry import AGENTS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; the exit status."""
    parser = argparse.ArgumentParser(prog="gtpbot")
    parser.add_argument("--game", default="coin", choices=GAMES)
    parser.add_argument("--agent", default="random", choices=AGENTS)
    chosen = parser.parse_args(arguments)
    agent = AGENTS[chosen.agent]
    session = Session(GAMES[chosen.game](), agent(agent.Params.model_validate({})))
    Engine(session, claim_stdout().write).run(read_lines(0))
    return 0
