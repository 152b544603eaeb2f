"""Steps recorded for a GPU, by a stand-in for one: they are the steps that would have been made."""

import sys
from typing import Any

import pytest

from nets.train.captured import WARM_UP, captured_step
from tests.support.fake_gpu import FakeGpu, Tensor


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> FakeGpu:
    """In the place of PyTorch."""
    gpu = FakeGpu()
    for name, module in gpu.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    return gpu


class Variable:
    """As Keras has it on PyTorch."""

    def __init__(self, number: float) -> None:
        self.value = Tensor([number])

    def assign(self, value: Tensor) -> None:
        self.value.copy_(value)


class Sum:
    """A net whose weight grows by half of what it learns from, and whose loss is that weight."""

    name = "sum"

    def __init__(self, gpu: FakeGpu) -> None:
        self._gpu = gpu
        self.weight, self.iterations = Variable(0), Variable(0)
        self.variables = [self.weight]
        self.optimizer = Optimizer([self.iterations])
        self.steps = 0
        self._loss = Tensor([0])

    def reset_metrics(self) -> None:
        self._gpu.do(lambda: self._loss.copy_(Tensor([0])))

    def train_on_batch(self, planes: Tensor, targets: Any, sample_weight: Any) -> None:
        self.reset_metrics()
        self.train_step((planes, targets, sample_weight))

    def train_step(self, arrays: Any) -> dict[str, Tensor]:
        planes, _, _ = arrays
        rate, loss = sys.modules["torch"].as_tensor(0.5), self._loss
        assert isinstance(rate, Tensor)

        def work() -> None:
            loss.numbers += self.weight.value.numbers
            self.weight.value.numbers += rate.numbers * planes.numbers.sum()
            self.iterations.value.numbers += 1
            self.steps += 1

        self._gpu.do(work)
        return {"loss": loss}


class Optimizer:
    """Of which only the variables matter."""

    def __init__(self, variables: list[Variable]) -> None:
        self.variables = variables


def given(*numbers: float) -> Any:
    """Arrays to learn from, without weights."""
    return Tensor(numbers), {"policy": Tensor([0])}, None


def test_it_learns_from_each_batch_as_it_would_without_a_recording(gpu: FakeGpu) -> None:
    model = Sum(gpu)
    losses = [captured_step(model, arrays)(arrays) for arrays in (given(1, 3), given(2, 4))]
    assert losses == [{"loss": 0.0}, {"loss": 2.0}]
    assert float(model.weight.value) == 5
    assert float(model.iterations.value) == 2
    assert model.steps == WARM_UP + 2


def test_a_step_is_recorded_once_for_each_shape_and_optimizer(gpu: FakeGpu) -> None:
    model = Sum(gpu)
    first = captured_step(model, given(1, 2))
    assert captured_step(model, given(3, 4)) is first
    assert captured_step(model, given(3, 4, 5)) is not first
    model.optimizer = Optimizer([model.iterations])
    assert captured_step(model, given(3, 4)) is not first
    assert gpu.graphs == 3


def test_numbers_are_sent_before_the_recording(gpu: FakeGpu) -> None:
    captured_step(Sum(gpu), given(1))
    assert gpu.sent == [0.5]
