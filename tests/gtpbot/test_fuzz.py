"""A short run of the fuzzer, and the proof that it reaches what it is for."""

from gtpbot.gtp.protocol import parse_line
from tests.support.fuzz import COMMANDS, fuzz

NEEDS_A_NET = "kata-raw-nn"


def test_random_lines_are_answered_and_survived() -> None:
    succeeded, failed, blank = set[str](), set[str](), 0
    for line, answer in fuzz(12000, seed=1):
        command = parse_line(line)
        if command is None:
            blank += 1
        else:
            (succeeded if answer.startswith("=") else failed).add(command.name)
    assert succeeded == set(COMMANDS) - {NEEDS_A_NET}
    assert {"play", "genmove", "undo", "boardsize", "komi", "gogui-setup"} <= failed
    assert blank > 10
