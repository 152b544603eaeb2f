"""Two engines play each other on a CGOS server, by its own client; all on this machine."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from games.position import Move
from games.sgf import read_sgf
from tests.support.gogui import wait_for

CGOS = Path(os.environ.get("CGOS", "/usr/share/cgos"))
"""A checkout of CGOS, with its server and its client."""
CGOS_PYTHON = os.environ.get("CGOS_PYTHON", sys.executable)
"""A Python that has the packages of its server."""
PATIENCE = 10
"""Seconds for a program to end."""

SERVER = """\
[cgos-server]
serverName = test
htmlInfoMsg = test
portNumber = {port}
boardsize = 9
komi = 7
ko = POSITIONAL
rule = Chinese
level = 60
timeGift = 0.25
database_state_file = {folder}/state
cgi_database = {folder}/cgi.db
web_data_file = {folder}/wdata.txt
defaultRating = 1800
minK = 3
maxK = 200
htmlDir = {folder}/html
sgfDir = SGF
compressSgf = False
moveIntervalBetweenSave = 1
provisionalAge = 0.04
establishedAge = 31
killFile = {folder}/server.kill
tools_dir = {folder}
bin_dir = {folder}
bad_users_file =
"""

SERVER_LOG = """\
[loggers]
keys = root
[handlers]
keys = out
[formatters]
keys =
[logger_root]
level = INFO
handlers = out
[handler_out]
class = StreamHandler
args = (sys.stdout,)
"""

CLIENT = """\
Common:
  KillFile = {folder}/client.kill
  LogFile = {folder}/{name}.client
GTPEngine:
  CommandLine = {python} -m gtpbot --rules cgos --playouts {playouts} --log {folder}/{name}.log
  ServerHost = 127.0.0.1
  ServerPort = {port}
  ServerUser = {name}
  ServerPassword = secret
  NumberOfGames = 1
  SGFDirectory = {folder}/{name}
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def said(folder: Path) -> str:
    """All that was said with both engines."""
    return "".join(log.read_text() for log in folder.glob("*.log"))


@contextmanager
def running(folder: Path, name: str, *command: str) -> "Iterator[subprocess.Popen[bytes]]":
    """A program whose output goes to a file, until the end of the body."""
    environment = os.environ | {"PYTHONPATH": f"{CGOS}/server-python/cgos"}
    with (folder / f"{name}.out").open("wb") as out:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=out, stderr=subprocess.STDOUT
        )
        try:
            yield process
        finally:
            process.terminate()
            process.wait(PATIENCE)


@pytest.mark.slow
@pytest.mark.skipif(
    not (CGOS / "server-python").exists(), reason=f"no checkout of CGOS in {CGOS} (CGOS)"
)
def test_a_game_is_played_to_its_end(tmp_path: Path) -> None:
    facts = {"folder": tmp_path, "port": free_port(), "python": sys.executable}
    (tmp_path / "server.ini").write_text(SERVER.format_map(facts))
    (tmp_path / "log.ini").write_text(SERVER_LOG)
    (tmp_path / "html").mkdir()
    with ExitStack() as stack:
        script = str(CGOS / "server-python/cgos/server.py")
        stack.enter_context(running(tmp_path, "server", CGOS_PYTHON, script, "server.ini"))
        for name, playouts in (("strong", 300), ("weak", 30)):
            config = CLIENT.format_map(facts | {"name": name, "playouts": playouts})
            (tmp_path / f"{name}.cfg").write_text(config)
            script = str(CGOS / "client-python/src/cgosclient.py")
            command = (CGOS_PYTHON, script, f"{name}.cfg")
            stack.enter_context(running(tmp_path, f"{name}.client", *command))
        wait_for("a game", lambda: "< cgos-genmove_analyze" in said(tmp_path))
        wait_for("its end", lambda: said(tmp_path).count("< cgos-gameover") >= 2)
    assert "> ?" not in said(tmp_path)
    record = read_sgf(next(tmp_path.glob("html/SGF/**/1.sgf")))
    moves = [event for event in record.events if isinstance(event, Move)]
    assert len(moves) > 10
    assert record.result[:2] in ("B+", "W+")
    assert "Bad analysis" not in (tmp_path / "server.out").read_text()
