"""Steps of learning that a GPU takes as one: recorded once as a CUDA graph, then only replayed.

PyTorch starts every operation by itself, of which a step has two thousand. To start them takes
longer than to compute them, so that a GPU would wait most of the time.
"""

import gc
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from weakref import WeakKeyDictionary

Model = Any
"""A compiled `keras.Model`."""
Arrays = tuple[Any, Any, Any]
"""Planes, targets and weights, as tensors on the GPU; for targets and weights by output."""

WARM_UP = 3
"""Steps before one is recorded, in which libraries choose how to compute."""

_steps: WeakKeyDictionary[Any, dict[Any, "CapturedStep"]] = WeakKeyDictionary()
"""By the optimizers of nets, and by the names of nets and the shapes of what they learn from."""


def captures(model: Model, arrays: Arrays) -> bool:
    """Whether steps are recorded: of what PyTorch has on an Nvidia GPU.

    But for those that draw random numbers, whose seed Keras reads from the GPU at each.
    """
    is_random = len(model.variables) > len(model.weights)
    return bool(getattr(arrays[0], "is_cuda", False)) and not is_random


def meanwhile() -> AbstractContextManager[Any]:
    """What is sent to the GPU in this context does not wait for the step that is computed there."""
    import keras

    if keras.backend.backend() != "torch":
        return nullcontext()
    import torch

    if not torch.cuda.is_available():
        return nullcontext()
    context: AbstractContextManager[Any] = torch.cuda.stream(torch.cuda.Stream())
    return context


def captured_step(model: Model, arrays: Arrays) -> "CapturedStep":
    """The step of `model` for arrays of these shapes; recorded the first time."""
    from keras import tree

    steps = _steps.setdefault(model.optimizer, {})
    shapes = (tuple(array.shape) for array in tree.flatten(arrays) if array is not None)
    key = (model.name, *shapes)
    if key not in steps:
        steps[key] = CapturedStep(model, arrays)
    return steps[key]


class CapturedStep:
    """One step of the optimizer of a net, for arrays of certain shapes."""

    def __init__(self, model: Model, arrays: Arrays) -> None:
        """Record it, which does not change the net."""
        import torch

        torch.backends.cudnn.benchmark = True
        self._taken = _mapped(torch.clone, arrays)
        self._constants = _constants()
        variables = [*model.variables, *model.optimizer.variables]
        before = [variable.value.detach().clone() for variable in variables]
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside), self._constants:
            for _ in range(WARM_UP):
                planes, targets, weights = self._taken
                model.train_on_batch(planes, targets, sample_weight=weights)
        torch.cuda.current_stream().wait_stream(aside)
        for variable, value in zip(variables, before, strict=True):
            variable.assign(value)
        gc.collect()  # what still hangs on those steps would hold the recorded one up
        self._graph = torch.cuda.CUDAGraph()
        # Other threads go on sending batches meanwhile.
        with torch.cuda.graph(self._graph, capture_error_mode="thread_local"), self._constants:
            model.reset_metrics()
            self._losses = model.train_step(self._taken)

    def __call__(self, arrays: Arrays) -> Mapping[str, float]:
        """Change the net a little; the losses before it."""
        _mapped(lambda taken, new: taken.copy_(new), self._taken, arrays)
        self._graph.replay()
        return {name: float(loss) for name, loss in self._losses.items()}


def _mapped(function: Any, *arrays: Arrays) -> Any:
    """What it makes of all tensors; weights may be missing."""
    from keras import tree

    return tree.map_structure(lambda *each: None if each[0] is None else function(*each), *arrays)


def _constants() -> Any:
    """A mode in which a number becomes a tensor only once, as none may be sent while recording."""
    import torch
    from torch.overrides import TorchFunctionMode

    class Constants(TorchFunctionMode):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self._made: dict[Any, Any] = {}

        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            kwargs = kwargs or {}
            if function is not torch.as_tensor or not isinstance(args[0], (int, float, tuple)):
                return function(*args, **kwargs)
            key = (type(args[0]), args[0], str(sorted(kwargs.items())))
            if key not in self._made:
                self._made[key] = function(*args, **kwargs)
            return self._made[key]

    return Constants()
