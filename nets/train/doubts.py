"""More exact answers where they teach most: at positions that a net is unsure of.

What is solved is what the net has doubts about. And the odder a game, the more often it errs: where
14 to 27 moves are left, in 0.9 % of positions if players moved at random one time in twenty, in
2.9 % if every second time, in 4.2 % if always. So the games are odd ones. But few games of random
movers get far, so some are played by who makes few blunders that are punished at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

import gtpcore
from games.begun_folders import read_json
from nets.runtime import Net
from nets.spec import NetSpec
from nets.symmetry import SYMMETRIES
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


PLAIN = 0.25
"""Positions that are doubted more than this are all wanted."""
SELDOM = 0.02
"""The share that is wanted of those that the net is surest of, which may err for all that."""
Believed = Callable[[NDArray[np.float32]], tuple[NDArray[np.float32], NDArray[np.float32]]]
"""Policies [B, A] and values [B] of planes [B, H, W, C]."""
MIRROR = SYMMETRIES["connect4"][1]
GAMES = 128
"""Of each kind at once: a net is asked about all of them, and answers many in less time each."""


@dataclass(frozen=True)
class Doubt:
    """How much a net doubts positions: as its value is unsure and it contradicts itself.

    It should choose mirrored moves in mirrored positions. Among positions of random movers where 14
    to 27 moves are left, the tenth that is doubted most holds 43 % of the mistakes of a net of 512
    x 2; by the value alone it would hold 23 %, and by the contradictions 31 %.
    """

    net: Believed
    """What a `nets.runtime.Net` does."""

    def __call__(self, states: Sequence[gtpcore.ConnectFourState]) -> NDArray[np.float64]:
        """[B]: what share of such positions is wanted, from SELDOM to 1."""
        planes = planes_of(states)
        policy, value = self.net(planes)
        mirrored, other = self.net(MIRROR.planes(planes).astype(np.float32))
        unsure = 1 - np.abs(value + other) / 2
        apart = np.abs(policy - MIRROR.policy(mirrored)).sum(axis=1)
        doubt: NDArray[np.float64] = np.clip(unsure * apart / PLAIN, SELDOM, 1).astype(np.float64)
        return doubt


def odd_players(net: Believed) -> list[Choose]:
    """Random movers; who mostly sees what is lost or won at once; and the net, half at random."""
    return [
        uniform,
        uniform,
        either(exact(2), uniform, 0.3),
        either(stochastic(lambda planes: net(planes)[0]), uniform, 0.5),
    ]


def _believed(net: Net) -> Believed:
    def both(planes: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        policy, value = net(planes)
        assert policy is not None
        assert value is not None
        return policy, value

    return both


class DoubtsStage(RecordsStage):
    """Solved positions that the net of the stage before doubts."""

    in_threads = True
    params: DoubtsParams

    def maker(self, run: Run) -> Callable[[int, np.random.Generator], Records]:
        """The experts' solver, without the openings, all of which are taught."""
        (taught,) = self.needs
        net = _believed(Net(run.folder(taught) / f"{taught}.onnx", NetSpec.of(run.game)))
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
        self.check_also()
        taught, share = self.needs[-1], self.params.held_out
        least = read_json(run.folder(taught) / "settings.json")["params"]["held_out"]
        if self.params.net is None and share > least:
            raise TrainingError(
                f"{self.name}.held_out={share}: expected at most that of {taught}, {least}, which "
                "was taught the rest"
            )

    def first_model(self, run: Run, precision: str, taught: Records | None = None) -> Model:
        """With what that net has learned, or another that is named."""
        model = super().first_model(run, precision, taught)
        if self.params.net is None:
            model.set_weights(load_model(self.needs[-1], run).get_weights())
        return model
