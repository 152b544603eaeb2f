"""A stand-in for PyTorch with a GPU: what is done while a graph is recorded happens at replays."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np


class Tensor:
    """Numbers on the stand-in."""

    def __init__(self, numbers: Any) -> None:
        """Copied."""
        self.numbers = np.array(numbers, np.float64)
        self.shape = self.numbers.shape

    def clone(self) -> "Tensor":
        """Other memory with the same numbers."""
        return Tensor(self.numbers)

    def detach(self) -> "Tensor":
        """Itself."""
        return self

    def copy_(self, other: "Tensor") -> None:
        """Take the numbers of another."""
        self.numbers[...] = other.numbers

    def __float__(self) -> float:
        """The one number."""
        return float(self.numbers.item())


class Graph:
    """What was recorded."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.work: list[Callable[[], None]] = []

    def replay(self) -> None:
        """Do it."""
        for each in self.work:
            each()


class FakeGpu:
    """Does work at once, or notes it down while a graph is recorded."""

    def __init__(self) -> None:
        """Idle."""
        self.recorded: Graph | None = None
        self.graphs = 0
        self.sent: list[Any] = []
        """The numbers that became tensors."""

    def do(self, work: Callable[[], None]) -> None:
        """Now, or when the graph is replayed."""
        if self.recorded:
            self.recorded.work.append(work)
        else:
            work()

    def as_tensor(self, number: Any, device: str = "gpu") -> Tensor:
        """Send a number, which no graph can."""
        assert not self.recorded
        self.sent.append(number)
        return Tensor(number)

    @contextmanager
    def record(self, graph: Graph, capture_error_mode: str) -> Iterator[None]:
        """Note down what is done meanwhile."""
        assert capture_error_mode == "thread_local"
        self.recorded, self.graphs = graph, self.graphs + 1
        try:
            yield
        finally:
            self.recorded = None

    def modules(self) -> dict[str, ModuleType]:
        """What stands in for PyTorch's modules, by their names."""
        torch, overrides = ModuleType("torch"), ModuleType("torch.overrides")
        modes: list[Any] = []

        class Mode:
            def __enter__(self) -> None:
                modes.append(self)

            def __exit__(self, *error: object) -> None:
                modes.pop()

        def as_tensor(*args: Any, **kwargs: Any) -> Any:
            if not modes:
                return self.as_tensor(*args, **kwargs)
            mode = modes.pop()
            try:
                return mode.__torch_function__(as_tensor, (), args, kwargs)
            finally:
                modes.append(mode)

        stream = SimpleNamespace(wait_stream=lambda other: None)
        torch.__dict__.update(
            Tensor=Tensor,
            clone=Tensor.clone,
            as_tensor=as_tensor,
            backends=SimpleNamespace(cudnn=SimpleNamespace(benchmark=False)),
            cuda=SimpleNamespace(
                is_available=lambda: True,
                Stream=lambda: stream,
                current_stream=lambda: stream,
                stream=lambda stream: nullcontext(),
                CUDAGraph=Graph,
                graph=self.record,
            ),
        )
        overrides.__dict__.update(TorchFunctionMode=Mode)
        return {"torch": torch, "torch.overrides": overrides}
