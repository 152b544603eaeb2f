"""AlphaZero's loop: generations of self-play by search, of learning, and of a match at the gate.

Silver et al., A general reinforcement learning algorithm that masters chess, shogi, and Go through
self-play, 2018; with the root of Danihelka et al. (`search/gumbel.py`), which learns from few
simulations, and the gate of Silver et al., Mastering the game of Go without human knowledge, 2017:

1. The best net so far plays games against itself by search.
2. The newest net learns from those of the last generations, and is the newest net then.
3. It plays the best one by search, pairs of games from random openings with colours swapped. With
   at least the share `promote` of the points it is the best net then.

Each generation has a folder; what is there of it is not made again, and all of it depends on the
seed alone. Start reading at `GenerationsStage.run`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import Field

from games.begun_folders import read_json, write_json
from nets.convert import save
from nets.threads import in_threads
from nets.train.arrays import UNREADABLE, read_arrays, write_arrays
from nets.train.errors import CheckpointError
from nets.train.fit import Figures, Lesson, Model, Progress, learn, prepare
from nets.train.fit import save as save_checkpoint
from nets.train.gate import points
from nets.train.pipeline import Facts, Run, Stage, StageParams
from nets.train.stopwatch import counted_seconds
from nets.train.strength import Score
from search.gumbel import Gumbel


class GenerationsParams(StageParams):
    """Parameters of every stage of generations."""

    generations: int = Field(10, ge=1, description="generations")
    games: int = Field(200, ge=1, description="games of a generation")
    shard: int = Field(20, ge=2, description="games of a shard, what a kill may lose")
    playouts: int = Field(32, ge=2, description="simulations a move")
    considered: int = Field(16, ge=2, description="the most moves looked at in the root")
    opening: int = Field(2, ge=0, le=10_000, description="the most random moves a game begins with")
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

    @property
    def gumbel(self) -> Gumbel:
        """How a root is searched."""
        return Gumbel(self.playouts, self.considered)


P = TypeVar("P", bound=GenerationsParams)


@dataclass(frozen=True)
class Generation(ABC, Generic[P]):
    """One generation: where it is kept, and what it needs to know."""

    number: int
    """From 1 on; 0 is the net that all begins with."""
    best: int
    """The generation of the best net when this one begins."""
    params: P
    run: Run
    work: Path
    """Where all generations are kept."""
    model: Model
    """Compiled; is made the newest net, whatever it was before."""
    taught: tuple[str, ...] = ()
    """The stages whose positions the net that all began with was taught, if any are to be kept."""

    @abstractmethod
    def play(self) -> int:
        """Make the shards of games that are missing; how many positions there are to learn."""

    @abstractmethod
    def lesson(self) -> Lesson:
        """What the newest net is to learn, which is made ready for it."""

    @abstractmethod
    def gate(self) -> Score:
        """The score of its net against the best one."""

    @staticmethod
    def save_net(model: Model, path: Path) -> None:
        """Write a net that has learned."""
        save(model, path)

    def learn(self) -> Figures:
        """Go on teaching the newest net, and write it; the figures at the end."""
        params, lesson = self.params, self.lesson()
        steps, title = self.number * params.steps, f"{self.number:03} learns"
        progress = learn(
            self.model, lesson, steps, params.report, self.checkpoint(), title, self.run.threads
        )
        self.save_net(self.model, net_path(self.work, self.number))
        return progress.history[-1]

    def figures(self) -> dict[str, Any]:
        """Its results; makes what is missing of it first."""
        done = self.file("done.json")
        if not done.exists():
            write_json(done, self._made())
        figures: dict[str, Any] = read_json(done)
        return figures

    def _made(self) -> dict[str, Any]:
        with counted_seconds(self.file("seconds.json")) as seconds:
            positions = self.play()
            learned = self.learn()
            gate = self.gate()
        return {
            **{name: figure for name, figure in learned.items() if name != "step"},
            "games": self.params.games,
            "positions": positions,
            "gate": str(gate),
            "points": points(gate),
            "promoted": points(gate) >= self.params.promote,
            "seconds": seconds(),
        }

    def checkpoint(self) -> Path:
        """How far the newest net is, which begins as the generation before left it."""
        checkpoint = checkpoint_path(self.work, self.number)
        if not checkpoint.exists():
            before = checkpoint_path(self.work, self.number - 1)
            try:
                arrays = read_arrays(before)
            except UNREADABLE as error:
                raise CheckpointError(f"{before}: {error}; give --again to begin anew") from None
            write_arrays(checkpoint, arrays, packed=False)
        return checkpoint

    @property
    def learned_from(self) -> range:
        """The generations whose games are learned from."""
        return range(max(1, self.number - self.params.window + 1), self.number + 1)

    def file(self, name: str) -> Path:
        """A file of the generation."""
        return folder_of(self.work, self.number) / name


@dataclass(frozen=True)
class GenerationsStage(Stage[P], Generic[P]):
    """Makes a net with all outputs by generations."""

    params: P
    kind: ClassVar[type[Generation[Any]]]
    """What its generations are."""
    has_role = True

    @abstractmethod
    def new_learner(self, run: Run) -> tuple[Model, str]:
        """The net that all begins with, compiled; and what it knows, in words."""

    @abstractmethod
    def finish(self, best: Path, progress: Progress, facts: Facts, run: Run) -> Facts:
        """Deliver the best net, a `.keras` file; all that is to be known."""

    def run(self, run: Run) -> Facts:
        """Make all generations, and of the best net its files."""
        prepare(run.seed)
        work = run.folder(self.name) / "generations"
        learner, began_with = self.new_learner(run)
        self._begin(learner, work)
        best, progress, done = 0, Progress(), []
        for number in range(1, self.params.generations + 1):
            generation = self.kind(number, best, self.params, run, work, learner, self.needs[1:])
            figures = generation.figures()
            best = number if figures["promoted"] else best
            progress.step += self.params.steps
            progress.seconds += figures["seconds"]
            progress.history.append({"step": float(progress.step), **_curves(figures)})
            done.append(figures)
        facts = {"began_with": began_with, **self._facts(done, best)}
        return self.finish(net_path(work, best), progress, facts, run)

    def _begin(self, learner: Model, work: Path) -> None:
        """Write generation 0 unless it is there."""
        if not checkpoint_path(work, 0).exists():
            self.kind.save_net(learner, net_path(work, 0))
            save_checkpoint(learner, Progress(), checkpoint_path(work, 0))

    def _facts(self, done: Sequence[dict[str, Any]], best: int) -> Facts:
        games = sum(figures["games"] for figures in done)
        promoted = [str(n) for n, figures in enumerate(done, 1) if figures["promoted"]]
        how = done[best - 1]["gate"] + " at the gate" if best else "the net that it began with"
        return {
            "learned_from": f"{games:,} games against itself in {len(done)} generations, "
            f"{self.params.playouts} simulations a move",
            "passed_the_gate": f"generations {', '.join(promoted) or 'none'}; "
            f"{self.params.promote:.0%} of the points of {2 * self.params.pairs} games do",
            "best": f"generation {best}, {how}",
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


T = TypeVar("T")


def with_bar(work: Callable[[int], T], numbers: Iterable[int], threads: int, title: str) -> list[T]:
    """What `work` makes of the numbers, in any order."""
    from tqdm import tqdm

    listed = list(numbers)
    with closing(in_threads(work, listed, threads)) as done:
        return list(tqdm(done, total=len(listed), desc=title, unit="shard"))
