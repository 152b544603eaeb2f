"""The loop by which every net learns: resumable, and the same with or without interruptions.

A step's randomness comes from a generator made of the seed and the step's number, never from one
that runs along. So a checkpoint is the weights, the state of the optimizer and a number, and a run
that was killed ends with the very weights of one that was not.
"""

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from nets.train.ahead import ahead
from nets.train.arrays import UNREADABLE, read_arrays, write_arrays
from nets.train.errors import CheckpointError

Model = Any
"""A `keras.Model`; Keras is imported when a net is made, as that takes seconds."""
Figures = Mapping[str, float]
"""Results by name."""


class Lesson(Protocol):
    """What a net is taught."""

    def draw(self, number: int) -> Any:
        """What a step learns from, which depends on its number alone; in any thread."""

    def step(self, drawn: Any) -> Figures:
        """Change the net a little. Depends on what was drawn and the net alone."""

    def examine(self) -> Figures:
        """How well the net does now; changes nothing."""


@dataclass
class Progress:
    """How far a net has come."""

    step: int = 0
    """Steps done."""
    seconds: float = 0.0
    """Time spent on them, over all runs."""
    history: list[dict[str, float]] = field(default_factory=list)
    """Figures after so many `step`s; of steps, the mean since the entry before."""


def generator(seed: int, purpose: str, number: int) -> np.random.Generator:
    """The randomness of one step or one shard."""
    return np.random.default_rng([seed, crc32(purpose.encode()), number])


def prepare(seed: int) -> None:
    """Make nets that are built from now on begin alike, and learn alike, wherever possible."""
    import keras

    # Keras counts layers in their names, and TensorFlow sums in the order of names: a net whose
    # layers are called 9 and 10 learns otherwise, in the last digit, than one with 8 and 9.
    keras.utils.clear_session(free_memory=False)
    keras.utils.set_random_seed(seed)
    if keras.backend.backend() == "tensorflow":
        import tensorflow

        tensorflow.config.experimental.enable_op_determinism()


def count_losses(model: Model) -> None:
    """Make what counts the losses of a compiled model, of targets shaped as its outputs.

    If its first step made it, TensorFlow would trace that step twice.
    """
    import keras

    said = model(keras.ops.zeros((1, *model.input_shape[1:])), training=False)
    model.compute_loss(y=said, y_pred=said)


def learn(
    model: Model,
    lesson: Lesson,
    steps: int,
    report_every: int,
    checkpoint: Path,
    title: str,
    threads: int = 1,
) -> Progress:
    """Teach a compiled `model` until `steps` are done, going on from a checkpoint that is there.

    Every `report_every` steps it is examined and a checkpoint is written. Several threads draw
    ahead, which changes nothing. Raises CheckpointError.
    """
    from tqdm import tqdm

    progress = restore(model, checkpoint) if checkpoint.exists() else Progress()
    with (
        tqdm(total=steps, initial=progress.step, desc=title, unit="step") as bar,
        closing(ahead(lesson.draw, range(progress.step, steps), threads)) as batches,
    ):
        while progress.step < steps:
            start = time.monotonic()
            end = min(steps, progress.step + report_every)
            reports = []
            for drawn in islice(batches, end - progress.step):
                reports.append(lesson.step(drawn))
                bar.update()
            figures = {**_mean(reports), **lesson.examine()}
            progress.step = end
            progress.seconds += time.monotonic() - start
            progress.history.append({"step": float(end), **figures})
            save(model, progress, checkpoint)
            bar.set_postfix({name: f"{figure:.3g}" for name, figure in figures.items()})
    return progress


def _mean(reports: Sequence[Figures]) -> dict[str, float]:
    return {name: float(np.mean([report[name] for report in reports])) for name in reports[0]}


def save(model: Model, progress: Progress, path: Path) -> None:
    """Write a checkpoint, whole or not at all."""
    arrays = {f"v{number:04}": array for number, array in enumerate(_values(model))}
    progress_array = np.array(json.dumps(asdict(progress)))
    write_arrays(path, {**arrays, "progress": progress_array}, packed=False)


def restore(model: Model, path: Path) -> Progress:
    """Bring a compiled model to where a checkpoint left it. Raises CheckpointError."""
    try:
        named = read_arrays(path)
        progress = Progress(**json.loads(str(named.pop("progress"))))
    except UNREADABLE as error:
        raise CheckpointError(
            f"{path}: expected a checkpoint: {error}; remove it to begin the training anew"
        ) from None
    variables, arrays = _variables(model), [named[name] for name in sorted(named)]
    if [array.shape for array in arrays] != [tuple(variable.shape) for variable in variables]:
        raise CheckpointError(
            f"{path}: expected the checkpoint of this net, found one of another; "
            "remove it to begin the training anew"
        )
    for variable, array in zip(variables, arrays, strict=True):
        variable.assign(array)
    return progress


def _variables(model: Model) -> list[Any]:
    return [*model.variables, *model.optimizer.variables]


def _values(model: Model) -> list[NDArray[Any]]:
    import keras

    return [keras.ops.convert_to_numpy(variable) for variable in _variables(model)]
