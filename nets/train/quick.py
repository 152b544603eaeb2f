"""Nets as they learn best: the same net, with layers made for learning.

Keras normalizes batches by a dozen small operations, each of which walks through the whole memory
of a layer. TensorFlow has one for all of them; a net of Go learns 1.7 times as fast by it.
"""

from collections.abc import Mapping
from typing import Any

Model = Any
"""A `keras.Model`."""

FUSED = "FusedBatchNormalization"
"""The name of the class of layers that a file must not have."""


def frozen(model: Model) -> Model:
    """A copy of `model` like a quickened one, which normalizes as it does when it plays.

    A net that learns normalizes each batch by itself, and notes the mean of what it meets. Boards
    of several sizes differ in that, so that a net of all sizes plays worse than it learned. With
    what it has noted kept as it is, for all sizes alike, it learns on just as it plays. And as it
    plays, the convolution or dense layer before each normalization multiplies for both.
    """
    import keras

    classes = {
        keras.layers.BatchNormalization: _frozen_normalization(),
        keras.layers.Conv2D: _scaled_convolution(),
        keras.layers.Dense: _scaled_dense(),
    }
    copy = _copied(model, classes)
    for layer in copy.layers:
        if isinstance(layer, classes[keras.layers.BatchNormalization]):
            layer.follow(layer.input._keras_history.operation)
    return copy


def quickened(model: Model) -> Model:
    """A copy of `model` with the same variables in the same order, their values included.

    It is for learning only: a file of it would need this module. With another backend than
    TensorFlow it is `model` itself.
    """
    import keras

    if keras.backend.backend() != "tensorflow":
        return model
    return _copied(model, {keras.layers.BatchNormalization: _fused_normalization()})


def forgetful(model: Model, share: float, seed: int) -> Model:
    """A copy of `model` that is shown only a part of what its convolutions say while it learns.

    A share of that, drawn anew for each position, is hidden from the dense layers behind. Most of
    their weights are there, and would otherwise learn by heart what they are taught (Srivastava et
    al., Dropout: a simple way to prevent neural networks from overfitting, 2014).
    """
    from keras import layers

    return _copied(model, {layers.Flatten: _forgetful_flatten(share, seed)}) if share else model


def slowed(model: Model) -> Model:
    """The net that a quickened one is a copy of, with the values that it has now."""
    import keras

    # Not clone_model, which would compile the copy too.
    usual = {FUSED: keras.layers.BatchNormalization}
    with keras.saving.custom_object_scope(usual):
        copy = type(model).from_config(model.get_config())
    copy.set_weights(model.get_weights())
    return copy


def _copied(model: Model, classes: Mapping[Any, Any]) -> Model:
    """A copy with layers of other classes in the place of those of some."""
    import keras

    def copied(layer: Any) -> Any:
        return classes.get(type(layer), type(layer)).from_config(layer.get_config())

    copy = keras.models.clone_model(model, clone_function=copied)
    copy.set_weights(model.get_weights())
    return copy


def _frozen_normalization() -> Any:
    """The class of such layers, made late as Keras is slow to import."""
    from keras import layers, ops

    class FrozenBatchNormalization(layers.BatchNormalization):  # type: ignore[misc]
        def follow(self, layer: Any) -> None:
            """Leave the multiplication to the one before."""
            layer.scale = self.scale_of_channels

        def scale_of_channels(self) -> Any:
            return self.gamma * ops.rsqrt(self.moving_variance + self.epsilon)

        def call(self, inputs: Any, training: bool | None = None, mask: Any = None) -> Any:
            offset = self.beta - self.moving_mean * self.scale_of_channels()
            return inputs + ops.cast(offset, inputs.dtype)

    return FrozenBatchNormalization


def _scaled_convolution() -> Any:
    """Likewise, of convolutions which multiply each channel they make by a `scale`, if given."""
    import keras
    from keras import layers, ops

    is_torch = keras.backend.backend() == "torch"

    class ScaledConv2D(layers.Conv2D):  # type: ignore[misc]
        scale: Any = None

        def add_weight(self, *args: Any, **kwargs: Any) -> Any:
            """One that is rounded only when it has been multiplied."""
            return super().add_weight(*args, **{**kwargs, "autocast": False})

        def convolution_op(self, inputs: Any, kernel: Any) -> Any:
            kernel = ops.cast(kernel * self.scale() if self.scale else kernel, inputs.dtype)
            if not is_torch:
                return super().convolution_op(inputs, kernel)
            # Keras would copy the channels to the front of PyTorch's memory, and back.
            from torch.nn.functional import conv2d

            maps, kernels = inputs.permute(0, 3, 1, 2), kernel.permute(3, 2, 0, 1)
            return conv2d(maps, kernels, padding="same").permute(0, 2, 3, 1)

    return ScaledConv2D


def _scaled_dense() -> Any:
    """Likewise, of dense layers; they have no bias where they are scaled."""
    from keras import layers, ops

    class ScaledDense(layers.Dense):  # type: ignore[misc]
        scale: Any = None

        def add_weight(self, *args: Any, **kwargs: Any) -> Any:
            """One that is rounded only when it has been multiplied."""
            return super().add_weight(*args, **{**kwargs, "autocast": False})

        def call(self, inputs: Any, training: bool | None = None) -> Any:
            if not self.scale:
                return super().call(inputs, training=training)
            return ops.matmul(inputs, ops.cast(self.kernel * self.scale(), inputs.dtype))

    return ScaledDense


def _forgetful_flatten(share: float, seed: int) -> Any:
    """Likewise, of layers that hide a share while learning."""
    import keras

    class ForgetfulFlatten(keras.layers.Flatten):  # type: ignore[misc]
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.seed = keras.random.SeedGenerator(seed)

        def call(self, inputs: Any, training: bool | None = None) -> Any:
            outputs = super().call(inputs)
            return keras.random.dropout(outputs, share, seed=self.seed) if training else outputs

    return ForgetfulFlatten


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
