"""What a net of Go is taught by games: whole boards of every size, in one net.

Its targets are the label's moves, the expected result and lead, and who had each point in the end;
the last two tell a net why a position is won, which makes it learn faster (Wu, Accelerating
self-play learning in Go, 2019).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nets.spec import INPUT
from nets.train.fit import Figures, Model, count_losses, generator
from nets.train.go_records import GoBatch
from nets.train.go_stream import Stream, Turns
from nets.train.muon import arithmetic_of, muon
from nets.train.supervised import Example, on_device, outputs, train_by, value_loss

SCORE_UNIT = 10.0
"""Points by which a score may be wrong before its loss grows in a line instead of as a square."""


@dataclass(frozen=True)
class LossWeights:
    """How much each output of a net counts in what it learns."""

    policy: float = 1.0
    value: float = 1.0
    score: float = 0.5
    ownership: float = 0.5


def faces_of(model: Model, sizes: Iterable[int]) -> dict[int, Model]:
    """The net as it is for each board size; they share its weights.

    The shapes of such a one never change. A net of all sizes would be compiled for those that it
    meets first, and learn a little otherwise after an interruption.
    """
    import keras

    def face(size: int) -> Model:
        planes = keras.Input((size, size, model.input_shape[-1]), name=INPUT)
        return keras.Model(planes, model(planes), name=f"{model.name}_{size}")

    return {size: face(size) for size in sizes}


def compile_go(
    model: Model, faces: Mapping[int, Model], rate: float, steps: int, weights: LossWeights
) -> None:
    """Ready a net for learning by its faces, which share an optimizer.

    That is Muon, whose rate falls to zero over `steps` by a cosine.
    """
    import keras

    schedule = keras.optimizers.schedules.CosineDecay(rate, steps)
    optimizer = muon(schedule, arithmetic=arithmetic_of(model))
    optimizer.build(model.trainable_variables)
    for each in (model, *faces.values()):
        each.compile(
            optimizer=optimizer,
            loss={
                "policy": "categorical_crossentropy",
                "value": value_loss,
                "score": score_loss,
                "ownership": ownership_loss,
            },
            loss_weights={f.name: getattr(weights, f.name) for f in fields(weights)},
        )
    for face in faces.values():
        count_losses(face)


def score_loss(target: Any, score: Any) -> Any:
    """[B]: Huber's loss of leads [B, 1] in points."""
    import keras

    return keras.losses.huber(target / SCORE_UNIT, score / SCORE_UNIT)


def ownership_loss(target: Any, ownership: Any) -> Any:
    """[B]: the mean over the points of [B, H, W] of the cross-entropy, as in `value_loss`."""
    import keras

    return keras.ops.mean(value_loss(target, ownership), axis=-1)


def go_example(batch: GoBatch) -> Example:
    """What a step learns from a batch."""
    known = np.ones(len(batch.value), np.float32)
    return on_device(
        (
            batch.planes,
            {
                "policy": batch.policy,
                "value": batch.value[:, None],
                "score": batch.score[:, None],
                "ownership": batch.ownership,
            },
            {
                "policy": known,
                "value": known,
                "score": batch.has_score,
                "ownership": batch.has_ownership,
            },
        )
    )


@dataclass
class GoLesson:
    """Lesson: positions of games, each step of one board size, in random symmetric images."""

    faces: Mapping[int, Model]
    """The net by board size, compiled."""
    streams: Mapping[int, Stream]
    """By board size."""
    turns: Turns
    tested: Mapping[int, Stream]
    """By board size, to examine with: other games."""
    seed: int

    def draw(self, number: int) -> tuple[int, Example]:
        """The board size of a step, and a batch of it."""
        size, place = self.turns.turn(number)
        turns = generator(self.seed, "turn", number)
        return size, go_example(self.streams[size].draw(place, turns))

    def step(self, drawn: tuple[int, Example]) -> Figures:
        """Learn from one batch."""
        size, batch = drawn
        return train_by(self.faces[size], batch)

    def examine(self) -> Figures:
        """As `accuracy` has it, of the first batch of each size."""
        return accuracy(self.faces, self.tested, 1)


def accuracy(
    faces: Mapping[int, Model], tested: Mapping[int, Stream], batches: int
) -> dict[str, float]:
    """How well a net does on so many batches of each board size; fewer if an epoch has fewer.

    `policy_accuracy_9x9` and so on: how often its first choice is the label's. Over all sizes:
    `value_mse`, the mean square of the error of its value; `score_error` and `ownership_error`,
    how far its lead is from the target on average, in points, and its ownership, from 0 to 2; left
    out where no target is known.
    """
    figures: dict[str, float] = {}
    marks: dict[str, list[NDArray[Any]]] = {}
    for size, stream in sorted(tested.items()):
        found = []
        for number in range(min(batches, stream.epoch)):
            batch = stream.draw(number)
            answers = outputs(faces[size], batch.planes)
            found.append(answers["policy"].argmax(axis=1) == batch.policy.argmax(axis=1))
            for name, each in _errors(answers, batch).items():
                marks.setdefault(name, []).append(each)
        figures[f"policy_accuracy_{size}x{size}"] = float(np.concatenate(found).mean())
    known = {name: np.concatenate(each) for name, each in marks.items()}
    return {**figures, **{name: float(each.mean()) for name, each in known.items() if each.size}}


def _errors(found: Mapping[str, NDArray[Any]], batch: GoBatch) -> dict[str, NDArray[Any]]:
    """Of each position whose target is known."""
    ownership = np.abs(found["ownership"] - batch.ownership).mean(axis=(1, 2))
    return {
        "value_mse": (found["value"] - batch.value) ** 2,
        "score_error": np.abs(found["score"][:, 0] - batch.score)[batch.has_score > 0],
        "ownership_error": ownership[batch.has_ownership > 0],
    }
