"""The optimizer of nets that are taught: Muon, which steps alike in all directions of a matrix.

Jordan et al., Muon: an optimizer for hidden layers in neural networks, 2024; with the steps as
long as Adam's (Liu et al., Muon is scalable for LLM training, 2025), so that its rates serve here
too. A net of Go learns in 450 steps by it what it learns in 800 by AdamW, which take as long each.
"""

import math
from typing import Any

Optimizer = Any
"""A `keras.optimizers.Optimizer`."""

LEAST = 8
"""Rows and columns from which on a matrix has directions worth the name."""


def muon(rate: Any, weight_decay: float = 0.01) -> Optimizer:
    """Muon for all matrices, kernels of convolutions among them, and AdamW for what is none.

    `rate` is a number or a schedule. A kernel [height, width, in, out] is taken for the matrix
    [height * width * in, out] that it multiplies by.
    """
    return _class()(
        rate, weight_decay=weight_decay, adam_weight_decay=1e-4, exclude_embeddings=False
    )


def _class() -> Any:
    """The class, made late as Keras is slow to import, and has Muon for two dimensions alone."""
    import keras
    from keras import ops

    class Muon(keras.optimizers.Muon):  # type: ignore[misc]
        def _should_use_adamw(self, variable: Any) -> bool:
            shape = variable.shape
            return len(shape) < 2 or min(math.prod(shape[:-1]), shape[-1]) < LEAST

        def _muon_update_step(self, gradient: Any, variable: Any, lr: Any, m: Any) -> None:
            self.assign(m, self.momentum * m + gradient)
            ahead = gradient + self.momentum * m if self.nesterov else m
            matrix = ops.reshape(ahead, (-1, variable.shape[-1]))
            step = self.zeropower_via_newtonschulz5(matrix, self.ns_steps)
            self.assign_sub(variable, ops.reshape(self.lr_adjust(lr * step), variable.shape))

    return Muon
