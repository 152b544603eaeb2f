"""Lets KaTrain's own classes analyse a game, without its window, by an engine of ours.

Run by a Python that has KaTrain: katrain_game.py SGF COMMAND. Prints, as JSON, what KaTrain then
knows of each position, and what it complained of; then starts the engine anew, as for new settings.
"""

import json
import os
import signal
import sys
import time
from typing import Any

os.environ |= {"KIVY_NO_ARGS": "1", "KIVY_NO_CONSOLELOG": "1", "KIVY_NO_FILELOG": "1"}

from katrain.core.constants import OUTPUT_ERROR  # type: ignore[import-not-found]
from katrain.core.engine import KataGoEngine  # type: ignore[import-not-found]
from katrain.core.game import Game, KaTrainSGF  # type: ignore[import-not-found]

PATIENCE = 240
RESTART = 30


class Katrain:
    """What KaTrain's classes need of its window."""

    def __init__(self) -> None:
        self.complaints: list[str] = []

    def log(self, message: str, level: int = 0) -> None:
        if level == OUTPUT_ERROR:
            self.complaints.append(str(message))

    def config(self, name: str, default: Any = None) -> Any:
        return {"game/rules": "chinese"}.get(name, default)


def main(sgf: str, command: str) -> None:
    katrain = Katrain()
    settings = {
        "backend": "custom",
        "altcommand": command,
        "max_visits": 60,
        "fast_visits": 25,
        "max_time": 5.0,
        "wide_root_noise": 0.0,
        "_enable_ownership": True,
        "allow_recovery": False,
    }
    engine = KataGoEngine(katrain, settings)
    game = Game(katrain, engine, move_tree=KaTrainSGF.parse_file(sgf))
    nodes = list(game.root.nodes_in_tree)
    deadline = time.monotonic() + PATIENCE
    while not all(node.analysis_complete for node in nodes) and time.monotonic() < deadline:
        time.sleep(0.1)
    facts = [
        {
            "complete": node.analysis_complete,
            "winrate": node.winrate,
            "score": node.score,
            "visits": node.root_visits,
            "candidates": len(node.candidate_moves),
            "ownership": len(node.ownership or []),
            "policy": len(node.policy or []),
        }
        for node in nodes
    ]
    signal.alarm(RESTART)  # which ends this, for KaTrain waits in vain for an engine that goes on
    engine.restart()
    engine.shutdown(finish=False)
    print(json.dumps({"nodes": facts, "complaints": katrain.complaints}))


if __name__ == "__main__":
    main(*sys.argv[1:])
