"""The form of GTP 2: a line becomes a Command, an answer becomes a frame. Knows no game.

A line is `[id] name [arguments]`. The answer is `=` or `?`, the id glued to it, one space if there
is text, and one empty line at the end. Within an answer no line is empty, and no later line may
be taken for the beginning of another answer.
"""

import re
from dataclasses import dataclass

from gtpbot.text.words import shorten

UNKNOWN_COMMAND = "unknown command"
OUT_OF_MEMORY = "out of memory: lower the parameter memory_mb"
SYNTAX_ERROR = "syntax error"

LONGEST_ERROR = 400
GREATEST_ID = 2**31 - 1

_CONTROL = bytes(code for code in [*range(32), 127] if code not in b"\t\n")
_TAB_TO_SPACE = bytes.maketrans(b"\t\n", b"  ")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class GtpError(Exception):
    """A command failed: answered as `? text`.

    The standard fixes many of the texts word for word; `reason`, which goes to the log, is where
    the offending text and what was expected are told.
    """

    def __init__(self, text: str, reason: object = "") -> None:
        """`text` for the controller, `reason` for people."""
        super().__init__(text)
        self.text = text
        self.reason = str(reason)


@dataclass(frozen=True)
class Command:
    """One line of the controller."""

    id: str
    """As sent; empty if there was none."""
    name: str
    arguments: str
    """All that follows the name, with tabs turned into spaces, without spaces at the ends."""


def parse_line(line: bytes) -> Command | None:
    """The command in a line, or None if the line holds only blanks, controls or a comment.

    Bytes that are not UTF-8 become lone surrogates, so that a file name survives.

    >>> parse_line(b"7 play B\\tD4  # corner")
    Command(id='7', name='play', arguments='B D4')
    """
    meant = line.translate(None, _CONTROL).partition(b"#")[0].translate(_TAB_TO_SPACE).strip()
    if not meant:
        return None
    words = meant.decode("utf-8", "surrogateescape")
    first, _, rest = words.partition(" ")
    if not _is_id(first):
        return Command("", first, rest.strip(" "))
    name, _, rest = rest.strip(" ").partition(" ")
    return Command(first, name, rest.strip(" "))


def is_interrupt(line: bytes) -> bool:
    """True for the comment `# interrupt`, with which GoGui stops a running command."""
    return line.strip() == b"# interrupt"


def _is_id(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= 10 and int(word) <= GREATEST_ID


def success(command_id: str, text: str = "") -> str:
    """The frame of an answer."""
    return _frame("=" + command_id, text)


def stream_head(command_id: str) -> str:
    """How an answer begins that comes line by line: alone on its line, as clients need it."""
    return f"={command_id}\n"


def stream_line(text: str) -> str:
    """A line of such an answer; one without text is left out."""
    return f"{_UNPRINTABLE.sub('', text)}\n" if text else ""


STREAM_END = "\n"


def failure(command_id: str, text: str) -> str:
    """The frame of an error; its text is made one line and cut to a sane length."""
    return _frame("?" + command_id, shorten(" ".join(text.split()), LONGEST_ERROR))


def _frame(head: str, text: str) -> str:
    first, *others = _UNPRINTABLE.sub("", text).rstrip().split("\n")
    body = [_harmless(line) for line in others if line.strip()]
    return "\n".join([f"{head} {first}" if text else head, *body]) + "\n\n"


def _harmless(line: str) -> str:
    """A later line of an answer, indented if a client might take it for a new answer."""
    return " " + line if line.startswith(("=", "?")) else line
