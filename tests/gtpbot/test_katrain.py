"""KaTrain's own classes analyse a whole game by `gtpbot analysis`."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

KATRAIN_PYTHON = os.environ.get("KATRAIN_PYTHON", "")
"""A Python that has the package katrain."""
DRIVER = Path(__file__).parents[1] / "support" / "katrain_game.py"
GAME = "(;GM[1]FF[4]SZ[9]KM[7]RU[Chinese];B[ee];W[gc];B[cg];W[gg];B[cc];W[];B[gd];W[fc])"


@pytest.mark.client
@pytest.mark.slow
@pytest.mark.skipif(not KATRAIN_PYTHON, reason="no Python that has katrain (KATRAIN_PYTHON)")
def test_a_whole_game_is_analysed(tmp_path: Path) -> None:
    game = tmp_path / "game.sgf"
    game.write_text(GAME)
    engine = "exec " + shlex.join([sys.executable, "-m", "gtpbot", "analysis"])  # as the docs say
    run = subprocess.run(
        [KATRAIN_PYTHON, str(DRIVER), str(game), engine],
        env=os.environ | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    told = json.loads(run.stdout.splitlines()[-1])
    assert told["complaints"] == []
    assert len(told["nodes"]) == 9
    for node in told["nodes"]:
        assert node["complete"]
        assert 0 <= node["winrate"] <= 1
        assert node["score"] is not None
        assert node["visits"] >= 60
        assert node["candidates"] >= 1
        assert (node["ownership"], node["policy"]) == (81, 82)
