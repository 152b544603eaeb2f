"""What a command line asks for: who plays whom on which terms, and what was played already."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from games.base import Game
from games.go import Go
from games.registry import GAMES
from gtpbot.choosing import GAME_OPTIONS, add_options, read_options
from gtpbot.engines.referee import Scorer, Terms
from gtpbot.gtp.clock import TimeControl
from gtpbot.gtp.time_settings import TimeSettingsError, parse_kind
from gtpbot.matches.engines import Engine, read_engines
from gtpbot.matches.openings import Openings, read_openings
from gtpbot.matches.runner import Match
from gtpbot.matches.schedule import Fixture, Schedule
from gtpbot.matches.scorers import SCORERS, Referee, scorer_of
from gtpbot.matches.sprt import Sprt
from gtpbot.matches.standings import Record, Standings, check_fixture
from gtpbot.measure.results import ResultsFile
from gtpbot.options import OptionsError, make_game, shown
from gtpbot.verb_parser import VerbParser, check_above, check_least

DESCRIPTION = """Let GTP engines play each other, and say how sure the outcome is.

An engine is a command line, or an agent of this program such as rave:playouts=1000; NAME= before it
names it. Every opening is played twice, with both colours. Finished games are kept in a file, one
line of JSON each: the same command again goes on where it was ended, and --games may be raised.
docs/matches.md tells more."""

MOST_ELO = 2000
"""To who is stronger by more, each single game is a foregone conclusion."""


@dataclass(frozen=True)
class Plan:
    """A match, and how far it has come."""

    match: Match
    missing: Sequence[Fixture]
    """The games to play."""
    parallel: int
    """Games at a time."""
    results: ResultsFile
    standings: Standings
    sprt: Sprt | None
    sgf: Path | None
    """The folder of SGF files."""
    plot: Path | None
    """The picture."""

    @property
    def names(self) -> Sequence[str]:
        """Of the engines."""
        return self.standings.names

    @property
    def is_decided(self) -> bool:
        """True if the test needs no more games."""
        if not self.sprt:
            return False
        return self.sprt.verdict(self.standings.between(*self.names).pairs) is not None

    def add(self, record: Record) -> None:
        """Keep a finished game. Raises OSError."""
        self.results.add(asdict(record))
        self.standings.add(record)


def read_plan(options: argparse.Namespace, referee: Referee | None) -> Plan:
    """The plan of a command line read by `parser`. Raises OptionsError."""
    _check_numbers(options)
    try:
        match = _match(options, referee)
        results = ResultsFile(options.out, _settings(options, match))
    except (TimeSettingsError, OSError) as error:
        raise OptionsError(str(error)) from None
    engines = match.engines
    schedule = Schedule(len(engines), options.tournament)
    fixtures = schedule.fixtures(options.games)
    names = [engine.name for engine in engines]

    def check(record: Record) -> None:
        check_fixture(record, schedule.fixture(record.game), names)

    return Plan(
        match=match,
        missing=[fixture for fixture in fixtures if fixture.number not in results.records],
        parallel=options.parallel,
        results=results,
        standings=Standings(names, results.games(_RECORD, check)),
        sprt=_sprt(options, engines),
        sgf=options.sgf,
        plot=options.plot,
    )


def _match(options: argparse.Namespace, referee: Referee | None) -> Match:
    game = make_game(options.game, read_options(options, GAME_OPTIONS).game_settings)
    listed = read_openings(options.openings, game) if options.openings else ((),)
    return Match(
        engines=read_engines(options.engines, game),
        terms=Terms(
            game=game,
            scorer=_scorer(options, game, referee),
            control=_control(options),
            margin=options.margin,
            patience=options.patience,
            move_limit=options.move_limit,
        ),
        openings=Openings(game, listed, options.random_moves, options.seed),
        fresh=options.fresh,
    )


_RECORD = TypeAdapter(Record)


def _settings(options: argparse.Namespace, match: Match) -> Mapping[str, Any]:
    """What must not change while a match is played."""
    game = match.terms.game
    return {
        "game": game.spec.name,
        **{key: shown(value) for key, value in game.options},
        "engines": {engine.name: engine.text for engine in match.engines},
        "tournament": options.tournament,
        "openings": sha256(repr(match.openings.listed).encode()).hexdigest()[:16],
        "random_moves": options.random_moves,
        "seed": options.seed,
        "time": str(match.terms.control),
        "margin": options.margin,
        "patience": options.patience,
        "score": options.referee or options.score,
        "move_limit": match.terms.most_moves,
    }


def _scorer(options: argparse.Namespace, game: Game, referee: Referee | None) -> Scorer:
    if not referee:
        return scorer_of(game, options.score)
    if options.score:
        raise OptionsError(f"--referee with --score {options.score}: expected one of them")
    if not isinstance(game, Go):
        raise OptionsError("--referee: only games of Go are scored")
    return referee


def _control(options: argparse.Namespace) -> TimeControl | None:
    if options.seconds and options.time:
        raise OptionsError(
            f"--seconds {options.seconds} with --time {options.time!r}: expected one of them"
        )
    if options.seconds:
        control = parse_kind(["canadian", "0", options.seconds, "1"])
        if control is None:  # to clients no time means no clock
            raise OptionsError(f"--seconds {options.seconds}: expected more than 0")
        return control
    return parse_kind(options.time.split()) if options.time else None


def _sprt(options: argparse.Namespace, engines: Sequence[Engine]) -> Sprt | None:
    if not options.sprt:
        return None
    if len(engines) != 2:
        raise OptionsError(f"--sprt with {len(engines)} engines: expected two")
    elo0, elo1 = options.sprt
    if not elo0 < elo1:
        raise OptionsError(f"--sprt {elo0:g} {elo1:g}: expected the lower Elo first")
    if not -MOST_ELO <= elo0 < elo1 <= MOST_ELO:
        raise OptionsError(f"--sprt {elo0:g} {elo1:g}: expected Elo from -{MOST_ELO} to {MOST_ELO}")
    return Sprt(elo0, elo1, options.alpha, options.beta)


def _check_numbers(options: argparse.Namespace) -> None:
    """Raise OptionsError for a number that is out of its bounds."""
    least = {"games": 1, "parallel": 1, "random_moves": 0, "margin": 0, "move_limit": 1}
    check_least(options, least)
    check_above(options, {"patience": 0})
    for name in ("alpha", "beta"):
        chance = getattr(options, name)
        if not 0 < chance < 0.5:
            raise OptionsError(f"--{name} {chance:g}: expected more than 0 and less than 0.5")


def parser() -> VerbParser:
    """Of the command line."""
    parser = VerbParser(
        "match",
        DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("engines", nargs="+", metavar="ENGINE", help="a command line, or an agent "
        "as AGENT or AGENT:KEY=VALUE,KEY=VALUE; NAME= before it names it")  # fmt: skip
    _add_games(parser)
    _add_terms(parser)
    _add_results(parser)
    return parser


def _add_games(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("which games")
    add = group.add_argument
    add("--game", default="go", metavar="NAME", help=f"one of {', '.join(GAMES)} (go)")
    add_options(group, GAME_OPTIONS)
    add("--games", type=int, default=100, metavar="N", help="of each pairing (100)")
    add("--parallel", type=int, default=1, metavar="N", help="games at a time (1)")
    add("--tournament", choices=("round-robin", "gauntlet"), default="round-robin", help="who "
        "plays whom: everybody everybody, or the first engine all others")  # fmt: skip
    add(
        "--openings", type=Path, metavar="FILE", help="one opening a line, or a folder of SGF files"
    )
    add("--random-moves", type=int, default=0, metavar="N", help="random moves after these (0)")
    add("--seed", type=int, default=1, metavar="N", help="of the random moves (1)")
    add("--sprt", type=float, nargs=2, metavar=("ELO0", "ELO1"), help="stop as soon as it is "
        "decided which of these the first engine is stronger by")  # fmt: skip
    add("--alpha", type=float, default=0.05, metavar="P", help="of the test (0.05)")
    add("--beta", type=float, default=0.05, metavar="P", help="of the test (0.05)")


def _add_terms(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("how they are played").add_argument
    add("--seconds", metavar="S", help="the time of each move, which the engines are told")
    add("--time", metavar="CONTROL", help='a clock: "absolute MAIN", "fischer MAIN INCREMENT", '
        '"byoyomi MAIN PERIOD PERIODS" or "canadian MAIN PERIOD STONES"')  # fmt: skip
    add("--margin", type=float, default=0.5, metavar="S", help="by which a clock may be "
        "overstepped (0.5)")  # fmt: skip
    add("--patience", type=float, default=300.0, metavar="S", help="for a move without "
        "a clock, before the engine is taken for hung and loses (300)")  # fmt: skip
    add("--score", choices=tuple(SCORERS), help="Go: who says what is dead; by default count where "
        "the rules say that all stones count, else engines")  # fmt: skip
    add("--referee", metavar="CMD", help="Go: an engine that scores the games instead")
    add("--move-limit", type=int, metavar="N", help="after which a game is scored as it stands "
        "(three times the points)")  # fmt: skip
    add("--fresh", action="store_true", help="start the engines anew for every game")


def _add_results(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("what is kept").add_argument
    add("--out", type=Path, default=Path("match.jsonl"), metavar="FILE", help="finished games "
        "(match.jsonl)")  # fmt: skip
    add("--sgf", type=Path, metavar="DIR", help="an SGF file of each game")
    add("--plot", type=Path, metavar="FILE", help="a PNG or SVG of how the match went")
