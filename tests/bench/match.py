"""Play a match of Go between two GTP engines and say how sure the score is.

    python tests/bench/match.py --games 100 --size 9 --komi 7.5 --jobs 2 --out results.jsonl \\
        --a 'bin/gtpbot --agent rave --playouts 10000 --rules chinese' \\
        --b 'gnugo --mode gtp --level 10 --chinese-rules' \\
        --referee 'gnugo --mode gtp --chinese-rules'

A has Black in the first game, then the colours alternate. Each game has engines of its own. The
file gets one line of JSON for each finished game; run the same command again, and only the games
that are missing are played.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gtpbot.client import EngineError, GtpClient
from gtpbot.referee import GameResult, play_game
from gtpbot.results import ResultsFile, ResultsFileError, wilson


@dataclass(frozen=True)
class Settings:
    """What every game of a match has in common; written beside each game."""

    a: str
    b: str
    referee: str
    size: int
    komi: float
    move_limit: int
    seconds_per_move: float


def summary(records: Sequence[dict[str, Any]]) -> str:
    """The score of A so far, on one line."""
    counted = [record for record in records if "error" not in record]
    won = [record for record in counted if record["winner"] == "a"]
    drawn = sum(record["winner"] is None for record in counted)
    score = len(won) + drawn / 2
    low, high = wilson(score, len(counted))
    colors = Counter(record["a_color"] for record in counted)
    wins = Counter(record["a_color"] for record in won)
    return (
        f"A won {len(won)} of {len(counted)} ({wins['black']} of {colors['black']} as Black, "
        f"{wins['white']} of {colors['white']} as White), {drawn} drawn, "
        f"{len(records) - len(counted)} void: {score / max(1, len(counted)):.1%}, "
        f"95 % interval {low:.1%} to {high:.1%}"
    )


def play(number: int, settings: Settings) -> dict[str, Any]:
    """One game of the match; a failing engine makes it void."""
    a_color = ("black", "white")[number % 2]
    commands = (settings.a, settings.b) if a_color == "black" else (settings.b, settings.a)
    record: dict[str, Any] = {"game": number, "a_color": a_color}
    try:
        with (
            GtpClient(commands[0]) as black,
            GtpClient(commands[1]) as white,
            GtpClient(settings.referee) as judge,
        ):
            result = play_game(
                black,
                white,
                judge,
                settings.size,
                settings.komi,
                settings.move_limit,
                settings.seconds_per_move,
            )
    except EngineError as error:
        return {**record, "result": "?", "winner": None, "error": str(error)}
    return {**record, **_describe(result, a_color)}


def _describe(result: GameResult, a_color: str) -> dict[str, Any]:
    winner = result.winner and ("a" if result.winner == a_color else "b")
    return {
        "result": result.result,
        "winner": winner,
        "reason": result.reason,
        "seconds": {color: round(spent, 3) for color, spent in result.seconds.items()},
        "moves": " ".join(result.moves),
    }


def run(games: int, jobs: int, settings: Settings, results: ResultsFile) -> Iterator[int]:
    """Play the games that are missing or void, `jobs` at a time; yields their numbers."""
    missing = [
        number for number in range(games) if "error" in results.records.get(number, {"error": ""})
    ]
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(play, number, settings) for number in missing]
        try:
            for future in as_completed(futures):
                results.add(future.result())
                yield future.result()["game"]
        finally:
            for future in futures:
                future.cancel()


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").split("\n")[0], formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    add("--a", "--black", required=True, metavar="CMD", help="engine A: Black in the first game")
    add("--b", "--white", required=True, metavar="CMD", help="engine B")
    add("--referee", required=True, metavar="CMD", help="engine that judges and scores")
    add("--games", type=int, default=100)
    add("--size", type=int, default=9)
    add("--komi", type=float, default=7.5)
    add("--jobs", type=int, default=1, help="games at a time")
    add("--move-limit", type=int, default=0, help="moves before a game is scored as it stands")
    add("--seconds-per-move", type=float, default=300.0, help="before an engine is taken for hung")
    add("--out", type=Path, required=True, help="file of finished games, one line of JSON each")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    options = _parse(arguments)
    settings = Settings(
        a=options.a,
        b=options.b,
        referee=options.referee,
        size=options.size,
        komi=options.komi,
        move_limit=options.move_limit or 3 * options.size**2,
        seconds_per_move=options.seconds_per_move,
    )
    try:
        results = ResultsFile(options.out, asdict(settings))
    except ResultsFileError as error:
        print(f"match: {error}", file=sys.stderr)
        return 2
    for number in run(options.games, options.jobs, settings, results):
        record = results.records[number]
        print(f"game {number}: A {record['a_color']}, {record['result']}", end="  ")
        print(record.get("error", ""), summary(list(results.records.values())), flush=True)
    print(summary(list(results.records.values())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
