"""Learning from targets: losses, a step of the optimizer, and how well a net does by then."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nets.symmetry import SYMMETRIES
from nets.train.ahead import Recent
from nets.train.captured import captured_step, captures, meanwhile
from nets.train.fit import Figures, Model, count_losses, generator
from nets.train.muon import arithmetic_of, muon
from nets.train.records import Batch, Records

Example = tuple[Any, Mapping[str, Any], Mapping[str, Any] | None]
"""What a step learns from: planes, and by the names of outputs targets and weights [B]."""

EXAMINED = 8_192
"""Positions of a look at how well a net does, of which there are many."""


def compile_model(model: Model, rate: float, steps: int | None, sound: float = 0) -> Model:
    """Ready `model` for learning; the rate falls to zero over `steps` by a cosine, if given.

    If not, it learns from its own play, and its value by squares: what a value is sure of early is
    soon wrong there. `sound` is that of `policy_loss`.
    """
    import keras

    schedule = keras.optimizers.schedules.CosineDecay(rate, steps) if steps else rate
    losses = {"policy": partial(policy_loss, sound), "value": value_loss if steps else "mse"}
    if steps:
        optimizer = muon(schedule, arithmetic=arithmetic_of(model))
    else:
        optimizer = keras.optimizers.AdamW(rate, weight_decay=1e-4)
    model.compile(
        optimizer=optimizer,
        loss={name: losses[name] for name in model.output_names},
    )
    model.optimizer.build(model.trainable_variables)
    count_losses(model)
    return model


def policy_loss(sound: float, target: Any, policy: Any) -> Any:
    """What policies [B, A] miss of targets [B, A], which are probabilities.

    The cross-entropy, but a share `sound` of it only asks for moves that the target gives any
    chance, whichever of them. Of solved positions these are the moves that keep the outcome, and a
    net that need not learn by how much which is liked makes fewer mistakes.
    """
    import keras

    loss = keras.losses.categorical_crossentropy(target, policy)
    if not sound:
        return loss
    kept = keras.ops.where(target > 0, policy, 0)
    lost = -keras.ops.log(keras.ops.sum(kept, axis=-1) + keras.config.epsilon())
    return sound * lost + (1 - sound) * loss


def value_loss(target: Any, value: Any) -> Any:
    """The cross-entropy of values [B, 1] from -1 to 1, taken as how likely a win is.

    Unlike the square of the error it pulls on a value that is wrong and sure of itself, where a
    tanh is flat.
    """
    import keras

    return keras.losses.binary_crossentropy((1 + target) / 2, (1 + value) / 2)


def train_on(model: Model, batch: Batch, weights: Mapping[str, NDArray[Any]]) -> Figures:
    """One step of the optimizer; the losses before it. `weights` of each output are [B]."""
    return train_by(model, example(model, batch, weights))


def example(
    model: Model, batch: Batch, weights: Mapping[str, NDArray[Any]] | None = None
) -> Example:
    """What a step of a model learns from a batch."""
    names = model.output_names
    targets = {"policy": batch.policy, "value": batch.value[:, None]}
    return on_device(
        (
            batch.planes,
            {name: targets[name] for name in names},
            weights and {name: weights[name] for name in names},
        )
    )


def on_device(arrays: Example) -> Example:
    """The same as tensors, so that what learns from them need not wait for their way there."""
    import keras

    def tensor(array: Any) -> Any:
        return None if array is None else keras.ops.convert_to_tensor(array)

    with meanwhile():
        tensors: Example = keras.tree.map_structure(tensor, arrays)
    return tensors


def train_by(model: Model, arrays: Example) -> Figures:
    """One step of the optimizer; the losses before it."""
    if captures(model, arrays):
        return captured_step(model, arrays)(arrays)
    planes, targets, weights = arrays
    model.reset_metrics()
    losses = model.train_on_batch(planes, targets, sample_weight=weights, return_dict=True)
    return {name: float(loss) for name, loss in losses.items()}


def outputs(
    model: Model, planes: NDArray[np.float32] | NDArray[np.uint8]
) -> dict[str, NDArray[np.float32]]:
    """What a net says of planes [B, H, W, C]: `policy` [B, A], `value` [B], or one of them."""
    # Few sizes of batches, as each is compiled for itself.
    padded = np.zeros((max(32, 1 << (len(planes) - 1).bit_length()), *planes.shape[1:]), np.float32)
    padded[: len(planes)] = planes
    found = {name: np.asarray(out) for name, out in model.predict_on_batch(padded).items()}
    if "value" in found:
        found["value"] = found["value"][:, 0]
    return {name: out[: len(planes)] for name, out in found.items()}


def accuracy(model: Model, records: Records) -> Figures:
    """How well a net does on records.

    `policy_accuracy`: how often its first choice is one of the best moves of the target.
    `policy_sound`: how often it is one that the target gives any chance; of solved positions, one
    that keeps the outcome.
    `value_error`: how far its value is from the target on average, from 0 to 2.
    """
    sums: dict[str, float] = {}
    for start in range(0, len(records), EXAMINED):
        batch = records.batch(slice(start, start + EXAMINED))
        for name, each in _marks(outputs(model, batch.planes), batch).items():
            sums[name] = sums.get(name, 0.0) + float(each.sum())
    return {name: total / len(records) for name, total in sums.items()}


def _marks(found: Mapping[str, NDArray[Any]], batch: Batch) -> Mapping[str, NDArray[Any]]:
    marks = {}
    if "policy" in found:
        choice = found["policy"].argmax(axis=1)
        chosen = np.take_along_axis(batch.policy, choice[:, None], axis=1)[:, 0]
        marks["policy_accuracy"] = chosen > 0.999 * batch.policy.max(axis=1)
        marks["policy_sound"] = chosen > 0
    if "value" in found:
        marks["value_error"] = np.abs(found["value"] - batch.value)
    return marks


@dataclass
class Supervised:
    """Lesson: targets of records, epoch by epoch, each position in a random symmetric image."""

    model: Model
    game: str
    train: Records
    test: Records
    """To examine with; those to train on where there are none."""
    batch: int
    seed: int
    _orders: Recent[int, NDArray[np.intp]] = field(default_factory=lambda: Recent(2), repr=False)
    """Those of epochs: while the last batches of one are drawn, so are the first of the next."""

    def draw(self, number: int) -> Example:
        """One batch."""
        return example(self.model, self._batch(number))

    def step(self, drawn: Example) -> Figures:
        """Learn from one batch."""
        return train_by(self.model, drawn)

    def examine(self) -> Figures:
        """As `accuracy` has it, of some test positions, which are always the same."""
        drawn = generator(self.seed, "examined", 0).permutation(len(self.tested))[:EXAMINED]
        return accuracy(self.model, self.tested[np.sort(drawn)])

    @property
    def tested(self) -> Records:
        """What is examined with."""
        return self.test if len(self.test) else self.train

    def _batch(self, number: int) -> Batch:
        batches = max(1, len(self.train) // self.batch)
        epoch, place = divmod(number, batches)
        index = self._orders(epoch, self._order)[place * self.batch : (place + 1) * self.batch]
        return turned(self.train.batch(index), self.game, generator(self.seed, "turn", number))

    def _order(self, epoch: int) -> NDArray[np.intp]:
        return generator(self.seed, "order", epoch).permutation(len(self.train))


def turned(batch: Batch, game: str, rng: np.random.Generator) -> Batch:
    """Each position in a symmetric image drawn at random."""
    symmetries = SYMMETRIES[game]
    choice = rng.integers(len(symmetries), size=len(batch.value))
    planes, policy = batch.planes.copy(), batch.policy.copy()
    for number, symmetry in enumerate(symmetries):
        here = choice == number
        planes[here] = symmetry.planes(batch.planes[here])
        policy[here] = symmetry.policy(batch.policy[here])
    return Batch(planes, policy, batch.value)
