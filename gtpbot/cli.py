"""The command line: `gtpbot [VERB] [OPTION...]`, where the verb `gtp` is understood."""

import argparse
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from pydantic import BaseModel

from games.registry import GAMES
from gtpbot import __version__
from gtpbot.choosing import REPEATABLE, interpret_pair
from gtpbot.engine import Engine
from gtpbot.journal import Journal
from gtpbot.malkovich import Malkovich
from gtpbot.options import (
    AgentChoice,
    Options,
    OptionsError,
    make_game,
    metavar,
    read,
    shown,
    suggest,
)
from gtpbot.recorder import Recorder
from gtpbot.session import Session
from gtpbot.transport import Disconnected, UnwritableError, claim_stdout, read_lines
from search.registry import AGENTS

VERBS: Mapping[str, tuple[str, str]] = {
    "gtp": ("gtpbot.cli:speak_gtp", "speak GTP on standard input and output; the default"),
    "play": ("gtpbot.play:main", "play a game in the terminal"),
    "review": ("gtpbot.review:main", "look through a game: evaluations, best lines, mistakes"),
    "analysis": ("gtpbot.analysis:main", "analyze many positions, as KaTrain and Ogatak ask"),
    "bench": ("gtpbot.bench:main", "measure how fast this machine plays"),
    "book": ("gtpbot.book:main", "make the opening book of the agent solver"),
    "train": ("gtpbot.train:main", "make the nets of a game, from expert moves to weights"),
    "match": ("gtpbot.matches.command:main", "let GTP engines play each other, and rate them"),
    "openings": ("gtpbot.matches.even_openings:main", "make even openings for matches"),
    "selfplay": ("gtpbot.selfplay:main", "let a net of Go play itself, and keep the games"),
    "record": ("gtpbot.record:main", "let two GTP engines play Go, and keep the games as SGF"),
    "label": ("gtpbot.label:main", "let an analysis engine label games of Go, to learn from"),
    "mistakes": ("gtpbot.mistakes:main", "measure how often an agent errs in Connect Four"),
    "reproduce": ("gtpbot.reproduce:main", "play the textbook's matches, and compare the figures"),
}
"""What each verb runs with its arguments, for the exit status; and what it does."""

SWITCH_INTERVAL = 0.0005
"""Seconds that a thread which tells of a search may keep others from asking a net.

Python's own 5 ms cost the search a tenth of its speed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _verb(words)(words)
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


def _verb(words: list[str]) -> Callable[[Sequence[str]], int]:
    """The function of the verb that `words` begin with, which is taken out of them."""
    verb = words.pop(0) if words and not words[0].startswith("-") else "gtp"
    if verb not in VERBS:
        raise OptionsError(f"unknown verb {verb!r}: {suggest(verb, VERBS)}")
    module, _, function = VERBS[verb][0].partition(":")
    run: Callable[[Sequence[str]], int] = getattr(import_module(module), function)
    return run


def speak_gtp(arguments: Sequence[str]) -> int:
    """Serve one controller. Raises OptionsError, and Disconnected if there is none."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # so that Ctrl-C ends a native search too
    sys.setswitchinterval(SWITCH_INTERVAL)
    options = interpret_options(arguments)
    choice = AgentChoice(options.agent, options.agent_settings)
    session = Session(make_game(options.game, options.game_settings), choice, options.lag)
    session.identity = options.identity
    with ExitStack() as files:
        log = files.enter_context(open_log(options.log)) if options.log else None
        recorder = Recorder(options.record) if options.record else None
        malkovich = Malkovich() if options.malkovich else None
        engine = Engine(session, claim_stdout().write, Journal(log), recorder, malkovich)
        engine.run(read_lines(0))
    return 0


def open_log(path: Path) -> TextIO:
    """The record of all traffic, which goes on at its end. Raises OptionsError."""
    try:
        return path.open("a", encoding="utf-8")
    except OSError as error:
        raise OptionsError(f"cannot write the log: {error}") from None


def interpret_options(arguments: Sequence[str]) -> Options:
    """The options of a command line and of the file it names. Raises OptionsError."""
    parsed, unknown = _parser().parse_known_args(arguments)
    for word in unknown:
        known = [f"--{name}" for name in (*Options.model_fields, "config", "version", "help")]
        raise OptionsError(f"unknown option {word!r}: {suggest(word.partition('=')[0], known)}")
    said = {key: value for key, value in vars(parsed).items() if value is not None}
    settings = _read_config(said.pop("config")) if "config" in said else {}
    for key in REPEATABLE:
        settings[key] = settings.get(key, {}) | dict(map(interpret_pair, said.pop(key, [])))
    return read(Options, settings | said, "gtpbot")


def _read_config(path: str) -> dict[str, Any]:
    """The settings of an INI file: the section `gtpbot`, and those of the repeatable options."""
    from configparser import ConfigParser, Error

    parser = ConfigParser(interpolation=None)
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123 - named as the user did
            parser.read_file(file)
    except (OSError, Error, UnicodeDecodeError) as error:
        raise OptionsError(f"cannot read the configuration: {error}") from None
    sections = {name: dict(parser[name]) for name in parser.sections()}
    settings = {**sections.pop("gtpbot", {}), **sections}
    for key in REPEATABLE:
        if isinstance(settings.get(key), str):
            raise OptionsError(f"{path}: {key} {settings[key]!r}: expected a section [{key}]")
    return settings


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="gtpbot",
        usage="gtpbot [VERB] [OPTION...]",
        description="Plays Go, Connect Four, Tic Tac Toe and the coin game over GTP.",
        allow_abbrev=False,
    )
    for name, field in Options.model_fields.items():
        action = "append" if name in REPEATABLE else "store"
        parser.add_argument(
            f"--{name}", action=action, metavar=metavar(name), help=field.description
        )
    parser.add_argument("--config", metavar="FILE", help="an INI file with these options")
    parser.add_argument("--version", action="version", version=f"gtpbot {__version__}")
    return parser


class _Parser(argparse.ArgumentParser):
    """Ends the help with what the verbs, the games and the agents are."""

    def format_help(self) -> str:
        return "\n".join([super().format_help().rstrip(), *_appendix(), ""])


def _appendix() -> Iterable[str]:
    yield "\nverbs (gtpbot VERB --help tells more):"
    yield from (f"  {verb:<14} {what}" for verb, (_, what) in VERBS.items())
    yield "\noptions of the games (--option KEY=VALUE), with their defaults:"
    for name, game in GAMES.items():
        yield from _table(name, game.Options)
    yield "\nparameters of the agents (--param KEY=VALUE), with their defaults:"
    for name, agent in AGENTS.items():
        yield from _table(name, agent.Params)


def _table(name: str, model: type[BaseModel]) -> Iterable[str]:
    yield f"  {name}"
    for key, field in model.model_fields.items():
        yield f"    {key + '=' + shown(field.default):<24} {field.description}"
