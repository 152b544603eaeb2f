"""Analyze many positions at once, asked in KataGo's analysis protocol: one object of JSON a line.

This is how KaTrain and Ogatak talk to an engine. Queries are read from standard input, and answered
on standard output as soon as each position is done, so not in their order. At the end of the input
all that was asked is answered first, while somebody reads it. The other options are those of
`gtpbot gtp`; what clients tell KataGo of its own files is taken, and has no effect.
"""

import argparse
import json
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from games.base import Game
from gtpbot.analysis.server import AnalysisServer, keep
from gtpbot.gtp.command import interpret_options, open_log
from gtpbot.gtp.journal import Journal
from gtpbot.gtp.transport import Inbox, Outbox, claim_stdout, read_lines
from gtpbot.options import AgentChoice, Options, OptionsError, make_game
from gtpbot.text.stdout import Disconnected, UnwritableError
from gtpbot.verb_parser import VerbParser
from search.agent import Agent
from search.tree_agent import available_cores

KATAGOS = ("-config", "-model", "-human-model", "-override-config", "-analysis-threads")
"""Options of KataGo, each with a value, by which clients start whatever engine they are given."""
QUIT_WITHOUT_WAITING = "-quit-without-waiting"


def main(arguments: Sequence[str]) -> int:
    """Serve one client. Raises OptionsError, UnwritableError, and Disconnected once it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # so that Ctrl-C ends a native search too
    own, rest = _parser().parse_known_args(arguments)
    options = interpret_options(rest, ["positions"])
    if options.record:
        raise OptionsError(f"--record {options.record}: no game is played here")
    game = make_game(options.game, options.game_settings)
    crew = _crew(options, game)
    version = options.identity.partition("/")[2].strip()
    if own.positions is not None and own.positions < 1:
        raise OptionsError(f"--positions {own.positions}: expected 1 or more")
    with ExitStack() as files:
        record = files.enter_context(open_log(options.log)) if options.log else None
        journal = Journal(record)
        outbox = claim_stdout()
        server = AnalysisServer(
            game,
            crew,
            _writer(outbox, journal),
            own.positions or 2 * available_cores(),
            journal,
            version,
        )
        if ignored := [name for name in (*KATAGOS, QUIT_WITHOUT_WAITING) if _said(own, name)]:
            journal.complain(f"{', '.join(ignored)}: KataGo's own, without effect here")
        journal.complain(f"{version}, ready to begin handling requests")
        _serve(server, outbox)
    return 0


def _said(parsed: argparse.Namespace, name: str) -> bool:
    """True if an option of KataGo was given, in whatever spelling argparse takes."""
    return bool(getattr(parsed, name[1:].replace("-", "_")))


def _parser() -> VerbParser:
    parser = VerbParser("analysis", __doc__)
    parser.add_argument(
        "--positions", type=int, metavar="N", help="positions at once; by default two a core"
    )
    for name in KATAGOS:
        parser.add_argument(name, help=argparse.SUPPRESS)
    parser.add_argument(QUIT_WITHOUT_WAITING, action="store_true", help=argparse.SUPPRESS)
    return parser


def _crew(options: Options, game: Game) -> "Crew":
    """Agents with one thread each, unless more are asked for. Raises OptionsError at once."""
    usual = AgentChoice(options.agent, {"threads": "1"}).fitted(game).settings
    crew = Crew(AgentChoice(options.agent, {**usual, **options.agent_settings}))
    crew(game)
    return crew


def _serve(server: AnalysisServer, outbox: Outbox) -> None:
    try:
        for line in Inbox(read_lines(0)):  # read ahead: a client may ask all before it reads
            server.serve(line)
        server.finish(outbox.has_reader)
    except (Disconnected, UnwritableError):
        server.leave()
        raise


def _writer(outbox: Outbox, journal: Journal) -> Callable[[Mapping[str, Any]], None]:
    def write(said: Mapping[str, Any]) -> None:
        line = json.dumps(said, separators=(",", ":"))
        journal.answered(line)
        outbox.write(line + "\n")

    return write


class Crew:
    """Makes agents that are alike and share their nets, for any number of threads."""

    def __init__(self, choice: AgentChoice) -> None:
        """Agents of this choice."""
        self._choice = choice
        self._lock = threading.Lock()
        self._first: dict[object, Agent] = {}

    def __call__(self, game: Game) -> Agent:
        """An agent for a game. Raises OptionsError."""
        with self._lock:
            if game.spec not in self._first:
                keep(self._first, game.spec, self._choice.make(game, gathers=True))
            first = self._first[game.spec]
            return type(first)(first.params, first.nets)
