"""The class of gtp2ogs that talks to engines, driven through a game; its server stays out."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

GTP2OGS = Path(os.environ.get("GTP2OGS", "/usr/share/gtp2ogs"))
"""A checkout of gtp2ogs."""
MODULES = os.environ.get("GTP2OGS_MODULES", str(GTP2OGS / "node_modules"))
"""A node_modules with what it needs, and typescript."""
DRIVER = Path(__file__).parents[1] / "support" / "gtp2ogs.cjs"


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
