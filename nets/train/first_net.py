"""The net that a stage begins with, and how much of that is kept.

What a net learns of few kinds of games costs what it knew of others. The mean of its weights before
and after keeps most of both (Wortsman et al., Robust fine-tuning of zero-shot models, 2022).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray
from pydantic import Field

from nets.convert import digest
from nets.files import find
from nets.keras_file import load
from nets.spec import NetError
from nets.train.errors import TrainingError
from nets.train.fit import Model, generator
from nets.train.grow import grow
from nets.train.pipeline import Run, Stage, StageParams
from nets.train.quick import frozen, quickened
from nets.train.records import Records
from nets.train.shrink import shrink

SHOWN = 32_768
"""Positions that a net is shown which shrinks."""
Weights = Sequence[NDArray[Any]]
"""Those of a net, as `get_weights` has them."""


class FirstNetParams(StageParams):
    """Parameters of a stage that may go on from another net."""

    net: str | None = Field(
        None,
        description="the Keras net to begin with, grown or shrunk: a role or a file; none: new",
    )
    kept: float = Field(
        0,
        ge=0,
        lt=1,
        description="share of the net begun with in the mean of both that is the result",
    )
    frozen: bool = Field(
        False, description="normalize as when it plays: to end with, as it learns less freely"
    )

    def learner(self, model: Model) -> Model:
        """A copy of a net that begins, made for learning."""
        return (frozen if self.frozen else quickened)(model)

    def result(self, known: Weights, learned: Weights) -> Weights:
        """The mean of the weights before and after."""
        return [new + self.kept * (old - new) for old, new in zip(known, learned, strict=True)]


class FirstNetStage(Stage[Any]):
    """A stage that may go on from another net."""

    params: FirstNetParams

    def check(self, run: Run) -> None:
        """That there is a net of which to keep something."""
        if self.params.kept and self.params.net is None:
            raise TrainingError(f"{self.name}.kept: expected {self.name}.net, the net to keep of")

    def inputs(self, run: Run) -> Mapping[str, str]:
        """The net to begin with."""
        return beginning(self.params.net, self.name, run)


def load_to_learn(name: str, game: str) -> Model:
    """The Keras net that a role or a file names, to go on learning.

    Raises NetError, and TrainingError for one in ONNX.
    """
    path = find(name, game)
    if path.suffix.lower() == ".onnx":
        raise TrainingError(f"net {name!r}: expected one in Keras, to go on learning")
    try:
        return load(path)
    except Exception as error:  # whatever Keras makes of a stranger's file
        reason = str(error).strip().partition("\n")[0]
        raise NetError(f"net {name!r}: {reason or repr(error)}") from None


def beginning(name: str | None, role: str, run: Run) -> Mapping[str, str]:
    """The net that a stage of this name begins with, as one of its inputs.

    What the stage made itself is none, as that may have been delivered to where the name leads.
    """
    if name is None:
        return {}
    own = run.folder(role) / f"{role}.keras"
    try:
        found = digest(find(name, run.game.spec.name))
        is_own = own.exists() and digest(own) == found
    except (OSError, NetError):  # which loading it tells
        return {}
    return {} if is_own else {"net": found}


def begun(model: Model, name: str | None, run: Run, taught: Records | None = None) -> Model:
    """`model`, which is new, with what the net of this name has learned, if one is named.

    `taught` is as `begin_as` has it. Raises TrainingError and NetError.
    """
    if name is not None:
        begin_as(model, load_to_learn(name, run.game.spec.name), name, run.seed, taught)
    return model


def begin_as(
    model: Model, other: Model, name: str, seed: int, taught: Records | None = None
) -> None:
    """Give `model` what `other`, a net of this name, has learned; it may be smaller.

    It may be larger if there are positions that `model` will be `taught`, of which it is shown
    some. Raises TrainingError.
    """
    outputs, others = (" and ".join(sorted(net.output_names)) for net in (model, other))
    if outputs != others:
        raise TrainingError(f"net {name!r}: expected one with {outputs}, found one with {others}")
    if [w.shape for w in model.weights] == [w.shape for w in other.weights]:
        model.set_weights(other.get_weights())
        return
    try:
        if taught is not None and other.count_params() > model.count_params():
            chosen = generator(seed, "shrink", 0).permutation(len(taught))[:SHOWN]
            shrink(other, model, taught.batch(chosen).planes)
        else:
            grow(other, model, generator(seed, "grow", 0))
    except ValueError as error:
        raise TrainingError(
            f"net {name!r}: {other.count_params():,} parameters: expected those of a net of "
            f"{model.count_params():,}, as this width and depth have, or of a smaller one: {error}"
        ) from None
