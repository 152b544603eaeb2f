"""Let a net of Go play against itself, and keep the games to learn from: `gtpbot selfplay go`.

The games go into shards of the folder `--out`, as `gtpbot train go --from DIR` reads them. A shard
that is there is not played again, so the same command goes on where it was killed, and one with
more games adds to them; another net or other options take another folder. The loop that plays,
learns, and keeps the better net is `gtpbot train go --from selfplay`.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from games.begun_folders import begun
from gtpbot.options import OptionsError
from gtpbot.verb_parser import VerbParser, check_least
from nets.convert import digest
from nets.files import find
from nets.spec import NetError
from nets.train.go_records import count_games, shards_by_size
from nets.train.go_selfplay import MOST_SPREAD, GoSelfPlay, GoShards, nets_by_size
from nets.train.go_stream import read_shares
from search.gumbel import Gumbel

COUNTS = ("games", "playouts", "considered", "shard", "threads")


def main(arguments: Sequence[str]) -> int:
    """Play, and say where the games are; the exit status. Raises OptionsError."""
    options = _parser().read(arguments)
    check_least(options, {**dict.fromkeys(COUNTS, 1), "komi_spread": 0, "seed": 0})
    if options.komi_spread > MOST_SPREAD:
        raise OptionsError(f"--komi-spread {options.komi_spread}: expected up to {MOST_SPREAD}")
    try:
        way = GoSelfPlay(
            sizes=read_shares(options.sizes),
            komi_spread=options.komi_spread,
            search=Gumbel(options.playouts, options.considered),
        )
        file = find(options.net, options.game)
        net = nets_by_size(file, options.threads)
        net(max(way.sizes))  # what cannot play is told before it is noted
        inputs = {"net": digest(file)}
        with begun(options.out, _settings(options), inputs, "give another --out folder"):
            shards = GoShards(options.out, options.games, options.shard, options.seed, "self-play")
            shards.fill(way, net, options.threads, "games")
        played = sum(sum(count_games(paths)) for paths in shards_by_size(options.out).values())
    except (OSError, NetError, ValueError) as error:
        raise OptionsError(f"cannot play: {error}") from error
    print(f"{played} games: in {options.out}", file=sys.stderr)
    return 0


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    """All but the net that decides what a game is like."""
    free = ("net", "out", "games", "threads")
    return {name: value for name, value in vars(options).items() if name not in free}


def _parser() -> VerbParser:
    parser = VerbParser("selfplay", __doc__)
    add = parser.add_argument
    add("game", choices=["go"], help="the game")
    add("--net", default="alphazero", metavar="FILE", help="the net: a role or a file (alphazero)")
    add("--out", type=Path, required=True, metavar="DIR", help="the folder for the games")
    add("--games", type=int, default=200, metavar="N", help="games (200)")
    add("--sizes", default="9:1", metavar="N:SHARE,...", help="board sizes and their shares (9:1)")
    add("--komi-spread", type=float, default=4.0, metavar="K", help="the komi is drawn around 7, "
        "with so large a standard deviation (4)")  # fmt: skip
    add("--playouts", type=int, default=32, metavar="N", help="simulations a move (32)")
    add("--considered", type=int, default=16, metavar="N", help="moves looked at in the root (16)")
    add("--shard", type=int, default=20, metavar="N", help="games of a shard (20)")
    add("--seed", type=int, default=1, metavar="N", help="seed of all randomness (1)")
    add("--threads", type=int, default=1, metavar="T", help="threads; they change nothing (1)")
    return parser
