"""Who plays in a match: any GTP engine by its command line, or an agent of this program."""

import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from games.base import Game
from gtpbot.engines.child import EngineError
from gtpbot.engines.client import GtpClient
from gtpbot.engines.referee import set_up
from gtpbot.gtp.clock import TimeControl
from gtpbot.gtp.time_settings import parse_time_settings, written, written_left
from gtpbot.options import OptionsError, shown
from gtpbot.text.words import hint
from search.registry import AGENTS

STARTING = 300.0
"""Seconds that an engine has to load itself and answer the first question."""

_NAMED = re.compile(r"([\w.+@-]+)=(\S.*)", re.DOTALL)
_AGENT = re.compile(r"(\w[\w-]*)(?::(.*))?", re.DOTALL)


@dataclass(frozen=True)
class Engine:
    """An engine that plays in a match."""

    name: str
    text: str
    """As it was asked for."""
    command: tuple[str, ...]

    def start(self) -> GtpClient:
        """Its process. Raises EngineError."""
        client = GtpClient(self.command, timeout=STARTING)
        client.name = self.name
        return client


def read_engines(texts: Sequence[str], game: Game) -> list[Engine]:
    """Engines as the command line has them, with names of their own. Raises OptionsError.

    Each is `COMMAND` or an agent of this program as `AGENT` or `AGENT:KEY=VALUE,KEY=VALUE`, with
    `NAME=` before it where it shall be called otherwise.
    """
    if len(texts) < 2:
        raise OptionsError(f"{len(texts)} engines: expected two or more")
    engines = [_read(text, game) for text in texts]
    names = _distinct([engine.name for engine in engines])
    return [replace(engine, name=name) for name, engine in zip(names, engines, strict=True)]


def _read(text: str, game: Game) -> Engine:
    named = _NAMED.fullmatch(text)
    name, what = named.groups() if named else ("", text)
    agent = _AGENT.fullmatch(what)
    if agent and agent[1] in AGENTS:
        return Engine(name or what, what, tuple(agent_command(game, agent[1], agent[2] or "")))
    try:
        words = tuple(shlex.split(what))
    except ValueError as error:
        raise OptionsError(f"engine {text!r}: {error}") from None
    if not words:
        raise OptionsError(f"engine {text!r}: expected a command or an agent")
    _check_program(text, words[0])
    return Engine(name or Path(words[0]).name, what, words)


def _check_program(text: str, program: str) -> None:
    """Raise OptionsError where a program is not there, and rather an agent was meant."""
    if Path(program).name != program or shutil.which(program):
        return
    agent = program.partition(":")[0]
    if agent in AGENTS:
        expected = f"an agent's parameters follow a colon, as in {agent}:KEY=VALUE,KEY=VALUE"
    else:
        expected = hint(agent, AGENTS)
    if expected:  # else it is told when the program is started
        raise OptionsError(f"engine {text!r}: there is no program {program!r}: {expected}")


def agent_command(game: Game, agent: str, settings: str) -> Iterator[str]:
    """The words that start an agent of this program as an engine of its own.

    It allows for no lag, as a match has a margin for that: with half a second a move it would think
    for a quarter, and seem weaker than it is. `settings` are its parameters as
    `KEY=VALUE,KEY=VALUE`. Raises OptionsError.
    """
    yield from (sys.executable, "-m", "gtpbot", "--game", game.spec.name, "--agent", agent)
    yield from ("--lag", "0")
    for key, value in game.options:
        yield from ("--option", f"{key}={shown(value)}")
    for pair in filter(None, settings.split(",")):
        if "=" not in pair:
            raise OptionsError(f"agent {agent}: setting {pair!r}: expected KEY=VALUE")
        yield from ("--param", pair)


def _distinct(names: Sequence[str]) -> list[str]:
    """The names, numbered where one is there twice, but none as another is called."""
    taken, distinct = set(names), []
    for name in names:
        if names.count(name) > 1:
            name = next(new for n in count(1) if (new := f"{name}#{n}") not in taken)
            taken.add(name)
        distinct.append(name)
    return distinct


def check(engine: Engine, game: Game, control: TimeControl | None) -> Iterator[str]:
    """Start an engine and set it up once; yields what a user should know of it.

    Raises OptionsError if it cannot play at all, so that nobody loses a match by a misprint.
    """
    try:
        with engine.start() as client:
            set_up(client, game, control)
            known = client.commands
            if control and "time_left" in known:
                client.ask(written_left("black", control.start(), written(control, known)))
    except EngineError as error:
        raise OptionsError(f"engine {engine.name} cannot play: {error}") from None
    if control:
        told = written(control, known)
        command = told.partition(" ")[0]
        if command not in known:
            yield f"{engine.name} knows no {command}: it is not told of its clock"
        elif command == "time_settings" and parse_time_settings(told.split()[1:]) != control:
            yield f"{engine.name} does not know this time control: it is told {told}"
