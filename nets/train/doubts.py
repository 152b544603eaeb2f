"""More exact answers where they teach most: at positions that a net is unsure of.

A taught net knows the value of three of four positions of Connect Four that games lead to, and of
its choices there one in a hundred and fifty is wrong; at the fourth it is one in sixteen. So what
is solved is what the net has doubts about. And the odder a game, the more often it errs: where 14
to 27 moves are left, in 0.9 % of positions if players moved at random one time in twenty, in 2.9 %
if every second time, in 4.2 % if always. So the games are odd ones. But few games of random movers
get far, so some are played by who makes no blunder that is punished at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

import gtpcore
from games.begun_folders import read_json
from nets.runtime import Answer, Net
from nets.spec import NetSpec
from nets.train.connect4_openings import SOLVED_DISCS
from nets.train.errors import TrainingError
from nets.train.fit import Model
from nets.train.lockstep import (
    Choose,
    either,
    exact,
    planes_of,
    start_of,
    stochastic,
    uniform,
)
from nets.train.pipeline import Run
from nets.train.records import Records
from nets.train.results import load_model
from nets.train.solved import Solved
from nets.train.stages import DistilStage, RecordsParams, RecordsStage


class DoubtsParams(RecordsParams):
    """Parameters of `doubts`."""

    common: int = Field(
        17, ge=8, description="discs from which on positions are kept alike; those before are rarer"
    )
    rarity: float = Field(
        0.4, gt=0, le=1, description="positions kept with one disc less, for each one kept"
    )


SURE = 0.97
"""Positions whose value is nearer to 0 than this are all wanted."""
SELDOM = 0.05
"""The share that is wanted of those that the net is surest of, which may err for all that."""
GAMES = 128
"""Of each kind at once: a net is asked about all of them, and answers many in less time each."""


@dataclass(frozen=True)
class Doubt:
    """How much a net doubts positions."""

    net: Callable[[NDArray[np.float32]], Answer]
    """What a `nets.runtime.Net` does."""

    def __call__(self, states: Sequence[gtpcore.ConnectFourState]) -> NDArray[np.float64]:
        """[B]: what share of such positions is wanted, from SELDOM to 1."""
        _, value = self.net(planes_of(states))
        assert value is not None
        doubt = (1 - np.abs(value.astype(np.float64))) / (1 - SURE)
        return np.clip(doubt, SELDOM, 1)


def odd_players(net: Callable[[NDArray[np.float32]], Answer]) -> list[Choose]:
    """A random mover; one that only sees what is lost or won at once, and so plays long games; and
    the net, which moves at random every second time.
    """

    def policy(planes: NDArray[np.float32]) -> NDArray[np.float32]:
        said, _ = net(planes)
        assert said is not None
        return said

    return [
        uniform,
        either(exact(2), uniform, 0.1),
        either(stochastic(policy), uniform, 0.5),
    ]


class DoubtsStage(RecordsStage):
    """Solved positions that the net of the stage before doubts."""

    in_threads = True
    params: DoubtsParams

    def maker(self, run: Run) -> Callable[[int, np.random.Generator], Records]:
        """The experts' solver, without the openings, all of which are taught."""
        (taught,) = self.needs
        net = Net(run.folder(taught) / f"{taught}.onnx", NetSpec.of(run.game))
        solved = Solved(
            common=self.params.common,
            rarity=self.params.rarity,
            kept=1.0,
            least_discs=SOLVED_DISCS,
            players=odd_players(net),
            games=GAMES,
            interest=Doubt(net),
        )
        return lambda size, rng: solved(start_of(run.game), size, rng)


class SettleStage(DistilStage):
    """The net that it needs last goes on learning, by the records of the stages named before."""

    @property
    def sources(self) -> Sequence[str]:
        """All but the last that it needs."""
        return self.needs[:-1]

    def check(self, run: Run) -> None:
        """That it tests on nothing that the net it begins with was taught.

        There always is a net to begin with. What a named one was taught nobody knows.
        """
        taught, share = self.needs[-1], self.params.held_out
        least = read_json(run.folder(taught) / "settings.json")["params"]["held_out"]
        if self.params.net is None and share > least:
            raise TrainingError(
                f"{self.name}.held_out={share}: expected at most that of {taught}, {least}, which "
                "was taught the rest"
            )

    def first_model(self, run: Run, precision: str) -> Model:
        """With what that net has learned, or another that is named."""
        model = super().first_model(run, precision)
        if self.params.net is None:
            model.set_weights(load_model(self.needs[-1], run).get_weights())
        return model
