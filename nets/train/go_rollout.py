"""The stage that makes the fast policy of Go, which rollouts play by."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import Field

from games.whole_files import replacing, write_whole
from nets.train.arrays import UNREADABLE, read_arrays, write_arrays
from nets.train.card import duration, write_table
from nets.train.errors import TrainingError
from nets.train.fit import generator
from nets.train.go_fast import Examples, FastPolicy, examples
from nets.train.go_records import GoGames, shards_by_size
from nets.train.pipeline import Facts, Run, Stage, StageParams


class GoRolloutParams(StageParams):
    """Parameters of the fast policy."""

    epochs: int = Field(3, ge=1, description="times through the games")
    positions: int = Field(8192, ge=1, description="positions of a shard, on average")
    batch: int = Field(64, ge=1, description="positions a step")
    rate: float = Field(0.1, gt=0, le=100, description="rate of learning")
    least_seen: int = Field(40, ge=1, description="moves after which a feature has a weight")


@dataclass(frozen=True)
class GoRolloutStage(Stage[GoRolloutParams]):
    """Softmax regression on the games of another stage, a checkpoint after each shard."""

    @property
    def files(self) -> Sequence[str]:
        """The policy, which is no net, and its card."""
        return ["rollout.bin", "rollout.md"]

    def run(self, run: Run) -> Facts:
        """Learn, or go on, and write the policy and its card."""
        begun = time.monotonic()
        policy = self._learned(run)
        folder = run.folder(self.name)
        with replacing(folder / "rollout.bin") as unfinished:
            unfinished.write_bytes(policy.file())
        facts = {
            "weights": int(policy.known().sum()),
            **self._examined(policy, run),
            "last_session": duration(time.monotonic() - begun),
            "made_by": f"`{run.command}`",
        }
        card = write_table(run.game.spec.title, "rollout", facts)
        write_whole(folder / "rollout.md", card, errors="replace")
        return facts

    def _learned(self, run: Run) -> FastPolicy:
        from tqdm import tqdm

        policy = FastPolicy(self.params.least_seen, self.params.rate)
        checkpoint = run.folder(self.name) / "checkpoint.npz"
        turns = self._turns(run)
        first = _restore(policy, checkpoint)
        left = range(first, len(turns))
        for number in tqdm(left, self.name, len(turns), initial=first, unit="shard"):
            found = self._drawn(turns[number], generator(run.seed, "drawn", number))
            policy.learn(found, self.params.batch)
            write_arrays(checkpoint, {**policy.state(), "next": np.array(number + 1)})
        return policy

    def _turns(self, run: Run) -> list[Path]:
        """The shards of all epochs, each epoch in an order of its own."""
        by_size = shards_by_size(run.folder(self.needs[0]) / "train")
        shards = [path for paths in by_size.values() for path in paths]
        orders = [
            generator(run.seed, self.name, epoch).permutation(len(shards))
            for epoch in range(self.params.epochs)
        ]
        return [shards[place] for order in orders for place in order]

    def _drawn(self, path: Path, rng: np.random.Generator) -> Examples:
        games = GoGames.load(path)
        return examples(games, min(1.0, self.params.positions / len(games)), rng)

    def _examined(self, policy: FastPolicy, run: Run) -> dict[str, float]:
        """How well it does on games that it has not seen, by board size."""
        facts: dict[str, float] = {}
        shards = shards_by_size(run.folder(self.needs[0]) / "test")
        for size, paths in shards.items():
            found = self._drawn(paths[0], generator(run.seed, "tested", size))
            if not len(found):  # few positions are drawn of few
                continue
            figures = policy.examine(found)
            facts |= {f"{name}_{size}x{size}": figure for name, figure in figures.items()}
        return facts


def _restore(policy: FastPolicy, checkpoint: Path) -> int:
    """Go on from a checkpoint if there is one; the number of the next shard."""
    if not checkpoint.exists():
        return 0
    try:
        state = read_arrays(checkpoint)
        policy.restore(state)
        return int(state["next"])
    except UNREADABLE as error:
        raise TrainingError(f"{checkpoint}: {error}; give --again to begin anew") from None
