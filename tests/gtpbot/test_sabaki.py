"""Sabaki's own library drives the engine, and its own parser reads every line of analysis."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

MODULES = os.environ.get("SABAKI_MODULES", "node_modules")
"""A node_modules with @sabaki/gtp."""
PARSER = os.environ.get("SABAKI_PARSER", "-")
"""Sabaki's src/modules/analysis.js; without it the library alone is tried."""
DRIVER = Path(__file__).parents[1] / "support" / "sabaki.cjs"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (Path(MODULES) / "@sabaki" / "gtp").exists() or not shutil.which("node"),
        reason=f"no node, or no @sabaki/gtp in {MODULES} (SABAKI_MODULES)",
    ),
]

ANALYSES = ("lz-analyze", "kata-analyze")
SETUP = ("name", "version", "protocol_version", "list_commands", "komi 7", "boardsize 9")


def talk(*script: str) -> list[dict[str, Any]]:
    """What Sabaki heard when it sent these lines."""
    engine = [sys.executable, "-m", "gtpbot", "--seconds", "1", "--threads", "1"]
    run = subprocess.run(
        ["node", str(DRIVER), MODULES, PARSER, *engine],
        input="\n".join(script),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return [json.loads(line) for line in run.stdout.splitlines()]


@pytest.mark.parametrize("command", ANALYSES)
def test_every_line_of_analysis_is_parsed(command: str) -> None:
    genmove = command.replace("-", "-genmove_")
    heard = talk(*SETUP, "play B E5", f"2000 {command} W 10", f"{genmove} W 10")
    lines = [fact for fact in heard if str(fact.get("line", "")).startswith("info ")]
    assert len(lines) >= 15
    assert lines[0]["after"] <= 1000  # a busy machine; 200 on a quiet one
    (stop,) = [fact for fact in heard if "interrupted" in fact]
    assert stop["within"] <= 500  # 50 on a quiet one
    assert any(str(fact.get("line", "")).startswith("play ") for fact in heard)
    assert not any(fact.get("error") for fact in heard)
    assert heard[-1] == {"stopped": True}
    if PARSER != "-":
        check_parsed(lines)


def check_parsed(lines: list[dict[str, Any]]) -> None:
    """Each move of each line is read in full."""
    for fact in lines:
        told = [segment.split() for segment in fact["line"].split("info ")[1:]]
        moves = [words for words in told if words[1] != "pass"]
        assert len(fact["variations"]) == len(moves)
        for words, read in zip(moves, fact["variations"], strict=True):
            line = words[words.index("pv") + 1 :]
            line = line[: line.index("pass")] if "pass" in line else line
            assert len(read["moves"]) == len(line)
            assert read["visits"] == int(words[words.index("visits") + 1])
            assert 0 <= read["winrate"] <= 100
