"""The stages of each game, from expert moves to nets.

A stage that is to be added is a class of its own and a line in `PIPELINES`; parameters of a new
kind are also a line in `MINIATURE`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nets.train.doubts import DoubtsParams, DoubtsStage, SettleStage
from nets.train.go_rollout import GoRolloutParams
from nets.train.go_stages import GO_STAGES, GamesParams, GoFitParams
from nets.train.go_zero import GO_ZERO_STAGES, GoZeroParams
from nets.train.pipeline import Stage, StageParams
from nets.train.stages import (
    DistilParams,
    DistilStage,
    ExpertsParams,
    ExpertsStage,
    FitParams,
    OutcomesParams,
    OutcomesStage,
    SelfPlayParams,
    SelfPlayStage,
    SupervisedStage,
)
from nets.train.zero import ZeroParams, ZeroStage


def _line(
    experts: ExpertsParams,
    fast: FitParams,
    strong: FitParams,
    gradient: SelfPlayParams,
    games: OutcomesParams,
    value: FitParams,
) -> tuple[Stage[Any], ...]:
    """The stages that every game has."""
    return (
        ExpertsStage("experts", (), experts),
        SupervisedStage("fast_policy", ("experts",), fast),
        SupervisedStage("strong_policy", ("experts",), strong),
        SelfPlayStage("policy_gradient", ("strong_policy",), gradient),
        OutcomesStage("outcomes", ("policy_gradient",), games),
        SupervisedStage("value", ("outcomes",), value),
    )


SETTLE = DistilParams(
    steps=13_500,
    batch=8_192,
    rate=0.01,
    sound=0.95,
    report=250,
    held_out=0.02,
    precision="mixed_bfloat16",
    dropout=0.15,
)
"""How Connect Four's net learns all that is known, what it doubted included."""
OPENINGS = 3_356_580
"""All positions of Connect Four of at most eleven discs."""

PIPELINES: Mapping[str, Sequence[Stage[Any]]] = {
    "go": GO_STAGES,
    "coin": (
        *_line(
            experts=ExpertsParams(source="games", positions=20_000),
            fast=FitParams(steps=500),
            strong=FitParams(steps=1_500),
            gradient=SelfPlayParams(steps=20, opening=5),
            games=OutcomesParams(positions=40_000, opening=5),
            value=FitParams(steps=1_500),
        ),
        SelfPlayStage("actor_critic", (), SelfPlayParams(steps=800, opening=5, explore=0.1)),
        ZeroStage("alphazero", (), ZeroParams(opening=8, promote=0.5, examined=True)),
    ),
    "tictactoe": (
        *_line(
            experts=ExpertsParams(source="exact", positions=4_520, shard=4_520),
            fast=FitParams(steps=6_000),
            strong=FitParams(steps=15_000),
            gradient=SelfPlayParams(steps=20, opening=4, rate=0.00005),
            games=OutcomesParams(positions=60_000, opening=6),
            value=FitParams(steps=3_000),
        ),
        ZeroStage(
            "alphazero",
            (),
            ZeroParams(
                generations=10,
                games=1_000,
                shard=50,
                playouts=64,
                opening=7,
                window=6,
                steps=1_500,
                rate=0.002,
                promote=0.5,
                examined=True,
            ),
        ),
    ),
    "connect4": (
        *_line(
            experts=ExpertsParams(source="solver", positions=8_000_000, shard=4_000),
            fast=FitParams(steps=3_000, held_out=0.05),
            strong=FitParams(steps=3_000, held_out=0.05),
            gradient=SelfPlayParams(steps=16, opening=8, rate=0.00001),
            games=OutcomesParams(positions=40_000, opening=16),
            value=FitParams(steps=800, held_out=0.05, rate=0.0003),
        ),
        ExpertsStage(
            "openings",
            (),
            ExpertsParams(source="openings", positions=OPENINGS, shard=OPENINGS),
        ),
        DistilStage(
            "distil",
            ("openings", "experts"),
            SETTLE.model_copy(update={"steps": 2_000, "dropout": 0}),
        ),
        DoubtsStage("doubts", ("distil",), DoubtsParams(positions=3_000_000)),
        SettleStage("settle", ("openings", "experts", "doubts", "distil"), SETTLE),
        ZeroStage(
            "alphazero",
            ("settle", "openings", "experts", "doubts"),
            ZeroParams(
                generations=1,
                games=200,
                playouts=64,
                opening=8,
                steps=500,
                rate=0.0002,
                held_out=SETTLE.held_out,
            ),
        ),
    ),
}
"""The stages of each game, in an order in which they can be run."""

FROM_SELF_PLAY: Mapping[str, Sequence[Stage[Any]]] = {"go": GO_ZERO_STAGES}
"""The stages of games that can learn from games against themselves instead."""

FIT: Mapping[str, Any] = {"steps": 4, "batch": 32, "report": 2}

MINIATURE: Mapping[type[StageParams], Mapping[str, Any]] = {
    DoubtsParams: {"positions": 60, "shard": 30},
    ExpertsParams: {"positions": 300, "shard": 300},
    OutcomesParams: {"positions": 60, "shard": 30},
    SelfPlayParams: {"steps": 2, "games": 4, "batch": 32, "report": 1},
    FitParams: FIT,
    DistilParams: FIT,
    GamesParams: {"shard": 1_000},
    GoFitParams: {"steps": 4, "batch": 8, "report": 2, "width": 8, "blocks": 1},
    GoZeroParams: {
        "net": None,
        "width": 8,
        "blocks": 1,
        "sizes": "5:1,6:1",
        "generations": 2,
        "games": 4,
        "shard": 2,
        "playouts": 4,
        "steps": 2,
        "report": 1,
        "batch": 16,
        "pairs": 2,
    },
    GoRolloutParams: {"epochs": 1, "positions": 100, "least_seen": 4},
    ZeroParams: {
        "generations": 2,
        "games": 4,
        "shard": 2,
        "playouts": 4,
        "steps": 2,
        "batch": 32,
        "pairs": 2,
    },
}
"""What a miniature run, of seconds, does otherwise."""


def quick(stage: Stage[Any]) -> Stage[Any]:
    """The same stage in miniature, to see whether everything works."""
    return replace(stage, params=stage.params.model_copy(update=MINIATURE[type(stage.params)]))
