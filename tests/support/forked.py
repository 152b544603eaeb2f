"""Processes of gtpbot without its start: they are forked from one that has imported all of it."""

import os
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext
from pathlib import Path

PATIENCE = 60
"""Seconds."""


@dataclass(frozen=True)
class Run:
    """What a process did."""

    status: int
    stdout: bytes
    stderr: bytes


def run_gtpbot(arguments: list[str], sent: bytes, cwd: Path, scratch: Path) -> Run:
    """Run the command with all of its input at once, in the folder `cwd`.

    What it reads and writes are files in the empty folder `scratch`.
    """
    streams = [scratch / name for name in ("stdin", "stdout", "stderr")]
    streams[0].write_bytes(sent)
    process = _context().Process(target=_main, args=(arguments, cwd, streams))
    process.start()
    process.join(PATIENCE)
    if process.exitcode is None:
        process.kill()
        raise TimeoutError(f"gtpbot {' '.join(arguments)}: still there after {PATIENCE} s")
    return Run(process.exitcode, streams[1].read_bytes(), streams[2].read_bytes())


@cache
def _context() -> ForkServerContext:
    context = get_context("forkserver")
    context.set_forkserver_preload(["gtpbot.cli"])
    return context


def _main(arguments: list[str], cwd: Path, streams: list[Path]) -> None:
    for number, path in enumerate(streams):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
    os.chdir(cwd)
    from gtpbot.cli import main

    raise SystemExit(main(arguments))
