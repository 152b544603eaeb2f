"""The stages of Go: games from a folder into shards, and a net that learns from them."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from nets.train.errors import TrainingError
from nets.train.excluded import refuse_excluded
from nets.train.first_net import FirstNetParams, FirstNetStage, begun
from nets.train.fit import Model, learn, prepare
from nets.train.go_lesson import GoLesson, LossWeights, accuracy, compile_go, faces_of
from nets.train.go_records import ShardWriter, count_games, shards_by_size
from nets.train.go_rollout import GoRolloutParams, GoRolloutStage
from nets.train.go_sources import digest_of_files, game_files, import_games, no_games
from nets.train.go_stream import SIZES, Stream, Turns, read_shares, shares_of
from nets.train.pipeline import Facts, Run, Stage, StageParams
from nets.train.results import finish

EXAMINED = 1_024
"""Positions of each size in a look at how well a net does, of which there are many."""
TESTED = 16
"""Such looks in the last one, whose figures are in the model card."""

Shards = Mapping[int, Sequence[Path]]


class GamesParams(StageParams):
    """Parameters of `games`."""

    held_out: float = Field(0.02, ge=0, lt=1, description="share of games to test on only")
    shard: int = Field(65_536, ge=1, description="positions of a shard")


class GoFitParams(FirstNetParams):
    """Parameters of a net of Go that learns from games."""

    steps: int = Field(20_000, ge=1, description="steps of the optimizer")
    batch: int = Field(256, ge=1, description="positions a step")
    rate: float = Field(0.002, gt=0, description="rate of learning at first; falls to zero")
    sizes: str = Field(
        "",
        pattern=f"{SIZES}|^$",
        description="shares of board sizes in the steps, such as 9:2,19:1; by default as in games",
    )
    width: int | None = Field(None, ge=1, description="channels; none: the usual")
    blocks: int | None = Field(None, ge=0, description="residual blocks; none: the usual")
    policy: float = Field(1, ge=0, description="weight of the loss of moves")
    value: float = Field(1, ge=0, description="weight of the loss of results")
    score: float = Field(0.5, ge=0, description="weight of the loss of leads")
    ownership: float = Field(0.5, ge=0, description="weight of the loss of owners")
    trace: float = Field(
        0.8,
        ge=0,
        le=1,
        description="how far labelled values and scores of later positions reach back",
    )
    window: int = Field(
        8,
        ge=1,
        description="shards of a size in memory at once; twice as many with several threads",
    )
    report: int = Field(500, ge=1, description="steps between two checkpoints")
    precision: Literal["float32", "mixed_bfloat16"] = Field(
        "float32", description="of the arithmetic while learning"
    )

    @property
    def shares(self) -> dict[int, float]:
        """`sizes` as numbers."""
        return read_shares(self.sizes) if self.sizes else {}

    @property
    def weights(self) -> LossWeights:
        """Of the losses."""
        return LossWeights(self.policy, self.value, self.score, self.ownership)


@dataclass(frozen=True)
class GamesStage(Stage[GamesParams]):
    """Reads the games of a folder into shards."""

    def check(self, run: Run) -> None:
        """That there are games, and nothing is to be left out of them."""
        refuse_excluded(run)
        if run.source is None:
            raise TrainingError("no games to learn from: give --from DIR, a folder of them")
        self._check_apart(run.source.resolve(), run)
        if not game_files(run.source, run.work):
            raise no_games(run.source)

    def run(self, run: Run) -> Facts:
        """Read them all, as begun shards are soon made again."""
        assert run.source is not None, "checked"
        train, test = (self._writer(run.folder(self.name) / name) for name in ("train", "test"))
        paths = game_files(run.source, run.work)
        job = import_games(run.source, paths, train, test, self.params.held_out)
        return {**job.games, "left_out": dict(job.left_out.counts)}

    def inputs(self, run: Run) -> Mapping[str, str]:
        """The games."""
        if run.source is None:
            return {}
        paths = game_files(run.source, run.work)
        return {"files": digest_of_files(paths, run.source)} if paths else {}

    def _check_apart(self, source: Path, run: Run) -> None:
        """Raise TrainingError if what is made would be read as games, or cleared before it is."""
        own = run.folder(self.name).resolve()
        if source == run.work.resolve() or own in (source, *source.parents):
            raise TrainingError(
                f"--from {run.source}: results go there: expected another folder than {run.work}, "
                "as --work"
            )

    def _writer(self, folder: Path) -> ShardWriter:
        """What fills a folder that is empty now."""
        shutil.rmtree(folder, ignore_errors=True)
        return ShardWriter(folder, self.params.shard)


class GoNetStage(FirstNetStage):
    """Teaches a net of all sizes by the games of another stage."""

    has_role = True
    params: GoFitParams

    def run(self, run: Run) -> Facts:
        """Learn, or go on, and write the net's files."""
        params = self.params
        first = begun(self._new_model(run, params.precision), params.net, run)
        known = first.get_weights()
        learner = params.learner(first)
        lesson = self._lesson(learner, run)
        checkpoint = run.folder(self.name) / "checkpoint.npz"
        progress = learn(
            learner, lesson, params.steps, params.report, checkpoint, self.name, run.threads
        )
        model = self._new_model(run)
        model.set_weights(params.result(known, learner.get_weights()))
        figures = accuracy(faces_of(model, lesson.tested), lesson.tested, TESTED)
        facts = {**self._of_games(lesson, run), **figures}
        return finish(model, self.name, progress, facts, run, rated=False)

    def _lesson(self, model: Model, run: Run) -> GoLesson:
        params, folder = self.params, run.folder(self.needs[0])
        train, test = (shards_by_size(folder / name) for name in ("train", "test"))
        shares = shares_of(train, params.shares)
        tested = test or train  # sizes without games to test on have no figure
        faces = faces_of(model, {*shares, *tested})
        compile_go(model, faces, params.rate, params.steps, params.weights)
        return GoLesson(
            faces=faces,
            streams=self._streams(
                {size: train[size] for size in shares}, params.batch, run, params.trace
            ),
            turns=Turns(shares, run.seed),
            # By the labels as they are, lest nets that learned with other traces do not compare.
            tested=self._streams(tested, EXAMINED, run, trace=0),
            seed=run.seed,
        )

    def _streams(self, shards: Shards, batch: int, run: Run, trace: float) -> dict[int, Stream]:
        held = 1 if run.threads == 1 else 2
        return {
            size: Stream(paths, batch, self.params.window, run.seed, trace, held)
            for size, paths in shards.items()
        }

    def _of_games(self, lesson: GoLesson, run: Run) -> Facts:
        """What it learned from, perhaps not all sizes, and what it is tested on."""
        taught = sum(sum(count_games(stream.shards)) for stream in lesson.streams.values())
        test = run.facts(self.needs[0])["games_to_test_on"]
        return {
            "learned_from": f"{taught:,} games",
            "tested_on": f"{test:,} other games" if test else "the same games",
            "loss_weights": asdict(self.params.weights),
            "began_with": self.params.net or "no knowledge",
        }

    def _new_model(self, run: Run, precision: str = "float32") -> Model:
        from nets.models import make

        prepare(run.seed)
        return make(run.game.spec.name, self.name, self.params.width, self.params.blocks, precision)


GO_STAGES: Sequence[Stage[Any]] = (
    GamesStage("games", (), GamesParams()),
    GoNetStage("alphazero", ("games",), GoFitParams()),
    GoRolloutStage("rollout", ("games",), GoRolloutParams()),
)
"""The stages of Go, in an order in which they can be run."""
