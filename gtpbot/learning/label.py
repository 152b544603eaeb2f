"""Let an analysis engine tell what it thinks of every position of some games: `gtpbot label`.

The engine is one of KataGo's JSON protocol, such as `katago analysis -model FILE -config FILE`. The
games are those of a folder, SGF files or what `gtpbot selfplay` wrote; they come out as shards that
`gtpbot train go --from DIR` reads, with the engine's policy, its value and its score as labels; the
policy is that of its net, or with `--policy search` the visits that its search gave the moves, by
which a net also learns from itself. So a net learns from a stronger player what to do in the
positions that it meets in its own games, which games of the stronger one do not show (Ross et al.,
A reduction of imitation learning to no-regret online learning, 2011). A shard that is there is not
made again, so a killed run goes on; where games were added, they take another `--out`.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from games.base import Player
from games.begun_folders import FolderError, begun
from games.coords import action_to_vertex, vertex_to_action
from gtpbot.engines.analysis_client import AnalysisClient, Told
from gtpbot.engines.child import EngineError
from gtpbot.options import OptionsError
from gtpbot.text.terminal import Bar
from gtpbot.verb_parser import VerbParser, check_above, check_least
from nets.train.errors import TrainingError
from nets.train.go_games import BrokenGameError, GoGame, judge, likeliest
from nets.train.go_records import GoGames, count_games, shards_by_size
from nets.train.go_sources import (
    LeftOut,
    count_games_of,
    digest_of_files,
    game_files,
    games_of,
    no_games,
)

Kept = TypeVar("Kept")
PolicyOf = Callable[[Told, int], NDArray[np.float64]]

SETTINGS: Mapping[str, Any] = {
    "reportAnalysisWinratesAs": "BLACK",
    "wideRootNoise": 0,  # for who plays, not for who looks around
}
"""What is asked of an engine beside its own settings."""


ROUNDED = 0.001
"""How far beyond its range a chance may be."""
MOST_SCORE = 9_999.0
"""Points; no board has room for so many."""
NO_LABEL = (LookupError, TypeError, ValueError, AttributeError, OverflowError)
"""What making a label raises of whatever JSON may hold."""


class Label(NamedTuple):
    """What is told of one position."""

    policy: NDArray[np.float64]
    """[A]"""
    black_value: float
    """From -1 to 1."""
    black_score: float
    """In points; NaN if nothing was told."""


class Part(NamedTuple):
    """Games that come into one shard."""

    path: Path
    games: Sequence[GoGame]


def query(name: str, game: GoGame, visits: int, history: bool = True) -> Mapping[str, Any]:
    """All positions of a game, asked about by `visits` each, as seen by Black.

    Without `history` KataGo's net is not shown the moves before a position, as is its default.
    """
    moves = [
        (Player(ply % 2).letter, action_to_vertex(move, game.size))
        for ply, move in enumerate(game.moves[:-1].tolist())
    ]
    return {
        "id": name,
        "moves": moves,
        "rules": json.loads(game.rules.to_kata_json()),
        "komi": game.komi,
        "boardXSize": game.size,
        "boardYSize": game.size,
        "analyzeTurns": list(range(len(game.moves))),
        "maxVisits": visits,
        "includePolicy": True,
        "overrideSettings": {**SETTINGS, "ignorePreRootHistory": not history},
    }


def labelled(game: GoGame, told: Iterable[Told], policy_of: PolicyOf) -> GoGame:
    """A game with what was told of all its positions as labels. Raises BrokenGameError."""
    count, labels = len(game.moves), dict[int, Label]()
    for answer in told:
        try:
            turn, label = answer["turnNumber"], _label(answer, game.size, policy_of)
            if turn not in range(count) or turn in labels:
                raise ValueError(f"turn {turn!r} is none of those that are left to be told of")
            labels[turn] = label
        except NO_LABEL as error:
            reason = answer.get("error", f"not to be understood: {error!r}")
            raise BrokenGameError("not labelled", f"{game.source}: {reason}") from None
    if len(labels) < count:
        missing = min(set(range(count)) - set(labels))
        raise BrokenGameError("not labelled", f"{game.source}: nothing was told of turn {missing}")
    policy, value, score = zip(*(labels[turn] for turn in range(count)), strict=True)
    top_moves, top_probs = likeliest(np.array(policy))
    return replace(
        game,
        top_moves=top_moves,
        top_probs=top_probs,
        black_value=np.array(value, np.float16),
        black_score=np.array(score, np.float16),
    )


def _label(answer: Told, size: int, policy_of: PolicyOf) -> Label:
    """What an answer says of its position; a score that it lacks is NaN. Raises ValueError."""
    root = answer["rootInfo"]
    policy, chance = policy_of(answer, size), float(root["winrate"])
    score = float(root.get("scoreLead", np.nan))
    if not (((policy >= 0) & (policy <= 1 + ROUNDED)).all() and policy.any()):
        raise ValueError("expected chances of moves, from 0 to 1")
    if not -ROUNDED <= chance <= 1 + ROUNDED:
        raise ValueError(f"winrate {chance}: expected 0 to 1")
    if abs(score) > MOST_SCORE:
        raise ValueError(f"scoreLead {score}: expected points")
    return Label(policy, float(np.clip(2 * chance - 1, -1, 1)), score)


def of_net(answer: Told, size: int) -> NDArray[np.float64]:
    """The policy [A] of the engine's net, told from the top row on, in which -1 is illegal."""
    policy = np.array(answer["policy"], float)
    policy[policy == -1] = 0
    rows = policy[:-1].reshape(size, size)
    return np.append(rows[::-1], policy[-1])


def of_search(answer: Told, size: int) -> NDArray[np.float64]:
    """The shares [A] of the moves in the engine's visits."""
    visits = np.zeros(size * size + 1, np.float64)
    for move in answer["moveInfos"]:
        visits[vertex_to_action(move["move"], size)] = move["visits"]
    if not (visits.any() and (visits >= 0).all()):
        raise ValueError("expected visits of moves")
    visits /= visits.sum()
    return visits


POLICIES: Mapping[str, PolicyOf] = {"net": of_net, "search": of_search}
"""What may be the label of a position's moves, from what is told of it and the board's size."""


@dataclass
class Labelling:
    """Games on their way from a folder into labelled shards of another."""

    files: Sequence[Path]
    out: Path
    shard: int
    """Games of a shard."""
    visits: int
    policy: str
    """One of POLICIES."""
    history: bool
    """Whether the engine's net is shown the moves before a position."""
    left_out: LeftOut = field(default_factory=LeftOut)
    done: int = 0
    """Games."""

    def parts(self) -> Iterator[Part]:
        """All games, in the order of their files; none has games of two sizes or rules."""
        games = (game for path in self.files for game in games_of(path, self.left_out))
        number = 0
        for (size, _), alike in groupby(games, lambda game: (game.size, game.rules)):
            while part := list(islice(alike, self.shard)):
                yield Part(self.out / f"{size:02}-{number:05}.npz", part)
                number += 1

    def label(self, part: Part, engine: AnalysisClient) -> None:
        """Make a shard, unless it is there or nothing is left for it.

        Raises EngineError, and RecordsError if what is there is none.
        """
        self.done += len(part.games)
        if part.path.exists():
            missing = len(part.games) - sum(count_games([part.path]))
            if missing:
                example = f"{missing} of those of {part.path}"
                self.left_out.add(BrokenGameError("in an earlier attempt", example, missing))
            return
        judged = [(game, outcome) for game in part.games if (outcome := self._kept(judge, game))]
        told = self._told([game for game, _ in judged], engine)
        games = [
            (known, outcome)
            for (game, outcome), answers in zip(judged, told, strict=True)
            if (known := self._kept(labelled, game, answers, POLICIES[self.policy]))
        ]
        if games:
            GoGames.pack(games).save(part.path)

    def _told(self, games: Sequence[GoGame], engine: AnalysisClient) -> list[list[Told]]:
        """What the engine says of each game.

        No name of a query serves twice, lest what is told too late be taken for another game's.
        """
        told = {str(name): list[Told]() for name in range(self.done - len(games), self.done)}
        queries = [
            query(name, game, self.visits, self.history)
            for name, game in zip(told, games, strict=True)
        ]
        for answer in engine.answers(queries):
            told[answer["id"]].append(answer)
        return list(told.values())

    def _kept(self, work: Callable[..., Kept], *arguments: Any) -> Kept | None:
        """What `work` makes of a game; None if that is to be left out."""
        try:
            return work(*arguments)
        except BrokenGameError as error:
            self.left_out.add(error)
            return None


def main(arguments: Sequence[str]) -> int:
    """Label what is missing, and say where it is; the exit status. Raises OptionsError."""
    options = _parser().read(arguments)
    searched = options.policy == "search"
    check_least(options, {"visits": 2 if searched else 1, "shard": 1})
    check_above(options, {"seconds_per_answer": 0})
    if options.out.resolve() == options.source.resolve():
        raise OptionsError("--out: expected another folder than that of the games")
    try:
        files = game_files(options.source, options.out)
        history = not options.no_history
        job = Labelling(files, options.out, options.shard, options.visits, options.policy, history)
        total = sum(count_games_of(path) for path in files)
        if not total:
            raise no_games(options.source)
        settings = {
            "from": str(options.source.resolve()),  # shards are told apart by numbers alone
            "engine": options.engine,
            "shard": options.shard,
            "visits": options.visits,
            "policy": options.policy,
            **({} if history else {"history": False}),  # folders of before have none
        }
        inputs = {"games": digest_of_files(files, options.source)}
        with (
            begun(options.out, settings, inputs, "give another --out folder"),
            AnalysisClient(options.engine, options.seconds_per_answer) as engine,
            Bar("games", total) as bar,
        ):
            for part in job.parts():
                job.label(part, engine)
                bar.tell(job.done, f"{job.left_out.counts.total()} left out")
        paths = [path for shards in shards_by_size(options.out).values() for path in shards]
        labelled_games = sum(count_games(paths))
    except (OSError, EngineError, FolderError, TrainingError) as error:
        raise OptionsError(f"cannot label: {error}") from error
    job.left_out.tell()
    print(f"{labelled_games} games: in {options.out}", file=sys.stderr)
    return 0


def _parser() -> VerbParser:
    parser = VerbParser("label", __doc__)
    add = parser.add_argument
    add("--engine", required=True, metavar="CMD", help="the engine, as a shell would start it")
    add("--from", dest="source", type=Path, required=True, metavar="DIR", help="the games")
    add("--out", type=Path, required=True, metavar="DIR", help="the folder for labelled games")
    add("--visits", type=int, default=1, metavar="N", help="visits of a position (1)")
    add("--policy", choices=sorted(POLICIES), default="net", help="the label of the moves: what "
        "the engine's net says, or how its search spread its visits (net)")  # fmt: skip
    add("--no-history", action="store_true", help="hide the moves before a position from the "
        "engine's net, as KataGo's analysis does by itself")  # fmt: skip
    add("--shard", type=int, default=50, metavar="N", help="games of a shard (50)")
    add("--seconds-per-answer", type=float, default=300.0, metavar="S", help="before the engine is "
        "taken for hung (300)")  # fmt: skip
    return parser
