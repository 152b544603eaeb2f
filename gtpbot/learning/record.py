"""Let two GTP engines play Go, and keep the games as SGF files: `gtpbot record`.

The first engine has Black in the first game, then the colours alternate. This program judges. Each
game has engines of its own and a file of its own; those that are there already are not played
again, so a killed run goes on; in a folder with numbered games of something else it does not begin.
A game in which an engine fails is not kept. `gtpbot train go --from DIR` learns from them.
"""

import argparse
import random
import sys
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from games.base import Player
from games.begun_folders import FolderError, begun
from games.go import Go
from games.position import Position, play_at_random
from games.whole_files import write_whole
from gtpbot.choosing import RULES_OPTIONS, read_options
from gtpbot.engines.child import EngineError
from gtpbot.engines.client import GtpClient
from gtpbot.engines.referee import GameResult, Terms, play_game, set_up
from gtpbot.matches.engines import STARTING
from gtpbot.matches.scorers import by_rules
from gtpbot.matches.sgf_files import check_begun, games_in, path_of, sgf_of
from gtpbot.measure.series import derived
from gtpbot.options import OptionsError, make_game, shown
from gtpbot.text.terminal import Bar
from gtpbot.verb_parser import VerbParser, check_above, check_least
from nets.threads import in_threads

ANOTHER_FOLDER = "give another --out folder"
"""What to do if the one for the games is of something else."""


@dataclass(frozen=True)
class Series:
    """What the games have in common."""

    engines: tuple[str, str]
    """Their commands; the first has Black in games with even numbers."""
    game: Go
    opening: int
    """The most random moves that a game begins with."""
    seed: int
    patience: float
    """Seconds a move, after which an engine is taken for hung."""


def record(series: Series, number: int, path: Path) -> GameResult:
    """Play a game and write its file, whole or not at all. Raises EngineError."""
    commands = series.engines if number % 2 == 0 else series.engines[::-1]
    terms = Terms(series.game, by_rules, patience=series.patience)
    with (
        GtpClient(commands[0], timeout=STARTING) as black,
        GtpClient(commands[1], timeout=STARTING) as white,
    ):
        names = black.ask("name"), white.ask("name")
        engines = {Player.BLACK: black, Player.WHITE: white}
        result = play_game(engines, terms, opening(series, number))
    if result.at_fault is not None:
        raise EngineError(result.reason)
    write_whole(path, sgf_of(series.game, result.moves, names, result.result))
    return result


def opening(series: Series, number: int) -> tuple[int, ...]:
    """Up to so many random moves that a game begins with, none of them a pass."""
    rng = random.Random(derived(series.seed, "opening", number))
    position = Position(series.game)
    play_at_random(position, rng.randint(0, series.opening), rng)
    return position.actions


def run(
    series: Series, missing: Sequence[int], folder: Path, jobs: int
) -> Generator[str, None, None]:
    """Play the games of these numbers, `jobs` at a time; yields how each ended."""
    return in_threads(lambda number: _outcome(series, number, folder), missing, jobs)


def _outcome(series: Series, number: int, folder: Path) -> str:
    try:
        return record(series, number, path_of(folder, number)).result
    except EngineError as error:
        return f"game {number} not played: {error}"


def main(arguments: Sequence[str]) -> int:
    """Play what is missing; the exit status, 1 if a game could not be played."""
    options = _parser().read(arguments)
    check_least(options, {"games": 1, "opening": 0, "jobs": 1})
    check_above(options, {"seconds_per_move": 0})
    series = _series(options)
    folder: Path = options.out
    try:
        check_begun(folder, ANOTHER_FOLDER)
        missing = [n for n in range(options.games) if not path_of(folder, n).exists()]
        if missing:
            _check_engines(series)
        failures, played = 0, run(series, missing, folder, options.jobs)
        with (
            begun(folder, _settings(series), {}, ANOTHER_FOLDER),
            Bar("games", len(missing)) as bar,
            closing(played) as games,
        ):
            for done, how in enumerate(games, 1):
                if how.startswith("game"):
                    failures += 1
                    bar.say(how)  # whatever comes after it, for it is why the exit status is 1
                    how = "not played"
                bar.tell(done, f"the last one {how}")
    except (OSError, FolderError) as error:
        raise OptionsError(f"cannot record: {error}") from None
    print(f"games: {len(games_in(folder))} in {folder}", file=sys.stderr)
    return int(failures > 0)


def _series(options: argparse.Namespace) -> Series:
    game = make_game("go", read_options(options, ("size", *RULES_OPTIONS)).game_settings)
    assert isinstance(game, Go)
    return Series(
        (options.a, options.b), game, options.opening, options.seed, options.seconds_per_move
    )


def _check_engines(series: Series) -> None:
    """Start each engine once, so that a misprint begins no folder. Raises OptionsError."""
    for command in dict.fromkeys(series.engines):
        try:
            with GtpClient(command, timeout=STARTING) as client:
                set_up(client, series.game)
        except EngineError as error:
            raise OptionsError(f"engine {command!r} cannot play: {error}") from None


def _settings(series: Series) -> dict[str, Any]:
    """What the games of a folder have in common."""
    return {
        "engines": list(series.engines),
        **{key: shown(value) for key, value in series.game.options},
        "opening": series.opening,
        "seed": series.seed,
    }


def _parser() -> VerbParser:
    parser = VerbParser("record", __doc__)
    add = parser.add_argument
    add("--a", required=True, metavar="CMD", help="one engine, as a shell would start it")
    add("--b", required=True, metavar="CMD", help="the other")
    add("--out", type=Path, required=True, metavar="DIR", help="the folder of the games")
    add("--games", type=int, default=100, metavar="N", help="how many in all (100)")
    add("--size", default="9", metavar="N", help="points a side (9)")
    add("--komi", metavar="K", help="in halves; by default that of the rules")
    add("--rules", default="tromp-taylor", metavar="PRESET", help="by which games are judged and "
        "scored (tromp-taylor)")  # fmt: skip
    add("--opening", type=int, default=4, metavar="N", help="the most random moves a game begins "
        "with (4)")  # fmt: skip
    add("--seed", type=int, default=1, metavar="N", help="of the random moves (1)")
    add("--jobs", type=int, default=1, metavar="N", help="games at a time (1)")
    add("--seconds-per-move", type=float, default=300.0, metavar="S", help="before an engine is "
        "taken for hung (300)")  # fmt: skip
    return parser
