"""How fast this machine plays: `gtpbot bench`.

All figures are taken in rounds, one sample of each a round, and what is reported is the median of
the samples. So whatever else the machine does falls on all figures alike, and figures that are to
be compared stand side by side in time.
"""

import json
import random
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from typing import Any, cast

import gtpcore
from games.base import Game
from games.connect4 import ConnectFour
from games.go import Go, GoOptions
from games.position import Position, play_at_random
from gtpbot.gtp.thinking import STOP_EVERY
from gtpbot.measure import bench_analysis
from gtpbot.options import AgentChoice, OptionsError
from gtpbot.text.stdout import tell
from gtpbot.text.tables import aligned
from gtpbot.text.words import suggest
from gtpbot.verb_parser import VerbParser, check_least
from nets.files import find_weights, load
from nets.runtime import Net
from nets.spec import NetError, NetSpec
from search.agent import Limits
from search.alphazero import AlphaZeroAgent

PLAYOUTS_A_CALL = 200
BATCH = 16
"""Leaves that a search has valued at once."""
WARM_UP = 400
"""Playouts after which a net is compiled for batches of all sizes."""
PLAYOUT_RATE = "playouts/s"
EVALUATION_RATE = "evaluations/s"
MIDGAME_DISCS = 12
OPENING_MOVES = 4
"""After which no game is decided at once."""


@dataclass(frozen=True)
class Figure:
    """One result."""

    name: str
    value: float
    unit: str
    threads: int = 1


@dataclass(frozen=True)
class Bench:
    """One figure, and how to take it."""

    name: str
    unit: str
    sample: Callable[[float], float]
    """Takes one sample in about so many seconds."""
    threads: int = 1
    combine: Callable[[Sequence[float]], float] = statistics.median

    def figure(self, samples: Sequence[float]) -> Figure:
        """The result of all samples."""
        return Figure(self.name, self.combine(samples), self.unit, self.threads)


def _rate(work: Callable[[int], int]) -> Callable[[float], float]:
    """A sample of how much `work` gets done a second; it is given a seed and says how much."""

    def sample(seconds: float) -> float:
        done = 0
        start = time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds or not done:
            done += work(done)
        return done / spent

    return sample


def _playouts(name: str, size: int, evaluator: gtpcore.Evaluator) -> Bench:
    state = gtpcore.GoState(size)

    def work(seed: int) -> int:
        evaluator.mean_value(state, PLAYOUTS_A_CALL, seed)
        return PLAYOUTS_A_CALL

    return Bench(name, PLAYOUT_RATE, _rate(work))


@dataclass(frozen=True)
class Tree:
    """Searches of some size from the empty board, each with a new tree."""

    game: str
    state: gtpcore.State
    simulations: int
    rule: gtpcore.Ucb1 | gtpcore.Rave
    evaluator: gtpcore.Evaluator
    transpositions: bool = False

    def bench(self, name: str, threads: int) -> Bench:
        """Simulations a second."""

        def work(seed: int) -> int:
            search = gtpcore.Search(
                self.state,
                self.evaluator,
                self.rule,
                threads=threads,
                max_bytes=1 << 30,
                seed=seed,
                transpositions=self.transpositions,
            )
            return search.run(self.simulations).playouts

        return Bench(f"{name}/{self.game}", PLAYOUT_RATE, _rate(work), threads)


def _uct(game: str, state: gtpcore.State, simulations: int, exploration: float = 0.7) -> Tree:
    return Tree(game, state, simulations, gtpcore.Ucb1(exploration), gtpcore.Evaluator())


def _evaluations(name: str, game: Game, net_name: str, threads: int) -> Bench:
    """The net of `alphazero` by itself, without a search: what one could reach.

    In batches as large as the largest of such a search, which in Connect Four shows the net each
    leaf as it is and mirrored.
    """
    size = BATCH * (2 if isinstance(game, ConnectFour) else 1)

    @cache
    def net() -> Net:
        return load(net_name, NetSpec.of(game))

    def sample(seconds: float) -> float:
        import numpy as np

        state = cast(gtpcore.State, game.new_state())
        batch = np.stack([state.planes()] * size)

        def work(_: int) -> int:
            net()(batch)
            return size

        with ThreadPoolExecutor(threads) as pool:
            return sum(pool.map(_rate(work), [seconds] * threads))

    return Bench(f"evaluator/{name}", EVALUATION_RATE, sample, threads)


def _net_searches(name: str, game: Game, net_name: str, threads: int) -> Iterator[Bench]:
    """The agent `alphazero`: the same net at the leaves of a search, which proves none of them.

    Its playouts, and the evaluations that it asked for: of some leaves the value is known, others
    are shown in two images. Each search has an opening of its own, as nets remember positions.
    """
    rng = random.Random(1)
    settings = {
        "threads": threads,
        "seed": 1,
        "net": net_name,
        "batch_size": BATCH,
        "solve_nodes": 0,
    }

    @cache
    def agent() -> AlphaZeroAgent:
        made = cast(AlphaZeroAgent, AgentChoice("alphazero", settings).make(game))
        made.choose(Position(game), Limits(playouts=WARM_UP))
        return made

    def evaluations() -> int:
        net = agent().net("net")
        assert net
        return net.evaluations

    def sample(seconds: float, counts_playouts: bool) -> float:
        agent().clear()
        before = evaluations()
        decision = agent().choose(_opened(game, rng), Limits(seconds=seconds))
        done = decision.playouts if counts_playouts else evaluations() - before
        return done / decision.seconds

    for unit in (PLAYOUT_RATE, EVALUATION_RATE):
        count = partial(sample, counts_playouts=unit == PLAYOUT_RATE)
        yield Bench(f"alphazero/{name}", unit, count, threads)


def _opened(game: Game, rng: random.Random) -> Position:
    """A game after some random moves."""
    position = Position(game)
    play_at_random(position, OPENING_MOVES, rng)
    return position


def _solver() -> Bench:
    solver, rng = gtpcore.ConnectFourSolver(), random.Random(1)

    def work(_: int) -> int:
        """Solve one more random position; how many were visited for it."""
        position, before = Position(ConnectFour()), solver.nodes
        if play_at_random(position, MIDGAME_DISCS, rng):
            solver.solve(cast(gtpcore.ConnectFourState, position.state))
        return solver.nodes - before

    return Bench("solver/connect4", "nodes/s", _rate(work))


def _start_up(_: float, agent: str) -> float:
    """Seconds from the start of a process to its answer to `name`."""
    command = [sys.executable, "-m", "gtpbot", "--agent", agent]
    start = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        process.stdin.write(b"name\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        spent = time.perf_counter() - start
        process.communicate(b"quit\n")
    if not answer.startswith(b"="):
        raise RuntimeError(f"the engine answered {answer!r} to name: expected =")
    return spent


def _stop_latency(_: float) -> float:
    """Seconds from `stop` to the end of the slowest kind of search."""
    search = gtpcore.Search(
        gtpcore.GoState(19), gtpcore.GoGuide(), gtpcore.Rave(0.0, 3000.0), threads=2
    )
    thread = threading.Thread(target=search.run)
    thread.start()
    try:
        time.sleep(0.1)
    finally:  # Ctrl-C would wait for the thread
        start = time.perf_counter()
        while thread.is_alive():
            search.stop()
            thread.join(STOP_EVERY)
    return time.perf_counter() - start


def _benches(go_net: str | None = None) -> Iterator[Bench]:
    """All figures; those of nets are of Connect Four's that ships, and of `go_net`."""
    for size in (9, 13, 19):
        yield _playouts(f"playouts/go{size}", size, gtpcore.Evaluator())
    yield _playouts("guide/go9", 9, gtpcore.GoGuide())
    yield _playouts("rollout/go9", 9, gtpcore.GoFastPolicy(_rollout_weights(), temperature=0.5))
    yield from _searches()
    games = {"connect4": ConnectFour(), **{f"go{n}": Go(GoOptions(size=n)) for n in (9, 13, 19)}}
    for name, game in games.items():
        net = go_net if go_net and isinstance(game, Go) else "alphazero"
        for threads in (1, 2):
            yield _evaluations(name, game, net, threads)
            yield from _net_searches(name, game, net, threads)
    yield _solver()
    yield Bench("node/bytes", "bytes", lambda _: gtpcore.Search.node_bytes)
    yield Bench("start/rave", "s", partial(_start_up, agent="rave"))
    yield Bench("start/net", "s", partial(_start_up, agent="alphazero"))
    yield Bench("stop/latency", "s", _stop_latency, threads=2, combine=max)
    yield Bench("analysis/first", "s", bench_analysis.first_line, threads=2, combine=max)
    yield Bench("analysis/unevenness", "s", bench_analysis.unevenness, threads=2)
    yield Bench("analysis/cost", "share", bench_analysis.cost, threads=2)


def _searches() -> Iterator[Bench]:
    """By playouts, with one thread and with two."""
    go9 = gtpcore.GoState(9)
    tictactoe = _uct("tictactoe", gtpcore.TicTacToeState(), 1_000_000)
    connect4 = _uct("connect4", gtpcore.ConnectFourState(), 1_000_000)
    trees = (
        ("uct", tictactoe),
        ("uct", replace(connect4, transpositions=True, evaluator=gtpcore.DecisivePlayouts())),
        ("plain", connect4),
        ("uct", _uct("go9", go9, 30_000)),
        ("uct", _uct("go19", gtpcore.GoState(19), 10_000)),
        ("rave", Tree("go9", go9, 10_000, gtpcore.Rave(0.0, 3000.0), gtpcore.GoGuide())),
    )
    for name, tree in trees:
        for threads in (1, 2):
            yield tree.bench(name, threads)


@cache
def _rollout_weights() -> bytes:
    return find_weights("rollout", "go").read_bytes()


def _rivals() -> Iterator[tuple[Bench, Bench]]:
    """This program's search and that of OpenSpiel, set up alike.

    OpenSpiel's values go from -1 to 1, so that its exploration of 2 is 1 here.
    """
    no_suicide = gtpcore.GoState(9, gtpcore.GoRules(suicide=False))
    pairs = (
        (_uct("tictactoe", gtpcore.TicTacToeState(), 100_000, 1.0), "tic_tac_toe"),
        (_uct("connect4", gtpcore.ConnectFourState(), 100_000, 1.0), "connect_four"),
        (_uct("go9", no_suicide, 10_000, 1.0), "go(board_size=9)"),
    )
    for tree, game in pairs:
        work = _open_spiel(game, tree.simulations)
        theirs = Bench(f"open_spiel/{tree.game}", PLAYOUT_RATE, _rate(work))
        yield tree.bench("gtpbot", threads=1), theirs


def _open_spiel(name: str, simulations: int) -> Callable[[int], int]:
    try:
        import pyspiel
    except ImportError:
        raise OptionsError("--compare needs OpenSpiel: pip install open_spiel") from None
    game: Any = pyspiel.load_game(name)

    def work(seed: int) -> int:
        rollout = pyspiel.RandomRolloutEvaluator(1, seed)
        bot = pyspiel.MCTSBot(game, rollout, 2.0, simulations, 1000, True, seed, False)
        return int(bot.mcts_search(game.new_initial_state()).explore_count)

    return work


def _take(benches: Sequence[Bench], rounds: int, seconds: float) -> list[list[float]]:
    """The samples of each bench, one a round, of about so many seconds each."""
    samples: list[list[float]] = [[] for _ in benches]
    for turn in range(rounds):
        print(f"round {turn + 1} of {rounds}: {', '.join(_names(benches))}", file=sys.stderr)
        for taken, bench in zip(samples, benches, strict=True):
            taken.append(bench.sample(seconds))
    return samples


def _compare(rounds: int, seconds: float) -> Iterator[Figure]:
    """Both rates, and how many times the other this program's is, sample by sample."""
    for ours, theirs in list(_rivals()):
        rates = _take((ours, theirs), rounds, seconds)
        yield ours.figure(rates[0])
        yield theirs.figure(rates[1])
        ratios = [ours / theirs for ours, theirs in zip(*rates, strict=True)]
        yield Figure(ours.name.replace("gtpbot", "ratio"), statistics.median(ratios), "times")


def _chosen(words: Sequence[str], go_net: str | None) -> list[Bench]:
    """The benches with one of `words` in their names; all if there are none."""
    benches = list(_benches(go_net))
    for word in words:
        if not any(word in bench.name for bench in benches):
            raise OptionsError(f"no figure like {word!r}: {suggest(word, _names(benches))}")
    return [b for b in benches if not words or any(word in b.name for word in words)]


def _names(benches: Sequence[Bench]) -> list[str]:
    return list(dict.fromkeys(bench.name for bench in benches))


def table(figures: Sequence[Figure]) -> str:
    """The figures in aligned columns, with a heading."""
    rows = [("figure", "value", "unit", "threads")]
    rows += [(f.name, _shown(f.value), f.unit, str(f.threads)) for f in figures]
    return aligned(rows, "<><>")


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _parser() -> VerbParser:
    parser = VerbParser("bench", __doc__)
    names = ", ".join(_names(list(_benches())))
    parser.add_argument(
        "name", nargs="*", help=f"figures whose names contain this; all are {names}"
    )
    parser.add_argument(
        "--rounds", type=int, default=5, metavar="N", help="samples of each figure (5)"
    )
    parser.add_argument(
        "--seconds", type=float, default=0.4, metavar="S", help="seconds a sample (0.4)"
    )
    parser.add_argument("--net", metavar="FILE", help="a net of Go to measure (that which ships)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument(
        "--compare", action="store_true", help="compare with OpenSpiel's MCTSBot, in turns"
    )
    return parser


def main(arguments: Sequence[str]) -> int:
    """Measure and print; the exit status. Raises OptionsError, and what `tell` does."""
    options = _parser().read(arguments)
    check_least(options, {"rounds": 1, "seconds": 0})
    benches = _chosen(options.name, options.net) if options.name or not options.compare else []
    try:
        samples = _take(benches, options.rounds, options.seconds) if benches else []
    except NetError as error:
        raise OptionsError(str(error)) from None
    figures = [bench.figure(taken) for bench, taken in zip(benches, samples, strict=True)]
    if options.compare:
        figures += _compare(options.rounds, options.seconds)
    tell(json.dumps(list(map(asdict, figures)), indent=1) if options.json else table(figures))
    return 0
