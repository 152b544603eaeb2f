"""The verb `gtpbot match`; start reading here, then `plan`, `runner`, `engines/referee`."""

import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from games.begun_folders import FolderError, begin
from games.errors import GameOverError, IllegalMoveError, InvalidMoveError
from games.whole_files import write_whole
from gtpbot.engines.child import EngineError
from gtpbot.matches.display import Display
from gtpbot.matches.engines import check
from gtpbot.matches.plan import Plan, parser, read_plan
from gtpbot.matches.plot import draw
from gtpbot.matches.report import ended, summary
from gtpbot.matches.runner import play
from gtpbot.matches.scorers import Referee
from gtpbot.matches.sgf_files import check_begun, path_of, sgf_of
from gtpbot.matches.standings import Record, record_of
from gtpbot.options import OptionsError
from gtpbot.report.pictures import UNDATED
from gtpbot.text.stdout import tell
from gtpbot.verb_parser import check_place

INTERRUPTED = 130
"""The exit status after Ctrl-C."""
ANOTHER_FOLDER = "give another --sgf folder"
"""What to do if the one for SGF files is of something else."""


def main(arguments: Sequence[str]) -> int:
    """Play what is missing; the exit status. Raises OptionsError, and what `tell` does."""
    options = parser().read(arguments)
    check_place("--plot", options.plot)
    if options.plot and options.plot.suffix.lower() not in UNDATED:
        raise OptionsError(
            f"--plot {str(options.plot)!r}: expected a name with {' or '.join(UNDATED)}"
        )
    referee = Referee(options.referee) if options.referee else None
    try:
        return run(read_plan(options, referee))
    except FolderError as error:
        raise OptionsError(str(error)) from None
    except OSError as error:
        raise OptionsError(f"cannot keep the games: {error}") from None
    finally:
        if referee:
            referee.close()


def run(plan: Plan) -> int:
    """Play the games that are missing and print the standings; the exit status."""
    if plan.sgf:
        check_begun(plan.sgf, ANOTHER_FOLDER)
    goes_on = bool(plan.missing) and not plan.is_decided
    if goes_on:
        _check(plan)  # before a folder is begun: a misprint is not to be held against the right one
    if plan.sgf:
        players = {"players": ", ".join(plan.names)}
        begin(plan.sgf, plan.results.settings, players, ANOTHER_FOLDER)
    for record in plan.standings.records:
        if plan.sgf and not path_of(plan.sgf, record.game).exists():
            _save(plan, record)
    status = 0
    if goes_on:
        with plan.results.claimed():
            status = _play(plan)
    tell(summary(plan.standings, plan.sprt))
    if plan.plot and plan.standings.records:
        _draw(plan, plan.plot)
    return status


def _draw(plan: Plan, path: Path) -> None:
    try:
        draw(plan.standings, plan.sprt, path)
    except OSError as error:
        raise OptionsError(f"cannot draw the match: {error}") from None


def _check(plan: Plan) -> None:
    terms = plan.match.terms
    if isinstance(terms.scorer, Referee):
        terms.scorer.check(terms.game)
    for engine in plan.match.engines:
        for note in check(engine, terms.game, terms.control):
            print(f"gtpbot match: {note}", file=sys.stderr)


def _play(plan: Plan) -> int:
    display = Display(sys.stderr, plan.sprt, len(plan.missing))
    try:
        with closing(play(plan.match, plan.missing, plan.parallel)) as games:
            for fixture, result in games:
                record = record_of(fixture, plan.names, result)
                plan.add(record)
                _save(plan, record)
                display.tell(record, plan.standings)
                if plan.is_decided:
                    break
    except KeyboardInterrupt:
        display.clear()
        print("gtpbot match: interrupted; the same command goes on from here", file=sys.stderr)
        return INTERRUPTED
    except EngineError as error:
        display.clear()
        print(f"gtpbot match: the referee failed: {error}", file=sys.stderr)
        return 1
    display.clear()
    return 0


def _save(plan: Plan, record: Record) -> None:
    """Write the SGF file of a game, if they are wanted; one that is there is of another match."""
    if not plan.sgf:
        return
    path, names = path_of(plan.sgf, record.game), (record.black, record.white)
    moves = record.moves.split()
    try:
        text = sgf_of(plan.match.terms.game, moves, names, record.result, ended(record))
    except (InvalidMoveError, IllegalMoveError, GameOverError) as error:
        raise OptionsError(f"game {record.game}, as it was kept: {error}") from None
    write_whole(path, text)
