"""AlphaZero: generations of self-play by search, of learning from it, and of a match at the gate.

Silver et al., A general reinforcement learning algorithm that masters chess, shogi, and Go through
self-play, 2018; with the root of Danihelka et al. (`search/gumbel.py`), which learns from few
simulations, and the gate of Silver et al., Mastering the game of Go without human knowledge, 2017:

1. The best net so far plays games against itself by search.
2. The newest net learns from those of the last generations, and is the newest net then.
3. It plays the best one by search, pairs of games from random openings with colours swapped. With
   at least the share `promote` of the points it is the best net then.

Each generation has a folder; what is there of it is not made again, and all of it depends on the
seed alone. Start reading at `ZeroStage.run`.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from pydantic import Field

from nets.convert import save
from nets.runtime import Net
from nets.spec import NetSpec
from nets.train.arrays import read_arrays, write_arrays
from nets.train.excluded import excluded_keys
from nets.train.experts import every_position
from nets.train.fit import (
    Figures,
    Model,
    Progress,
    Supervised,
    compile_model,
    generator,
    learn,
    prepare,
)
from nets.train.fit import save as save_checkpoint
from nets.train.gate import mistakes, played, points, total
from nets.train.lockstep import deterministic, opened, start_of
from nets.train.pipeline import Facts, Run, Stage, StageParams, read_json, write_json
from nets.train.records import Records, read_folder, shard_path
from nets.train.reinforce import policy_of
from nets.train.results import finish, load_model
from nets.train.selfplay import Searcher, play_episode, searching
from nets.train.strength import Score
from search.gumbel import Gumbel


class ZeroParams(StageParams):
    """Parameters of `alphazero`."""

    generations: int = Field(10, ge=1, description="generations")
    games: int = Field(200, ge=1, description="games of a generation")
    shard: int = Field(20, ge=2, description="games of a shard, what a kill may lose")
    playouts: int = Field(32, ge=2, description="simulations a move")
    considered: int = Field(16, ge=2, description="the most moves looked at in the root")
    opening: int = Field(2, ge=0, description="the most random moves a game begins with")
    result_share: float = Field(
        0.5, ge=0, le=1, description="of the result in the value learned; the rest is the search's"
    )
    window: int = Field(4, ge=1, description="generations whose games are learned from")
    steps: int = Field(200, ge=1, description="steps of the optimizer in a generation")
    batch: int = Field(256, ge=1, description="positions a step")
    rate: float = Field(0.001, gt=0, description="rate of learning at first; falls to zero")
    report: int = Field(100, ge=1, description="steps between two checkpoints")
    pairs: int = Field(50, ge=1, description="pairs of games at the gate")
    promote: float = Field(0.55, ge=0, le=1, description="share of points that passes the gate")
    examined: bool = Field(False, description="count mistakes in all positions, if they are few")

    @property
    def gumbel(self) -> Gumbel:
        """How a root is searched."""
        return Gumbel(self.playouts, self.considered)


@dataclass(frozen=True)
class Generation:
    """One generation: where it is kept, and what it needs to know."""

    number: int
    """From 1 on; 0 is the net that all begins with."""
    best: int
    """The generation of the best net when this one begins."""
    params: ZeroParams
    run: Run
    work: Path
    """Where all generations are kept."""
    model: Model
    """Compiled; is made the newest net, whatever it was before."""

    def figures(self) -> dict[str, Any]:
        """Its results; makes what is missing of it first."""
        done = self._file("done.json")
        if not done.exists():
            write_json(done, self._made())
        figures: dict[str, Any] = read_json(done)
        return figures

    def _made(self) -> dict[str, Any]:
        start = time.monotonic()
        self._play()
        learned = self._learn()
        gate = self._gate()
        return {
            **{name: figure for name, figure in learned.items() if name != "step"},
            "games": self.params.games,
            "positions": len(self._records(self.number)),
            "gate": str(gate),
            "points": points(gate),
            "promoted": points(gate) >= self.params.promote,
            "seconds": time.monotonic() - start,
        }

    def _play(self) -> None:
        """Make the shards of games that are missing."""
        net = load_net(self.work, self.best, self.run)
        known = excluded_keys(self.run)
        size, games = self.params.shard, self.params.games

        def fill(number: int) -> None:
            places = range(number * size, min(games, (number + 1) * size))
            records = Records.join([self._episode(place, net) for place in places])
            allowed = ~np.isin(records.keys(self.run.game.spec.name), known)
            records[allowed].save(shard_path(self._file("games"), number))

        numbers = range(-(-games // size))
        missing = [n for n in numbers if not shard_path(self._file("games"), n).exists()]
        in_threads(fill, missing, self.run.threads, f"{self.number:03} games")

    def _episode(self, place: int, net: Net) -> Records:
        rng = generator(self.run.seed, f"self-play {self.number}", place)
        (start,) = opened(start_of(self.run.game), 1, self.params.opening, rng)
        episode = play_episode(start, Searcher(net, self.params.gumbel), rng)
        return episode.records(self.params.result_share)

    def _learn(self) -> Figures:
        """Go on teaching the newest net, and write it; the figures at the end."""
        params, game = self.params, self.run.game.spec.name
        checkpoint = checkpoint_path(self.work, self.number)
        if not checkpoint.exists():
            write_arrays(checkpoint, read_arrays(checkpoint_path(self.work, self.number - 1)))
        first = max(1, self.number - params.window + 1)
        records = Records.join([self._records(n) for n in range(first, self.number + 1)])
        none = records[np.zeros(0, np.intp)]
        lesson = Supervised(self.model, game, records, none, params.batch, self.run.seed)
        steps, title = self.number * params.steps, f"{self.number:03} learns"
        progress = learn(self.model, lesson, steps, params.report, checkpoint, title)
        save(self.model, net_path(self.work, self.number))
        return progress.history[-1]

    def _gate(self) -> Score:
        """The score of its net against the best one."""
        new, best = (load_net(self.work, n, self.run) for n in (self.number, self.best))
        size = max(1, self.params.shard // 2)

        def play(number: int) -> Score:
            return played(
                self._file(f"gate/{number:05}.json"),
                searching(new, self.params.gumbel),
                searching(best, self.params.gumbel),
                start_of(self.run.game),
                min(size, self.params.pairs - number * size),
                self.params.opening,
                generator(self.run.seed, f"gate {self.number}", number),
            )

        numbers = range(-(-self.params.pairs // size))
        return total(in_threads(play, numbers, self.run.threads, f"{self.number:03} gate"))

    def _records(self, number: int) -> Records:
        return read_folder(folder_of(self.work, number) / "games")

    def _file(self, name: str) -> Path:
        return folder_of(self.work, self.number) / name


@dataclass(frozen=True)
class ZeroStage(Stage[ZeroParams]):
    """Makes a net with both outputs; begins with that of the stage it needs, or knows nothing."""

    params: ZeroParams

    @property
    def role(self) -> str:
        """Its name."""
        return self.name

    def run(self, run: Run) -> Facts:
        """Make all generations, and of the best net its files."""
        import keras

        prepare(run.seed)
        work = run.folder(self.name) / "generations"
        learner = self._begin(run, work)
        best, progress, done = 0, Progress(), []
        for number in range(1, self.params.generations + 1):
            figures = Generation(number, best, self.params, run, work, learner).figures()
            best = number if figures["promoted"] else best
            progress.step += self.params.steps
            progress.seconds += figures["seconds"]
            progress.history.append({"step": float(progress.step), **_curves(figures)})
            done.append(figures)
        model = keras.saving.load_model(net_path(work, best), compile=False)
        facts = {
            "began_with": self._beginning(run),
            **self._facts(done, best),
            **self._exam(model, best, run, work),
        }
        return finish(model, self.role, progress, facts, run)

    def _begin(self, run: Run, work: Path) -> Model:
        """The net that all begins with, which is written as generation 0 unless it is there."""
        from nets.models import make

        params = self.params
        model = make(run.game.spec.name, self.role)
        if self.needs:
            model.set_weights(load_model(self.needs[0], run).get_weights())
        compile_model(model, params.rate, params.generations * params.steps)
        if not checkpoint_path(work, 0).exists():
            save(model, net_path(work, 0))
            save_checkpoint(model, Progress(), checkpoint_path(work, 0))
        return model

    def _beginning(self, run: Run) -> str:
        if not self.needs:
            return "no knowledge"
        return f"`{self.needs[0]}`, of {run.facts(self.needs[0])['learned_from']}"

    def _facts(self, done: Sequence[dict[str, Any]], best: int) -> Facts:
        games = sum(figures["games"] for figures in done)
        promoted = [str(n) for n, figures in enumerate(done, 1) if figures["promoted"]]
        return {
            "learned_from": f"{games:,} games against itself in {len(done)} generations, "
            f"{self.params.playouts} simulations a move",
            "passed_the_gate": f"generations {', '.join(promoted) or 'none'}; "
            f"{self.params.promote:.0%} of the points of {2 * self.params.pairs} games do",
            "best": f"generation {best}, {done[best - 1]['gate']} at the gate" if best else "0",
        }

    def _exam(self, model: Model, best: int, run: Run, work: Path) -> Facts:
        if not self.params.examined:
            return {}
        states = list(every_position(start_of(run.game)()))
        search = searching(load_net(work, best, run), self.params.gumbel)
        wrong = mistakes(deterministic(policy_of(model)), states), mistakes(search, states)
        names = ("mistakes_of_the_net_alone", "mistakes_with_search")
        return {
            name: f"{count:,} in all {len(states):,} positions"
            for name, count in zip(names, wrong, strict=True)
        }


def _curves(figures: dict[str, Any]) -> Figures:
    """The figures that are numbers, but for those that never change."""
    return {
        name: float(figure)
        for name, figure in figures.items()
        if isinstance(figure, (int, float)) and name not in ("games", "seconds")
    }


def folder_of(work: Path, number: int) -> Path:
    """Where a generation is kept."""
    return work / f"{number:03}"


def net_path(work: Path, number: int) -> Path:
    """The net of a generation; its twin lies beside it."""
    return folder_of(work, number) / "net.keras"


def checkpoint_path(work: Path, number: int) -> Path:
    """How far the newest net was in a generation, its optimizer included."""
    return folder_of(work, number) / "checkpoint.npz"


def load_net(work: Path, number: int, run: Run) -> Net:
    """The net of a generation, to play with."""
    return Net(net_path(work, number).with_suffix(".onnx"), NetSpec.of(run.game))


T = TypeVar("T")


def in_threads(
    work: Callable[[int], T], numbers: Iterable[int], threads: int, title: str
) -> list[T]:
    """What `work` makes of each number, in order."""
    from tqdm import tqdm

    listed = list(numbers)
    with ThreadPoolExecutor(threads) as pool:
        return list(tqdm(pool.map(work, listed), total=len(listed), desc=title, unit="shard"))
