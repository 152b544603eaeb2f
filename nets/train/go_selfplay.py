"""Games of Go by search against itself, recorded as games to learn from.

What a search found out is the label of each position: the improved policy, and a value that is that
of the search in part and the game's result in the rest. A game ends on two passes and counts as it
stands, as by the rules of Tromp and Taylor; a game that is far too long ends where it is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock

import numpy as np

from games.go import Go, GoOptions
from games.go_rules import TROMP_TAYLOR
from gtpcore import GoState, Net, State
from nets.files import load
from nets.spec import NetSpec
from nets.train.fit import generator
from nets.train.generations import with_bar
from nets.train.go_games import GoGame, Outcome, judge, likeliest
from nets.train.go_records import GoGames, count_games
from nets.train.selfplay import Episode, Searcher, at_once, play_episode
from search.gumbel import Choice, Gumbel

LONGEST = 2.5
"""Moves of a game, by points of the board."""
MOST_SPREAD = 100
"""Points of komi; the rules have komi up to 1000."""

Choose = Callable[[State, np.random.Generator], Choice]
NetOf = Callable[[int], Net]
"""A net for a board size."""


@dataclass(frozen=True)
class GoSelfPlay:
    """How games are played."""

    sizes: Mapping[int, float]
    """Board sizes and their shares of shards."""
    komi: float = 7.0
    """In the middle; under these rules who is Black likes 7 on most boards."""
    komi_spread: float = 4.0
    """The standard deviation of the komi that is drawn, in points."""
    opening: int = 8
    """The most moves at first that are drawn by the policy instead of chosen."""
    result_share: float = 0.5
    """Of the result in the value learned; the rest is the search's."""
    search: Gumbel = field(default_factory=Gumbel)

    def drawn_size(self, rng: np.random.Generator) -> int:
        """One of the sizes."""
        sizes = sorted(self.sizes)
        shares = np.array([self.sizes[size] for size in sizes])
        return int(rng.choice(sizes, p=shares / shares.sum()))

    def drawn_start(self, size: int, rng: np.random.Generator) -> GoState:
        """An empty board with a komi of its own."""
        komi = round(2 * rng.normal(self.komi, self.komi_spread)) / 2
        return GoState(size, TROMP_TAYLOR.with_komi(komi))


def nets_by_size(file: str | Path, cores: int) -> NetOf:
    """A net at work on so many cores, loaded for each size that is asked for. Raises NetError."""
    loaded: dict[int, Net] = {}
    loading = Lock()

    def net(size: int) -> Net:
        with loading:
            if size not in loaded:
                spec = NetSpec.of(Go(GoOptions(size=size)))
                loaded[size] = load(str(file), spec, ("policy", "value")).native(gathers=cores)
            return loaded[size]

    return net


@dataclass(frozen=True)
class GoShards:
    """Games to be played into the shards of a folder, each of one board size."""

    folder: Path
    games: int
    """In all."""
    shard: int
    """In a shard."""
    seed: int
    purpose: str
    """What else decides about the randomness."""

    def fill(self, way: GoSelfPlay, net: NetOf, threads: int, title: str) -> None:
        """Play those that are not there, so many shards at a time; one that is not full anew."""
        numbers = range(-(-self.games // self.shard))
        with_bar(lambda number: self._fill(number, way, net), numbers, threads, title)

    def _fill(self, number: int, way: GoSelfPlay, net: NetOf) -> None:
        size = way.drawn_size(generator(self.seed, f"{self.purpose} size", number))
        path = self.folder / f"{size:02}-{number:05}.npz"
        first = number * self.shard
        places = range(first, min(self.games, first + self.shard))
        if path.exists() and count_games([path])[0] >= len(places):
            return
        search = Searcher(net(size), way.search, turned=True)

        def game(place: int) -> tuple[GoGame, Outcome]:
            return recorded_game(search, size, way, generator(self.seed, self.purpose, place))

        GoGames.pack(at_once(game, places)).save(path)


def recorded_game(
    search: Choose, size: int, way: GoSelfPlay, rng: np.random.Generator
) -> tuple[GoGame, Outcome]:
    """A game as learning takes it."""
    start = way.drawn_start(size, rng)
    drawn = int(rng.integers(way.opening + 1))
    moves = 0

    def choose(state: State, rng: np.random.Generator) -> Choice:
        nonlocal moves
        moves += 1
        choice = search(state, rng)
        return _drawn(choice, rng) if moves <= drawn else choice

    episode = play_episode(start, choose, rng, most=round(LONGEST * size * size))
    game = _game(episode, start)
    outcome = judge(game)
    values = episode.black_values(outcome.result.winner, way.result_share)
    return replace(game, black_value=values.astype(np.float16)), outcome


def _drawn(choice: Choice, rng: np.random.Generator) -> Choice:
    """With a move drawn by the improved policy."""
    actions, weights = zip(*choice.policy.items(), strict=True)
    return replace(choice, action=int(rng.choice(actions, p=np.array(weights) / sum(weights))))


def _game(episode: Episode, start: GoState) -> GoGame:
    top_moves, top_probs = likeliest(episode.policies)
    unknown = np.full(len(episode.choices), np.nan, np.float16)
    return GoGame(
        source="self-play",
        size=start.size,
        rules=TROMP_TAYLOR,
        komi=start.rules.komi,
        moves=np.array([choice.action for choice in episode.choices], np.uint16),
        top_moves=top_moves,
        top_probs=top_probs,
        black_value=unknown,
        black_score=unknown,
        result=None,
    )
