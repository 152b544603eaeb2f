"""AlphaZero of Go: generations of games on boards of several sizes, with many komis.

The games lie in shards like those of any other source, and are learned from as in `go_stages.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from games.go_rules import TROMP_TAYLOR
from gtpcore import GoState
from nets.convert import save
from nets.train.excluded import refuse_excluded
from nets.train.first_net import beginning, begun
from nets.train.fit import Model, Progress, generator
from nets.train.gate import played, total
from nets.train.generations import (
    Generation,
    GenerationsParams,
    GenerationsStage,
    folder_of,
    net_path,
    with_bar,
)
from nets.train.go_lesson import GoLesson, LossWeights, compile_go, faces_of
from nets.train.go_records import count_positions, shards_by_size
from nets.train.go_selfplay import MOST_SPREAD, GoSelfPlay, GoShards, NetOf, nets_by_size
from nets.train.go_stream import SIZES, Stream, Turns, read_shares, shares_of
from nets.train.pipeline import Facts, Run, Stage
from nets.train.quick import quickened, slowed
from nets.train.results import finish
from nets.train.selfplay import searching
from nets.train.strength import Score

EXAMINED = 256
"""Positions of each size in a look at how well a net does."""


class GoZeroParams(GenerationsParams):
    """Parameters of AlphaZero in Go."""

    net: str | None = Field(
        "alphazero", description="the Keras net to begin with: a role or a file; none: a new one"
    )
    width: int | None = Field(None, ge=1, description="channels; none: the usual")
    blocks: int | None = Field(None, ge=0, description="residual blocks; none: the usual")
    sizes: str = Field(
        "9:1", pattern=SIZES, description="shares of board sizes in the games, such as 9:2,13:1"
    )
    komi_spread: float = Field(
        4.0, ge=0, le=MOST_SPREAD, description="standard deviation of the komi around 7"
    )
    opening: int = Field(
        8, ge=0, le=10_000, description="the most moves at first drawn by the policy"
    )
    rate: float = Field(0.0003, gt=0, description="rate of learning at first; falls to zero")
    window: int = Field(8, ge=1, description="generations whose games are learned from")

    @property
    def way(self) -> GoSelfPlay:
        """How games are played."""
        return GoSelfPlay(
            sizes=read_shares(self.sizes),
            komi_spread=self.komi_spread,
            opening=self.opening,
            result_share=self.result_share,
            search=self.gumbel,
        )


class GoGeneration(Generation[GoZeroParams]):
    """One generation."""

    def play(self) -> int:
        """Games in shards, each of one size."""
        params, run, folder = self.params, self.run, self.file("games")
        purpose, title = f"self-play {self.number}", f"{self.number:03} games"
        shards = GoShards(folder, params.games, params.shard, run.seed, purpose)
        shards.fill(params.way, self._net(self.best), run.threads, title)
        paths = shards_by_size(folder).values()
        return sum(sum(count_positions(each)) for each in paths)

    def lesson(self) -> GoLesson:
        """Whole boards of every size."""
        shards: dict[int, list[Path]] = {}
        for number in self.learned_from:
            for size, paths in shards_by_size(folder_of(self.work, number) / "games").items():
                shards.setdefault(size, []).extend(paths)
        newest = shards_by_size(self.file("games"))
        faces = faces_of(self.model, shards)
        compile_learner(self.model, faces, self.params)
        return GoLesson(
            faces=faces,
            streams={size: self._stream(shards[size], self.params.batch) for size in shards},
            turns=Turns(shares_of(shards, {}), self.run.seed),
            tested={size: self._stream(newest[size], EXAMINED) for size in newest},
            seed=self.run.seed,
        )

    def gate(self) -> Score:
        """By search, with an even komi; each chunk of pairs on a board of one size."""
        way, seed = self.params.way, self.run.seed
        new, best = self._net(self.number), self._net(self.best)
        chunk = max(1, self.params.shard // 2)

        def play(number: int) -> Score:
            size = way.drawn_size(generator(seed, f"gate size {self.number}", number))
            return played(
                self.file(f"gate/{number:05}.json"),
                searching(new(size), way.search, turned=True),
                searching(best(size), way.search, turned=True),
                lambda: GoState(size, TROMP_TAYLOR.with_komi(way.komi)),
                min(chunk, self.params.pairs - number * chunk),
                GATE_OPENING,
                generator(seed, f"gate {self.number}", number),
            )

        numbers = range(-(-self.params.pairs // chunk))
        return total(with_bar(play, numbers, self.run.threads, f"{self.number:03} gate"))

    @staticmethod
    def save_net(model: Model, path: Path) -> None:
        """With the layers that every Keras has."""
        save(slowed(model), path)

    def _net(self, number: int) -> NetOf:
        return nets_by_size(net_path(self.work, number).with_suffix(".onnx"), self.run.threads)

    def _stream(self, shards: Sequence[Path], batch: int) -> Stream:
        return Stream(shards, batch, len(shards), self.run.seed, held=2)


GATE_OPENING = 6
"""The most random moves that a game at the gate begins with."""


def compile_learner(model: Model, faces: Any, params: GoZeroParams) -> None:
    """Ready a net for all generations."""
    compile_go(model, faces, params.rate, params.generations * params.steps, LossWeights())


@dataclass(frozen=True)
class GoZeroStage(GenerationsStage[GoZeroParams]):
    """Begins with a net in a file, or a new one."""

    params: GoZeroParams
    kind = GoGeneration

    def inputs(self, run: Run) -> Mapping[str, str]:
        """The net to begin with."""
        return beginning(self.params.net, self.name, run)

    def check(self, run: Run) -> None:
        """That nothing is to be left out of the games, and that they can be played."""
        refuse_excluded(run)
        _ = self.params.way

    def new_learner(self, run: Run) -> tuple[Model, str]:
        """Raises NetError if the net to begin with is none, TrainingError if it cannot be."""
        from nets.models import make

        new = make(run.game.spec.name, self.name, self.params.width, self.params.blocks)
        model = quickened(begun(new, self.params.net, run))
        compile_learner(model, {}, self.params)
        return model, "no knowledge" if self.params.net is None else f"`{self.params.net}`"

    def finish(self, best: Path, progress: Progress, facts: Facts, run: Run) -> Facts:
        """As it is."""
        import keras

        model = keras.saving.load_model(best, compile=False)
        return finish(model, self.name, progress, facts, run, written=best, rated=False)


GO_ZERO_STAGES: Sequence[Stage[Any]] = (GoZeroStage("alphazero", (), GoZeroParams()),)
"""The stages of Go where it learns from nobody but itself."""
