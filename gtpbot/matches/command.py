"""Let GTP engines play each other, and say how sure the outcome is: `gtpbot match`.

An engine is a command line, or an agent of this program such as rave:playouts=1000; NAME= before it
names it. Every opening is played twice, with both colours. Finished games are kept in a file, one
line of JSON each: the same command again goes on where it was ended, and --games may be raised.
docs/matches.md tells more.
"""

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from games.base import Game
from games.registry import GAMES
from gtpbot.client import EngineError
from gtpbot.clock import TimeControl
from gtpbot.matches.engines import check, read_engines
from gtpbot.matches.openings import Openings, read_openings
from gtpbot.matches.report import summary, told
from gtpbot.matches.runner import Match, play
from gtpbot.matches.schedule import Schedule
from gtpbot.matches.scorers import SCORERS, Referee, scorer_of
from gtpbot.matches.sprt import Sprt
from gtpbot.matches.standings import Standings, read, record_of, written
from gtpbot.options import OptionsError, make_game, shown
from gtpbot.referee import Terms
from gtpbot.results import ResultsFile, ResultsFileError
from gtpbot.time_settings import TimeSettingsError, parse_kind


@dataclass(frozen=True)
class Plan:
    """All that a command line asks for."""

    match: Match
    schedule: Schedule
    results: ResultsFile
    games: int
    """Of each pairing."""
    parallel: int
    sprt: Sprt | None

    @property
    def names(self) -> list[str]:
        """Of the engines."""
        return [engine.name for engine in self.match.engines]

    @property
    def standings(self) -> Standings:
        """How the match stands."""
        return Standings(self.names, map(read, self.results.records.values()))

    @property
    def is_decided(self) -> bool:
        """True if the test needs no more games."""
        if not self.sprt:
            return False
        return self.sprt.verdict(self.standings.between(*self.names[:2]).pairs) is not None


def main(arguments: Sequence[str]) -> int:
    """Play what is missing; the exit status."""
    options = _parser().parse_args(arguments)
    referee = Referee(options.referee) if options.referee else None
    try:
        plan = _plan(options, referee)
        return run(plan)
    except (ResultsFileError, TimeSettingsError, OSError) as error:
        raise OptionsError(str(error)) from None
    finally:
        if referee:
            referee.close()


def run(plan: Plan) -> int:
    """Play the games that are missing and print the standings; the exit status."""
    done = plan.results.records
    missing = [f for f in plan.schedule.fixtures(plan.games) if f.number not in done]
    status = 0
    if missing and not plan.is_decided:
        for engine in plan.match.engines:
            for note in check(engine, plan.match.terms.game, plan.match.terms.control):
                print(note, file=sys.stderr)
        status = _play(plan, missing)
    print(summary(plan.standings, plan.sprt))
    return status


def _play(plan: Plan, missing: Sequence[Any]) -> int:
    with closing(play(plan.match, missing, plan.parallel)) as games:
        try:
            for fixture, result in games:
                record = record_of(fixture, plan.names, result)
                plan.results.add(written(record))
                print(told(record), file=sys.stderr, flush=True)
                if plan.is_decided:
                    break
        except KeyboardInterrupt:
            print("interrupted; the same command goes on from here", file=sys.stderr)
            return 130
        except EngineError as error:
            print(f"gtpbot match: the referee failed: {error}", file=sys.stderr)
            return 1
    return 0


def _plan(options: argparse.Namespace, referee: Referee | None) -> Plan:
    game = _game(options)
    engines = read_engines(options.engines, game)
    listed = read_openings(options.openings, game) if options.openings else ((),)
    openings = Openings(game, listed, options.random_moves, options.seed)
    scorer = referee or scorer_of(game, options.score)
    control = _control(options)
    terms = Terms(game, scorer, control, options.margin, options.patience, options.move_limit)
    settings = {
        "game": game.spec.name,
        **{key: shown(value) for key, value in game.options},
        "engines": {engine.name: engine.text for engine in engines},
        "tournament": options.tournament,
        "openings": sha256(repr(listed).encode()).hexdigest()[:16],
        "random_moves": options.random_moves,
        "seed": options.seed,
        "time": str(control),
        "margin": options.margin,
        "patience": options.patience,
        "scored by": options.referee or options.score,
        "move limit": terms.most_moves,
    }
    if options.sprt and len(engines) != 2:
        raise OptionsError(f"--sprt with {len(engines)} engines: expected two")
    return Plan(
        match=Match(engines, terms, openings, options.fresh),
        schedule=Schedule(len(engines), options.tournament),
        results=ResultsFile(options.out, settings),
        games=options.games,
        parallel=options.parallel,
        sprt=_sprt(options),
    )


def _sprt(options: argparse.Namespace) -> Sprt | None:
    if not options.sprt:
        return None
    elo0, elo1 = options.sprt
    return Sprt(elo0, elo1, options.alpha, options.beta)


def _game(options: argparse.Namespace) -> Game:
    named = {key: getattr(options, key) for key in ("size", "komi", "rules")}
    settings = {key: value for key, value in named.items() if value is not None}
    for pair in options.option:
        key, equals, value = pair.partition("=")
        if not equals:
            raise OptionsError(f"--option {pair!r}: expected KEY=VALUE")
        settings[key] = value
    return make_game(options.game, settings)


def _control(options: argparse.Namespace) -> TimeControl | None:
    if options.seconds:
        return parse_kind(["canadian", "0", options.seconds, "1"])
    return parse_kind(options.time.split()) if options.time else None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gtpbot match", description=__doc__, allow_abbrev=False)
    add = parser.add_argument
    add("engines", nargs="+", metavar="ENGINE", help="a command line, or an agent as AGENT or "
        "AGENT:KEY=VALUE,KEY=VALUE; NAME= before it names it")  # fmt: skip
    add("--game", default="go", metavar="NAME", help=f"one of {', '.join(GAMES)} (go)")
    add("--size", metavar="N", help="Go: points a side (19)")
    add("--komi", metavar="K", help="Go: in halves; by default that of the rules")
    add("--rules", metavar="PRESET", help="Go: by which is played and scored (chinese)")
    add("--option", action="append", default=[], metavar="KEY=VALUE", help="of the game")
    add("--games", type=int, default=100, metavar="N", help="of each pairing (100)")
    add("--parallel", type=int, default=1, metavar="N", help="games at a time (1)")
    add("--tournament", choices=("round-robin", "gauntlet"), default="round-robin", help="who "
        "plays whom: everybody everybody, or the first engine all others")  # fmt: skip
    add("--openings", type=Path, metavar="FILE", help="one opening a line, or a folder of SGF")
    add("--random-moves", type=int, default=0, metavar="N", help="random moves after these (0)")
    add("--seed", type=int, default=1, metavar="N", help="of the random moves (1)")
    add("--seconds", metavar="S", help="the time of each move, which the engines are told")
    add("--time", metavar="CONTROL", help='a clock, as "absolute MAIN", "fischer MAIN INCREMENT", '
        '"byoyomi MAIN PERIOD PERIODS" or "canadian MAIN PERIOD STONES"')  # fmt: skip
    add("--margin", type=float, default=0.5, metavar="S", help="by which a clock may be "
        "overstepped (0.5)")  # fmt: skip
    add("--patience", type=float, default=300.0, metavar="S", help="for a move without a clock, "
        "before the engine is taken for hung and loses (300)")  # fmt: skip
    add("--score", choices=tuple(SCORERS), help="Go: who says what is dead; by default count where "
        "the rules say that all stones count, else engines")  # fmt: skip
    add("--referee", metavar="CMD", help="Go: an engine that scores the games instead")
    add("--move-limit", type=int, metavar="N", help="after which a game is scored as it stands "
        "(three times the points)")  # fmt: skip
    add("--sprt", type=float, nargs=2, metavar=("ELO0", "ELO1"), help="stop as soon as it is "
        "decided which of these the first engine is stronger by")  # fmt: skip
    add("--alpha", type=float, default=0.05, help="of the test (0.05)")
    add("--beta", type=float, default=0.05, help="of the test (0.05)")
    add("--fresh", action="store_true", help="start the engines anew for every game")
    add("--out", type=Path, default=Path("match.jsonl"), metavar="FILE", help="of finished games "
        "(match.jsonl)")  # fmt: skip
    return parser
