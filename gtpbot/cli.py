"""The command line: `gtpbot [VERB] [OPTION...]`, where the verb `gtp` is understood."""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from importlib import import_module

from gtpbot.text.stdout import Disconnected, UnwritableError
from gtpbot.text.words import suggest

VERBS: Mapping[str, tuple[str, str]] = {
    "gtp": ("gtp.command:speak_gtp", "speak GTP on standard input and output; the default"),
    "play": ("people.play:main", "play a game in the terminal"),
    "review": ("review.command:main", "look through a game: evaluations, best lines, mistakes"),
    "analysis": ("analysis.command:main", "analyze many positions, as KaTrain and Ogatak ask"),
    "bench": ("measure.bench:main", "measure how fast this machine plays"),
    "book": ("learning.book:main", "make the opening book of the agent solver"),
    "train": ("learning.train:main", "make the nets of a game, from expert moves to weights"),
    "match": ("matches.command:main", "let GTP engines play each other, and rate them"),
    "openings": ("matches.even_openings:main", "make even openings for matches"),
    "selfplay": ("learning.selfplay:main", "let a net of Go play itself, and keep the games"),
    "record": ("learning.record:main", "let two GTP engines play Go, and keep the games as SGF"),
    "label": ("learning.label:main", "let an analysis engine label games of Go, to learn from"),
    "mistakes": ("measure.mistakes:main", "measure how often an agent errs in Connect Four"),
    "reproduce": ("measure.reproduce:main", "play the textbook's matches, and compare the figures"),
}
"""The function in this package that each verb runs with its arguments; and what it does."""

SERVERS = ("gtp", "analysis")
"""Verbs that a signal ends at once, in the midst of a native search too; they start no programs."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if sys.stderr is None:  # closed; what is told there is never the result
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115
    with _ended_by_ctrl_c_at_once():  # modules are most of a start
        from gtpbot.options import OptionsError
    try:
        verb = _verb(words)
        with _ended_by_ctrl_c_at_once():
            run = _function(verb)
        with nullcontext() if verb in SERVERS else _ended_as_by_ctrl_c():
            return run(words)
    except OptionsError as error:
        print(f"gtpbot: {error}", file=sys.stderr)
        return 2
    except UnwritableError as error:
        print(f"gtpbot: {error}", file=sys.stderr)
        return 1
    except Disconnected:
        return 0
    except KeyboardInterrupt:
        return 130


@contextmanager
def _ended_by_ctrl_c_at_once() -> Iterator[None]:
    """While modules are imported, some in C or Rust, which make tracebacks of KeyboardInterrupt."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield  # ignored, as by what a shell runs in the background
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def _ended_as_by_ctrl_c() -> Iterator[None]:
    """SIGTERM raises KeyboardInterrupt, lest engines and processes at work be left behind.

    So does SIGHUP, as when the terminal is closed, unless `nohup` has it ignored: engines have
    sessions of their own, and hear nothing of it.
    """
    from nets.threads import hang_up  # here, lest the engine load it before it can answer

    ours = {signal.SIGTERM: signal.default_int_handler, signal.SIGHUP: hang_up}
    met = {number: signal.getsignal(number) for number in ours}
    usual = {number: handler for number, handler in met.items() if handler != signal.SIG_IGN}
    for number in usual:
        signal.signal(number, ours[number])
    try:
        yield
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)


def _verb(words: list[str]) -> str:
    """The verb that `words` begin with, which is taken out of them."""
    verb = words.pop(0) if words and not words[0].startswith("-") else "gtp"
    if verb not in VERBS:
        from gtpbot.options import OptionsError

        raise OptionsError(f"unknown verb {verb!r}: {suggest(verb, VERBS)}")
    return verb


def _function(verb: str) -> Callable[[Sequence[str]], int]:
    module, _, function = VERBS[verb][0].partition(":")
    run: Callable[[Sequence[str]], int] = getattr(import_module(f"gtpbot.{module}"), function)
    return run
