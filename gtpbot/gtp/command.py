"""The verb `gtp`, and its options, which others share: from a command line to a running engine."""

import signal
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

from pydantic import BaseModel

from games.registry import GAMES
from gtpbot import __version__
from gtpbot.choosing import REPEATABLE, add_options, interpret_pair
from gtpbot.cli import VERBS
from gtpbot.gtp.engine import Engine
from gtpbot.gtp.journal import Journal
from gtpbot.gtp.malkovich import Malkovich
from gtpbot.gtp.recorder import Recorder
from gtpbot.gtp.session import Session
from gtpbot.gtp.transport import claim_stdout, read_lines
from gtpbot.options import AgentChoice, Options, OptionsError, make_game, read, shown
from gtpbot.text.words import suggest
from gtpbot.verb_parser import VerbParser, unknown_option
from search.registry import AGENTS

SWITCH_INTERVAL = 0.0005
"""Seconds that a thread which tells of a search may keep others from asking a net.

Python's own 5 ms cost the search a tenth of its speed."""


def speak_gtp(arguments: Sequence[str]) -> int:
    """Serve one controller. Raises OptionsError, and Disconnected if there is none."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # so that Ctrl-C ends a native search too
    sys.setswitchinterval(SWITCH_INTERVAL)
    options = interpret_options(arguments)
    choice = AgentChoice(options.agent, options.agent_settings)
    session = Session(make_game(options.game, options.game_settings), choice, options.lag)
    session.identity = options.identity
    answers = claim_stdout()  # before any file, which would take its place where it is closed
    with ExitStack() as files:
        log = files.enter_context(open_log(options.log)) if options.log else None
        recorder = Recorder(options.record) if options.record else None
        malkovich = Malkovich() if options.malkovich else None
        engine = Engine(session, answers.write, Journal(log), recorder, malkovich)
        session.get_ready()
        engine.run(read_lines(0))
    return 0


def open_log(path: Path) -> TextIO:
    """The record of all traffic, which goes on at its end. Raises OptionsError."""
    try:
        # Lines that are not UTF-8 are repeated in some answers.
        return path.open("a", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise OptionsError(f"cannot write the log: {error}") from None


def interpret_options(arguments: Sequence[str], others: Sequence[str] = ()) -> Options:
    """The options of a command line and of the file it names. Raises OptionsError.

    `others` are options that were read before, and may be meant by a misprint.
    """
    parsed, unknown = _parser().parse_known_args(arguments)
    for word in unknown:
        if word in VERBS:
            raise OptionsError(
                f"{word!r} after options: expected the verb first, gtpbot {word} ..."
            )
        names = (*Options.model_fields, *others, "config", "version", "help")
        known = [f"--{name}" for name in names]
        raise OptionsError(unknown_option(word, known, f"expected one of {', '.join(known)}"))
    said = {key: value for key, value in vars(parsed).items() if value is not None}
    settings = _read_config(said.pop("config")) if "config" in said else {}
    for key in REPEATABLE:
        in_file = {name: text for name, text in settings.get(key, {}).items() if name not in said}
        settings[key] = in_file | dict(map(interpret_pair, said.pop(key, [])))
    return read(Options, settings | said, "gtpbot")


def _read_config(path: str) -> dict[str, Any]:
    """The settings of an INI file: the section `gtpbot`, and those of the repeatable options."""
    from configparser import ConfigParser, Error

    parser = ConfigParser(interpolation=None)
    try:
        with open(path, encoding="utf-8-sig") as file:  # noqa: PTH123 - named as the user did
            parser.read_file(file)
    except (OSError, Error, UnicodeDecodeError) as error:
        raise OptionsError(f"cannot read the configuration: {error}") from None
    sections = {name: dict(parser[name]) for name in parser.sections()}
    settings = {**sections.pop("gtpbot", {}), **sections}
    for name in sections:
        if name not in REPEATABLE:
            hint = suggest(name, ["gtpbot", *REPEATABLE])
            raise OptionsError(f"{path}: section [{name}]: {hint}")
    for key in REPEATABLE:
        if isinstance(settings.get(key), str):
            raise OptionsError(f"{path}: {key} {settings[key]!r}: expected a section [{key}]")
    return settings


def _parser() -> VerbParser:
    description = "Plays Go, Connect Four, Tic Tac Toe and the coin game over GTP."
    parser = VerbParser("gtp", description, _appendix, usage="gtpbot [VERB] [OPTION...]")
    add_options(parser, tuple(Options.model_fields))
    parser.add_argument("--config", metavar="FILE", help="an INI file with these options")
    parser.add_argument("--version", action="version", version=f"gtpbot {__version__}")
    return parser


def _appendix() -> Iterable[str]:
    """What the verbs, the games and the agents are."""
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
