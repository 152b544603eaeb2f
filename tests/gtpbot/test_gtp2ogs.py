"""The class of gtp2ogs that talks to engines, driven through a game; its server stays out."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from games.base import Player
from games.go import Go, GoOptions
from games.position import Position
from gtpbot.gtp.engine import Engine
from gtpbot.gtp.malkovich import Malkovich
from gtpbot.gtp.session import Choice, Session
from gtpbot.options import AgentChoice
from search.agent import Candidate, Decision

GTP2OGS = Path(os.environ.get("GTP2OGS", "/usr/share/gtp2ogs"))
"""A checkout of gtp2ogs."""
MODULES = os.environ.get("GTP2OGS_MODULES", str(GTP2OGS / "node_modules"))
"""A node_modules with what it needs, and typescript."""
DRIVER = Path(__file__).parents[1] / "support" / "gtp2ogs.cjs"


ANALYSIS = re.compile(
    r"MALKOVICH:Visits (\d*) Winrate (\d+\.\d\d)% ScoreLead (-?\d+\.\d) ScoreStdev (-?\d+\.\d) "
    r"PV ((?:[A-HJ-T]\d+|pass)(?: (?:[A-HJ-T]\d+|pass))*)\n"
)
"""How gtp2ogs reads a line of KataGo's on standard error."""


def test_spectators_are_told_of_each_move_before_it_is_answered() -> None:
    told: list[str] = []
    agent = AgentChoice("uct", {"playouts": 20, "seed": 1})
    session = Session(Go(GoOptions(size=5)), agent)
    engine = Engine(session, told.append, malkovich=Malkovich(told.append))
    for line in (b"genmove b", b"name", b"reg_genmove w", b"genmove w"):
        engine.serve(line)
    assert "KataGo" in told.pop(0)  # by which gtp2ogs knows the form
    assert [bool(ANALYSIS.fullmatch(text)) for text in told] == [1, 0, 0, 0, 1, 0]


def test_spectators_are_told_for_the_player_to_move() -> None:
    told: list[str] = []
    session = Session(Go(GoOptions(size=5, komi=4)), AgentChoice("random"))
    malkovich = Malkovich(told.append)
    position = Position(session.game).facing(Player.WHITE)
    best = Candidate(12, 400, -0.5, 0.1, (12, 7, 25))
    session.choice_made = Choice(position, Decision(12, -0.5, 480, candidates=(best,)))
    malkovich.follow(session)
    match = ANALYSIS.fullmatch(told[-1])
    assert match and match.group(1, 2, 5) == ("480", "25.00", "C3 C2 pass")
    session.choice_made = Choice(position, Decision(12))
    malkovich.follow(session)
    assert len(told) == 2  # an agent that knows no value


@pytest.mark.client
@pytest.mark.slow
@pytest.mark.skipif(
    not (GTP2OGS / "src").exists() or not shutil.which("node"),
    reason=f"no node, or no checkout in {GTP2OGS} (GTP2OGS)",
)
def test_it_plays_under_every_time_control(tmp_path: Path) -> None:
    log = tmp_path / "engine.log"
    engine = [sys.executable, "-m", "gtpbot", "--playouts", "50", "--rules", "japanese"]
    config = tmp_path / "config.json5"
    bot = {"command": [*engine, "--log", str(log)], "manager": "pool"}
    config.write_text(json.dumps({"apikey": "none", "bot": bot}))
    run = subprocess.run(
        ["node", str(DRIVER), "-c", str(config)],
        env=os.environ | {"GTP2OGS": str(GTP2OGS), "NODE_PATH": MODULES},
        capture_output=True,
        text=True,
        timeout=200,
        check=True,
    )
    told = json.loads(run.stdout.splitlines()[-1])
    assert not told["failed"]
    assert told["code"] == 0
    assert told["handicap"] == 3
    systems = [system for system, _ in told["moves"]]
    assert systems == ["byoyomi", "byoyomi", "canadian", "fischer", "simple", "absolute"]
    assert not {"resign", ""} & {move for _, move in told["moves"]}
    assert "does not support" not in run.stdout
    assert "< kata-time_settings fischer-capped 60 5 90 -1" in log.read_text()
