"""What people are told."""

import io
import re
import sys

import pytest

from gtpbot.gtp.journal import Journal


class FullDisk(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


class Broken(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


def test_the_record_has_all_that_was_said() -> None:
    record = io.StringIO()
    journal = Journal(record)
    journal.received(b"1 name\xff\r")
    journal.answered("=1 gtpbot\n\n")
    journal.complain("two\nlines")
    text = re.sub(r"\d\d:\d\d:\d\d\.\d\d\d ", "", record.getvalue())
    assert text == "< 1 name\\xff\n> =1 gtpbot\n! two\n! lines\n"


def test_complaints_are_harmless_to_clients(capsys: pytest.CaptureFixture[str]) -> None:
    Journal().complain("= 1\nD4 -> 100 (V: 50%)\ninfo move")
    assert capsys.readouterr().err == "gtpbot: = 1\ngtpbot: D4 to 100 (V: 50%)\ngtpbot: info move\n"


def test_a_full_disk_ends_the_record_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    with FullDisk() as record:  # which Python would write to once more when it is closed
        journal = Journal(record)
        journal.received(b"name")
        journal.received(b"name")
        assert record.closed
    assert capsys.readouterr().err.count("the log ends here: [Errno 28] No space left") == 1


@pytest.mark.parametrize("stderr", [None, Broken()], ids=["closed", "broken"])
def test_nobody_need_listen(stderr: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", stderr)
    Journal().complain("is anybody there?")
