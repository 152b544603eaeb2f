"""Nets as they learn best: the same net, with layers made for learning.

Keras normalizes batches by a dozen small operations, each of which walks through the whole memory
of a layer. TensorFlow has one for all of them; a net of Go learns 1.7 times as fast by it.
"""

from typing import Any

Model = Any
"""A `keras.Model`."""

QUICK = "FusedBatchNormalization"
"""The name of the class of layers that a file must not have."""


def frozen(model: Model) -> Model:
    """A copy of `model` like a quickened one, which normalizes as it does when it plays.

    A net that learns normalizes each batch by itself, and notes the mean of what it meets. Boards
    of several sizes differ in that, so that a net of all sizes plays worse than it learned. With
    what it has noted kept as it is, for all sizes alike, it learns on just as it plays.
    """
    return _copied(model, _frozen_normalization())


def quickened(model: Model) -> Model:
    """A copy of `model` with the same variables in the same order, their values included.

    It is for learning only: a file of it would need this module. With another backend than
    TensorFlow it is `model` itself.
    """
    import keras

    if keras.backend.backend() != "tensorflow":
        return model
    return _copied(model, _fused_normalization())


def slowed(model: Model) -> Model:
    """The net that a quickened one is a copy of, with the values that it has now."""
    import keras

    # Not clone_model, which would compile the copy too.
    usual = {QUICK: keras.layers.BatchNormalization}
    with keras.saving.custom_object_scope(usual):
        copy = type(model).from_config(model.get_config())
    copy.set_weights(model.get_weights())
    return copy


def _copied(model: Model, normalization: Any) -> Model:
    """A copy whose batches are normalized by layers of another class."""
    import keras

    def copied(layer: Any) -> Any:
        is_usual = type(layer) is keras.layers.BatchNormalization
        return (normalization if is_usual else type(layer)).from_config(layer.get_config())

    copy = keras.models.clone_model(model, clone_function=copied)
    copy.set_weights(model.get_weights())
    return copy


def _frozen_normalization() -> Any:
    """The class of such layers, made late as Keras is slow to import."""
    from keras import layers, ops

    class FrozenBatchNormalization(layers.BatchNormalization):  # type: ignore[misc]
        def call(self, inputs: Any, training: bool | None = None, mask: Any = None) -> Any:
            scale = self.gamma * ops.rsqrt(self.moving_variance + self.epsilon)
            offset = self.beta - self.moving_mean * scale
            return inputs * ops.cast(scale, inputs.dtype) + ops.cast(offset, inputs.dtype)

    return FrozenBatchNormalization


def _fused_normalization() -> Any:
    """The class of such layers, made late as Keras is slow to import."""
    import tensorflow
    from keras import layers

    class FusedBatchNormalization(layers.BatchNormalization):  # type: ignore[misc]
        def call(self, inputs: Any, training: bool | None = None, mask: Any = None) -> Any:
            if not training:
                return super().call(inputs, training=training, mask=mask)
            maps = inputs if len(inputs.shape) == 4 else inputs[:, None, None]
            outputs, mean, variance = tensorflow.compat.v1.nn.fused_batch_norm(
                maps, self.gamma, self.beta, epsilon=self.epsilon, is_training=True
            )
            for moving, found in ((self.moving_mean, mean), (self.moving_variance, variance)):
                moving.assign(moving * self.momentum + found * (1 - self.momentum))
            return tensorflow.reshape(outputs, tensorflow.shape(inputs))

    return FusedBatchNormalization
