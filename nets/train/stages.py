"""The stages of the small games: positions to learn from, and nets that learn from them."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from games.begun_folders import digest_of, read_json
from nets.convert import digest
from nets.spec import NetSpec
from nets.threads import in_threads
from nets.train.actor_critic import ActorCritic
from nets.train.errors import TrainingError
from nets.train.excluded import excluded_keys
from nets.train.experts import ALL_AT_ONCE, EXPERTS
from nets.train.first_net import FirstNetParams, FirstNetStage, begun
from nets.train.fit import Model, generator, learn, prepare
from nets.train.lockstep import start_of, stochastic
from nets.train.pipeline import Facts, Run, Stage, StageParams
from nets.train.quick import forgetful
from nets.train.records import Records, distinct, read_folder, shard_path, shards
from nets.train.reinforce import Reinforce, freeze_normalization, policy_of
from nets.train.results import finish, load_model
from nets.train.strength import match
from nets.train.supervised import Supervised, accuracy, compile_model
from nets.train.value import outcomes


class RecordsParams(StageParams):
    """Parameters of stages that make positions to learn from."""

    positions: int = Field(10_000, ge=1, description="positions to make")
    shard: int = Field(2_000, ge=1, description="positions of a shard, what a kill may lose")


class ExpertsParams(RecordsParams):
    """Parameters of `experts`."""

    source: str = Field(description="whose moves: an expert of the game")


class OutcomesParams(RecordsParams):
    """Parameters of `outcomes`."""

    opening: int = Field(2, ge=0, le=10_000, description="the most random moves a game begins with")
    kept: int = Field(4, ge=1, description="positions of a game that are learned from")


class FitParams(FirstNetParams):
    """Parameters of supervised learning."""

    steps: int = Field(1_000, ge=1, description="steps of the optimizer")
    batch: int = Field(256, ge=1, description="positions a step")
    rate: float = Field(0.002, gt=0, description="rate of learning at first; falls to zero")
    sound: float = Field(
        0.0,
        ge=0,
        le=1,
        description="share of the policy's loss that asks for any move that keeps the outcome",
    )
    held_out: float = Field(0, ge=0, lt=1, description="share of positions to test on only")
    also: Path | None = Field(
        None, description="a folder of records that another run made, to learn from besides"
    )
    distinct: bool = Field(False, description="whether each position counts once")
    report: int = Field(100, ge=1, description="steps between two checkpoints")
    precision: Literal["float32", "mixed_bfloat16"] = Field(
        "float32", description="of the arithmetic while learning"
    )


class DistilParams(FitParams):
    """Parameters of learning from exact answers."""

    dropout: float = Field(
        0, ge=0, lt=1, description="share of what convolutions say that is hidden while learning"
    )


class SelfPlayParams(StageParams):
    """Parameters of learning from games of a net against itself."""

    steps: int = Field(100, ge=1, description="rounds of games")
    games: int = Field(256, ge=2, description="games a round")
    batch: int = Field(256, ge=1, description="moves of one step of the optimizer")
    rate: float = Field(0.0005, gt=0, description="rate of learning; stays as it is")
    opening: int = Field(2, ge=0, le=10_000, description="the most random moves a game begins with")
    explore: float = Field(0, ge=0, lt=1, description="share of random moves later on")
    report: int = Field(5, ge=1, description="rounds between two checkpoints")


@dataclass(frozen=True)
class RecordsStage(Stage[RecordsParams]):
    """Fills a folder with shards."""

    in_threads: ClassVar[bool] = False
    """Whether several shards may be made at once."""

    @property
    def by_games(self) -> bool:
        """Whether positions are told what their game came to, as are others of that game."""
        return False

    @abstractmethod
    def maker(self, run: Run) -> Callable[[int, np.random.Generator], Records]:
        """What makes about so many positions."""

    def run(self, run: Run) -> Facts:
        """Make the shards that are missing; each has a generator of its own."""
        from tqdm import tqdm

        make, folder, size = self.maker(run), run.folder(self.name), self.params.shard
        known = excluded_keys(run)

        def fill(number: int) -> None:
            count = min(size, self.params.positions - number * size)
            records = make(count, generator(run.seed, self.name, number))
            allowed = ~np.isin(records.keys(run.game.spec.name), known)
            records[allowed].save(shard_path(folder, number))

        numbers = range(-(-self.params.positions // size))
        missing = [number for number in numbers if not shard_path(folder, number).exists()]
        done = len(numbers) - len(missing)
        with (
            tqdm(total=len(numbers), initial=done, desc=self.name, unit="shard") as bar,
            closing(in_threads(fill, missing, run.threads if self.in_threads else 1)) as shards,
        ):
            for _ in shards:
                bar.update()
        return {"positions": len(read_folder(folder)), "by_games": self.by_games}


class ExpertsStage(RecordsStage):
    """Expert moves."""

    in_threads = True
    params: ExpertsParams

    @property
    def by_games(self) -> bool:
        """True of experts that play."""
        return self.params.source == "games"

    def check(self, run: Run) -> None:
        """That there is an expert of that name, who makes no position twice."""
        experts = EXPERTS[run.game.spec.name]
        if self.params.source not in experts:
            raise TrainingError(
                f"source {self.params.source!r}: expected one of {', '.join(experts)}"
            )
        if self.params.source in ALL_AT_ONCE and self.params.shard < self.params.positions:
            raise TrainingError(
                f"{self.name}: shard={self.params.shard}: source {self.params.source!r} makes each "
                f"position once in a shard: expected one shard of all {self.params.positions}"
            )

    def maker(self, run: Run) -> Callable[[int, np.random.Generator], Records]:
        """The expert."""
        expert = EXPERTS[run.game.spec.name][self.params.source]
        return lambda size, rng: expert(start_of(run.game), size, rng)


class OutcomesStage(RecordsStage):
    """Outcomes of games of the stage before against itself."""

    params: OutcomesParams
    by_games = True

    def maker(self, run: Run) -> Callable[[int, np.random.Generator], Records]:
        """Games of the net, with moves drawn by its policy."""
        player = stochastic(policy_of(load_model(self.needs[0], run)))
        opening, kept = self.params.opening, self.params.kept
        return lambda size, rng: outcomes(
            player, start_of(run.game), -(-size // kept), opening, kept, rng
        )


@dataclass(frozen=True)
class NetStage(Stage[Any]):
    """Makes the net of the role that it is named after."""

    has_role = True

    @property
    def shape(self) -> str:
        """The role of the nets that look like the one it makes."""
        return self.name

    def _checkpoint(self, run: Run) -> Path:
        return run.folder(self.name) / "checkpoint.npz"

    def _new_model(self, run: Run, precision: str = "float32") -> Model:
        from nets.models import make

        prepare(run.seed)
        return make(run.game.spec.name, self.shape, precision=precision)


class SupervisedStage(FirstNetStage, NetStage):
    """Learns from the records of another stage."""

    params: FitParams

    def run(self, run: Run) -> Facts:
        """Fit the net to the records."""
        game, params = run.game.spec.name, self.params
        sources = self._folders(run)
        parts = [self._records(f, run).split(game, params.held_out) for f in sources.values()]
        taught, tested = zip(*parts, strict=True)
        train, test = Records.join(taught), Records.join(tested)
        if not len(train):
            raise TrainingError(
                f"{self.name}: held_out={params.held_out}: expected a share that leaves some of "
                f"{len(test)} positions to learn from"
            )
        first = self.first_model(run, params.precision, train)
        known = first.get_weights()
        learner = self.learner(first, run)
        compile_model(learner, params.rate, params.steps, params.sound)
        lesson = Supervised(learner, game, train, test, params.batch, run.seed)
        checkpoint = self._checkpoint(run)
        progress = learn(
            learner, lesson, params.steps, params.report, checkpoint, self.name, run.threads
        )
        model = self._new_model(run)
        model.set_weights(params.result(known, learner.get_weights()))
        facts = {
            "learned_from": f"{len(train):,} positions of {_listed(sources)}",
            "tested_on": self.tested_on(len(test), run),
            **accuracy(model, lesson.tested),
            **self._by_source(model, dict(zip(sources, tested, strict=True))),
        }
        return finish(model, self.name, progress, facts, run)

    def _by_source(self, model: Model, tested: Mapping[str, Records]) -> Facts:
        """How well the net does on the test positions of each of several sources."""
        if len(tested) == 1:
            return {}
        return {
            f"{figure}_of_{source}": result
            for source, records in tested.items()
            if len(records)
            for figure, result in accuracy(model, records).items()
        }

    def tested_on(self, count: int, run: Run) -> str:
        """So many positions, in words: they were not taught, but others of their games were."""
        if not count:
            return "the same positions"
        made = [folder / "done.json" for folder in self._folders(run).values()]
        by_games = any(read_json(path).get("by_games") for path in made if path.exists())
        return f"{count:,} other positions" + (", many of the same games" if by_games else "")

    def first_model(self, run: Run, precision: str, taught: Records | None = None) -> Model:
        """The net that all begins with: a new one, or one that is named. Raises TrainingError."""
        return begun(self._new_model(run, precision), self.params.net, run, taught)

    def learner(self, first: Model, run: Run) -> Model:
        """A copy of the net that all begins with, made for learning."""
        return self.params.learner(first)

    @property
    def sources(self) -> Sequence[str]:
        """The stages whose records it learns from."""
        return self.needs

    def check(self, run: Run) -> None:
        """That what it is to learn from and to keep of is there."""
        super().check(run)
        self.check_also()

    def inputs(self, run: Run) -> Mapping[str, str]:
        """The net to begin with, and another run's records."""
        also = shards(self.params.also) if self.params.also else []
        records = {"records": digest_of([digest(path) for path in also])} if also else {}
        return {**super().inputs(run), **records}

    def check_also(self) -> None:
        """That there are another run's records, if a folder of such is named.

        Raises TrainingError.
        """
        also = self.params.also
        if also and not shards(also):
            raise TrainingError(
                f"{self.name}.also={also}: expected a folder of shards of records, as a run has "
                "in experts or doubts"
            )

    def _folders(self, run: Run) -> Mapping[str, Path]:
        """Where the records lie that it learns from, by what its card calls them."""
        also = {"also": self.params.also} if self.params.also else {}
        return {**{name: run.folder(name) for name in self.sources}, **also}

    def _others(self, folder: Path, run: Run) -> Records:
        """Another run's records, without what this one excludes. Raises TrainingError."""
        records, spec = read_folder(folder), NetSpec.of(run.game)
        if (records.shape, records.policy.shape[1]) != (spec.planes, spec.num_actions):
            raise TrainingError(
                f"{self.name}.also={folder}: planes of shape {records.shape}: expected "
                f"records of {spec.game}, of {spec.planes}"
            )
        return records[~np.isin(records.keys(spec.game), excluded_keys(run))]

    def _records(self, folder: Path, run: Run) -> Records:
        records = self._others(folder, run) if folder == self.params.also else read_folder(folder)
        return distinct(records, run.game.spec.name) if self.params.distinct else records


class DistilStage(SupervisedStage):
    """Learns the policy and the value of exact answers; AlphaZero begins with its net."""

    has_role = False
    params: DistilParams

    def learner(self, first: Model, run: Run) -> Model:
        """One that is shown only a part, if so wanted."""
        return super().learner(forgetful(first, self.params.dropout, run.seed), run)

    @property
    def shape(self) -> str:
        """That of AlphaZero's."""
        return "alphazero"


class SelfPlayStage(NetStage):
    """Learns from games against itself: an actor-critic if the net has a value, else REINFORCE.

    Begins with the policy of the stage that it needs, or with no knowledge if it needs none.
    """

    params: SelfPlayParams

    def run(self, run: Run) -> Facts:
        """Play and learn."""
        params = self.params
        model = compile_model(self._first_model(run), params.rate, None)
        lesson = (ActorCritic if "value" in model.output_names else Reinforce)(
            model,
            run.game.spec.name,
            start_of(run.game),
            params.games,
            params.opening,
            params.explore,
            params.batch,
            run.seed,
            excluded_keys(run),
        )
        progress = learn(
            model, lesson, params.steps, params.report, self._checkpoint(run), self.name
        )
        games = f"{params.steps * lesson.played:,} games against itself"
        facts = {"learned_from": games, **self._gain(model, run)}
        return finish(model, self.name, progress, facts, run)

    def _first_model(self, run: Run) -> Model:
        model = self._new_model(run)
        if self.needs:
            model.set_weights(load_model(self.needs[0], run).get_weights())
        return freeze_normalization(model)

    def _gain(self, model: Model, run: Run) -> Facts:
        """How it does against the policy that it began with, both drawing their moves."""
        players = [stochastic(policy_of(m)) for m in (model, self._first_model(run))]
        rng = generator(run.seed, "gain", 0)
        games, opening = 2 * run.judged, self.params.opening
        score = match(players[0], players[1], start_of(run.game), games, opening, rng)
        return {f"against_{self.needs[0] if self.needs else 'itself_untrained'}": str(score)}


def _listed(names: Iterable[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)
