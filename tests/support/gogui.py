"""GoGui in a real window on a display of its own, driven by keys and clicks.

It takes Java, GoGui's jar, Xvfb, a window manager, xdotool, and ImageMagick for pictures; see
`docs/clients.md`.
"""

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

PROGRAMS = ("java", "Xvfb", "twm", "xdotool", "import")
DIALOG_LEFT = 690
ENTRIES_TOP, ENTRY_HEIGHT, RUN_TOP = 37, 17, 585
"""Where things are in the dialogue of analyze commands, in pixels."""
BOARD = "400x330+0+85"
"""Where the board is."""
PATIENCE = 120
"""Seconds that a slow machine may take for anything."""


def jar(name: str) -> Path:
    """Where a jar of GoGui is: in the folder that the variable GOGUI_LIB names."""
    return Path(os.environ.get("GOGUI_LIB", "/usr/share/gogui/lib")) / name


def missing() -> str:
    """What is not there to show GoGui in a window; empty if all is."""
    absent = [program for program in PROGRAMS if shutil.which(program) is None]
    if not jar("gogui.jar").exists():
        absent.append(f"{jar('gogui.jar')} (GOGUI_LIB)")
    return ", ".join(absent)


def wait_for(what: str, happened: Callable[[], bool]) -> None:
    """Return once it happened, or fail."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, f"{what}: not within {PATIENCE} s"
        time.sleep(0.1)


class GoGui:
    """A running GoGui with gtpbot attached."""

    def __init__(self, folder: Path, engine: Sequence[str], *options: str) -> None:
        """`folder` gets its settings, its messages, and a log of each engine that it starts."""
        self._folder = folder
        self._processes: list[subprocess.Popen[str]] = []
        starter = folder / "engine"
        command = shlex.join([sys.executable, "-m", "gtpbot", *engine, "--log"])
        starter.write_text(f"#!/bin/sh\nexec {command} {shlex.quote(str(folder))}/$$.log\n")
        starter.chmod(0o755)
        self._options = ["-program", str(starter), *options]

    def __enter__(self) -> "GoGui":
        display = self._start("Xvfb", "-displayfd", "1", "-screen", "0", "1280x900x24")
        assert display.stdout is not None
        self._environment = os.environ | {
            "DISPLAY": f":{display.stdout.readline().strip()}",
            "HOME": str(self._folder),
        }
        self._start("twm")
        home = f"-Duser.home={self._folder}"
        self.program = self._start("java", home, "-jar", str(jar("gogui.jar")), *self._options)
        return self

    def __exit__(self, *error: object) -> None:
        for process in reversed(self._processes):
            process.terminate()
            process.communicate(timeout=PATIENCE)

    def _start(self, *command: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            command,
            env=getattr(self, "_environment", None),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if command[0] != "java" else subprocess.STDOUT,
            text=True,
        )
        self._processes.append(process)
        return process

    def log(self) -> str:
        """All that was said with all engines."""
        return "".join(file.read_text() for file in sorted(self._folder.glob("*.log")))

    def wait_for(self, text: str, times: int = 1) -> None:
        """Return once `text` was said so many times."""
        wait_for(f"{text!r} in {self._folder}", lambda: self.log().count(text) >= times)

    def wait_for_answer(self, command: str) -> None:
        """Return once the last of these commands was answered without an error."""
        logs = list(self._folder.glob("*.log"))
        wait_for(
            f"an answer to {command}",
            lambda: any(_answers(file.read_text(), command) for file in logs),
        )

    def settle(self) -> None:
        """Return once the window is there and waits."""
        self.wait_for("< gogui-title")
        wait_for("the window", lambda: bool(self._windows("^gtpbot")))
        before = b""
        while (now := self.board()) != before:
            before = now
            time.sleep(1)
        self.do("mousemove", 300, 300)  # where the keys then go to

    def open_analyze_dialog(self) -> None:
        """Open the dialogue of analyze commands, beside the window."""
        self.settle()
        self.do("key", "F8")
        wait_for("the dialogue", lambda: bool(self._windows("^Analyze")))
        self.do("windowmove", self._windows("^Analyze")[0], DIALOG_LEFT, 0)
        time.sleep(1)

    def run_analyze_command(self, number: int) -> None:
        """Run an entry of the dialogue, from 0."""
        self._click(DIALOG_LEFT + 60, ENTRIES_TOP + ENTRY_HEIGHT * number)
        self._click(DIALOG_LEFT + 95, RUN_TOP)

    def picture(self, file: Path) -> None:
        """Save what the display shows."""
        self._run("import", "-window", "root", str(file))

    def board(self) -> bytes:
        """The pixels of the board."""
        return self._run("import", "-window", "root", "-crop", BOARD, "-depth", "8", "rgb:-")

    def wait_for_picture(self, before: bytes) -> None:
        """Return once the board does not look as `before` any more."""
        wait_for("a picture", lambda: self.board() != before)

    def do(self, *words: object) -> None:
        """A command of xdotool, such as `key F5`."""
        self._run("xdotool", *map(str, words))

    def _click(self, x: int, y: int) -> None:
        self.do("mousemove", x, y, "click", 1)
        time.sleep(0.5)

    def _windows(self, title: str) -> list[str]:
        """The windows with such titles."""
        command = ["xdotool", "search", "--onlyvisible", "--name", title]
        found = subprocess.run(command, env=self._environment, capture_output=True, text=True)
        return found.stdout.split()

    def _run(self, *command: str) -> bytes:
        return subprocess.run(
            command, env=self._environment, check=True, stdout=subprocess.PIPE
        ).stdout


def _answers(log: str, command: str) -> bool:
    """True if the last of these commands in a log was answered without an error."""
    _, asked, rest = log.rpartition(f"< {command}\n")
    return bool(asked) and " > =" in rest
