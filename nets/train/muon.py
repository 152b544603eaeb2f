"""The optimizer of nets that are taught: Muon, which steps alike in all directions of a matrix.

Jordan et al., Muon: an optimizer for hidden layers in neural networks, 2024; with the steps as
long as Adam's (Liu et al., Muon is scalable for LLM training, 2025), so that its rates serve here
too. A net of Go learns in 450 steps by it what it learns in 800 by AdamW, which take as long each.

Matrices of one shape make their step together, and so do all numbers that are in no matrix: a GPU
takes each operation up anew, and one variable after the other would keep it waiting. A net that
learns in bf16 has its directions made alike in it too, as the first paper does: they turn by two
degrees, and a net of 768 x 2 learns 1.18 times as fast.
"""

import math
from collections.abc import Sequence
from typing import Any

Optimizer = Any
"""A `keras.optimizers.Optimizer`."""
Shape = tuple[int, ...]

LEAST = 8
"""Rows and columns from which on a matrix has directions worth the name."""
LOOSE_DECAY = 1e-4
"""The weight decay of what is in no matrix."""


def muon(rate: Any, weight_decay: float = 0.01, arithmetic: str = "float32") -> Optimizer:
    """Muon for all matrices, kernels of convolutions among them, and AdamW for what is none.

    `rate` is a number or a schedule, `arithmetic` the dtype in which directions are made alike. A
    kernel [height, width, in, out] is taken for the matrix [height * width * in, out] that it
    multiplies by.
    """
    optimizer = _class()(rate, weight_decay=weight_decay)
    optimizer.arithmetic = arithmetic
    return optimizer


def arithmetic_of(model: Any) -> str:
    """The dtype in which most of a `keras.Model` learns."""
    dtypes = {layer.compute_dtype for layer in model.layers}
    return "bfloat16" if "bfloat16" in dtypes else "float32"


def matrix_shape(shape: Sequence[int]) -> Shape | None:
    """[rows, columns] of a variable that is taken for a matrix; None if it is taken for none."""
    if len(shape) < 2:
        return None
    rows, columns = math.prod(shape[:-1]), shape[-1]
    return (rows, columns) if min(rows, columns) >= LEAST else None


def _class() -> Any:
    """The class, made late as Keras is slow to import, and has Muon for one matrix at a time."""
    import keras
    from keras import ops

    class Muon(keras.optimizers.Muon):  # type: ignore[misc]
        def build(self, variables: Sequence[Any]) -> None:
            if self.built:
                return
            keras.optimizers.Optimizer.build(self, variables)
            shapes = [matrix_shape(variable.shape) for variable in variables]
            self._groups = sorted({shape for shape in shapes if shape})
            self._momenta = [
                self._zeros((shapes.count(shape), *shape), "momenta") for shape in self._groups
            ]
            loose = (sum(map(_size, variables)) - sum(map(_size, self._momenta)),)
            self._mean, self._square = self._zeros(loose, "mean"), self._zeros(loose, "square")

        def _zeros(self, shape: Shape, name: str) -> Any:
            return self.add_variable(shape, initializer="zeros", dtype="float32", name=name)

        def _apply_weight_decay(self, variables: Sequence[Any]) -> None:
            """Done with the step."""

        def _backend_update_step(
            self, grads: Sequence[Any], trainable_variables: Sequence[Any], learning_rate: Any
        ) -> None:
            rate = ops.cast(learning_rate, "float32")
            pairs = [*zip(grads, trainable_variables, strict=True)]
            for shape, momentum in zip(self._groups, self._momenta, strict=True):
                self._step_of_matrices(momentum, rate, _of_shape(shape, pairs))
            self._step_of_others(rate, _of_shape(None, pairs))

        def _step_of_matrices(self, momentum: Any, rate: Any, pairs: Sequence[Any]) -> None:
            shape = momentum.shape[1:]
            gradient = ops.stack([ops.reshape(gradient, shape) for gradient, _ in pairs])
            self.assign(momentum, self.momentum * momentum + gradient)
            steps = _orthogonal(self, gradient + self.momentum * momentum)
            steps = steps * (rate * self.rms_rate * math.sqrt(max(shape)))
            kept = 1 - rate * self.weight_decay
            for (_, variable), step in zip(pairs, ops.unstack(steps, len(pairs)), strict=True):
                self.assign(variable, variable * kept - ops.reshape(step, variable.shape))

        def _step_of_others(self, rate: Any, pairs: Sequence[Any]) -> None:
            if not pairs:
                return
            gradient = ops.concatenate([ops.reshape(gradient, (-1,)) for gradient, _ in pairs])
            mean, square = self._mean, self._square
            self.assign(mean, mean + (gradient - mean) * (1 - self.adam_beta_1))
            self.assign(square, square + (gradient * gradient - square) * (1 - self.adam_beta_2))
            number = ops.cast(self.iterations + 1, "float32")
            unbiased = ops.sqrt(1 - self.adam_beta_2**number) / (1 - self.adam_beta_1**number)
            step = rate * unbiased * mean / (ops.sqrt(square) + self.epsilon)
            kept, end = 1 - rate * LOOSE_DECAY, 0
            for _, variable in pairs:
                start, end = end, end + _size(variable)
                part = ops.reshape(step[start:end], variable.shape)
                self.assign(variable, variable * kept - part)

    return Muon


def _orthogonal(optimizer: Any, matrices: Any) -> Any:
    """Those nearest to [N, rows, columns] that are alike in all directions, roughly."""
    from keras import ops

    # Their norm needs more digits than bf16 has.
    length = ops.norm(matrices, axis=(-2, -1), keepdims=True)
    coarse = ops.cast(matrices / (length + optimizer.epsilon), optimizer.arithmetic)
    alike = optimizer.zeropower_via_newtonschulz5(coarse, optimizer.ns_steps)
    return ops.cast(alike, "float32")


def _of_shape(shape: Shape | None, pairs: Sequence[Any]) -> Sequence[Any]:
    """Those gradients and variables that are matrices of this shape, or none."""
    return [pair for pair in pairs if matrix_shape(pair[1].shape) == shape]


def _size(variable: Any) -> int:
    return math.prod(variable.shape)
