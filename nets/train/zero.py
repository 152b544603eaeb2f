"""AlphaZero of the small games, whose positions are learned as they are (`generations.py`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import Field

import gtpcore
from nets.runtime import Net
from nets.spec import NetSpec
from nets.train.excluded import excluded_keys
from nets.train.experts import every_position
from nets.train.fit import Model, Progress, generator
from nets.train.gate import mistakes, played, total
from nets.train.generations import (
    Generation,
    GenerationsParams,
    GenerationsStage,
    folder_of,
    net_path,
    with_bar,
)
from nets.train.lockstep import deterministic, opened, start_of
from nets.train.pipeline import Facts, Run
from nets.train.records import Records, read_folder, shard_path
from nets.train.reinforce import policy_of
from nets.train.results import finish, load_model
from nets.train.selfplay import Searcher, at_once, play_episode, searching
from nets.train.strength import Score
from nets.train.supervised import Supervised, compile_model


class ZeroParams(GenerationsParams):
    """Parameters of `alphazero`."""

    examined: bool = Field(False, description="count mistakes in all positions, if they are few")
    held_out: float = Field(
        0, ge=0, lt=1, description="share of the positions of other stages not to be reminded of"
    )


class ZeroGeneration(Generation[ZeroParams]):
    """One generation."""

    def play(self) -> int:
        """Games in shards of packed positions."""
        search = Searcher(load_net(self.work, self.best, self.run), self.params.gumbel)
        known = excluded_keys(self.run)
        size, games = self.params.shard, self.params.games

        def fill(number: int) -> None:
            places = range(number * size, min(games, (number + 1) * size))
            records = Records.join(at_once(lambda place: self._episode(place, search), places))
            allowed = ~np.isin(records.keys(self.run.game.spec.name), known)
            records[allowed].save(shard_path(self.file("games"), number))

        numbers = range(-(-games // size))
        missing = [n for n in numbers if not shard_path(self.file("games"), n).exists()]
        with_bar(fill, missing, self.run.threads, f"{self.number:03} games")
        return len(self._records(self.number))

    def _episode(self, place: int, search: Searcher) -> Records:
        rng = generator(self.run.seed, f"self-play {self.number}", place)
        (start,) = opened(start_of(self.run.game), 1, self.params.opening, rng)
        episode = play_episode(start, search, rng)
        return episode.records(self.params.result_share)

    def lesson(self) -> Supervised:
        """Positions in random order."""
        records = self.reminded([self._records(number) for number in self.learned_from])
        none = records[np.zeros(0, np.intp)]
        game, batch = self.run.game.spec.name, self.params.batch
        return Supervised(self.model, game, records, none, batch, self.run.seed)

    def gate(self) -> Score:
        """By search, from random openings."""
        new, best = (load_net(self.work, n, self.run) for n in (self.number, self.best))
        size = max(1, self.params.shard // 2)

        def play(number: int) -> Score:
            return played(
                self.file(f"gate/{number:05}.json"),
                searching(new, self.params.gumbel),
                searching(best, self.params.gumbel),
                start_of(self.run.game),
                min(size, self.params.pairs - number * size),
                self.params.opening,
                generator(self.run.seed, f"gate {self.number}", number),
            )

        numbers = range(-(-self.params.pairs // size))
        return total(with_bar(play, numbers, self.run.threads, f"{self.number:03} gate"))

    def _records(self, number: int) -> Records:
        return read_folder(folder_of(self.work, number) / "games")

    def reminded(self, played: Sequence[Records]) -> Records:
        """With as many exact answers as positions, lest what a net was taught is forgotten."""
        if not self.taught:
            return Records.join(played)
        game, share = self.run.game.spec.name, self.params.held_out
        folders = [read_folder(self.run.folder(name)) for name in self.taught]
        taught = Records.join([records.split(game, share)[0] for records in folders])
        rng = generator(self.run.seed, "reminders", self.number)
        drawn = rng.permutation(len(taught))[: sum(map(len, played))]
        return Records.join([*played, taught[np.sort(drawn)]])


@dataclass(frozen=True)
class ZeroStage(GenerationsStage[ZeroParams]):
    """Begins with the net of the stage it needs first, or knows nothing.

    Half of what it learns is from the positions of the other stages it needs, if there are any.
    """

    params: ZeroParams
    kind = ZeroGeneration

    def new_learner(self, run: Run) -> tuple[Model, str]:
        """The game's usual net."""
        from nets.models import make

        params, began_with = self.params, "no knowledge"
        model = make(run.game.spec.name, self.name)
        if self.needs:
            model.set_weights(load_model(self.needs[0], run).get_weights())
            began_with = f"`{self.needs[0]}`, of {run.facts(self.needs[0])['learned_from']}"
        compile_model(model, params.rate, params.generations * params.steps)
        return model, began_with

    def finish(self, best: Path, progress: Progress, facts: Facts, run: Run) -> Facts:
        """With its mistakes, where all positions can be examined."""
        import keras

        model = keras.saving.load_model(best, compile=False)
        facts = {**facts, **self._exam(model, best, run)}
        return finish(model, self.name, progress, facts, run, written=best)

    def _exam(self, model: Model, best: Path, run: Run) -> Facts:
        if not self.params.examined:
            return {}
        states = list(every_position(start_of(run.game)()))
        search = searching(_load(best, run), self.params.gumbel)
        wrong = mistakes(deterministic(policy_of(model)), states), mistakes(search, states)
        names = ("mistakes_of_the_net_alone", "mistakes_with_search")
        return {
            name: f"{count:,} in all {len(states):,} positions"
            for name, count in zip(names, wrong, strict=True)
        }


def load_net(work: Path, number: int, run: Run) -> gtpcore.Net:
    """The net of a generation, to play with."""
    return _load(net_path(work, number), run)


def _load(path: Path, run: Run) -> gtpcore.Net:
    net = Net(path.with_suffix(".onnx"), NetSpec.of(run.game))
    return net.native(gathers=run.threads)
