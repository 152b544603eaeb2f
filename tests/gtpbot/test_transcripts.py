"""Whole sessions with a real process, compared byte for byte.

A transcript begins with comments (`;`) and the command line (`$`). A line after `> ` is sent, with
Python's escapes for what cannot be typed; the lines below it are the answer, to the byte. All that
is sent is sent at once. Files are named from `tests/data`.
"""

import shlex
from pathlib import Path

import pytest

from tests.support.forked import run_gtpbot

DATA = Path(__file__).parents[1] / "data"
TRANSCRIPTS = sorted((DATA / "transcripts").glob("*.gtp"))


def parse(transcript: str) -> tuple[list[str], bytes, str]:
    """The arguments, the input and the output that is expected."""
    arguments: list[str] = []
    sent, expected = b"", ""
    for line in transcript.splitlines(keepends=True):
        if line.startswith("$"):
            arguments = shlex.split(line[1:])
        elif line.startswith(">"):
            text = line[1:].removeprefix(" ")
            sent += text.encode().decode("unicode_escape").encode("latin-1")
        elif not line.startswith(";"):
            expected += line
    return arguments, sent, expected


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_transcript(path: Path, tmp_path: Path) -> None:
    arguments, sent, expected = parse(path.read_text())
    assert expected.endswith("\n\n")
    run = run_gtpbot(arguments, sent, DATA, tmp_path)
    assert run.stdout.decode().split("\n\n") == expected.split("\n\n")
    assert run.status == 0
