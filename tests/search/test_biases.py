"""Values of nets corrected by what they were off by in alike positions."""

from dataclasses import dataclass, field
from math import log, sqrt
from zlib import crc32

import pytest

import gtpcore
from games.base import Player
from games.go import Go, GoOptions
from tests.support.fakes import FakeNet, Planes

SIZE = 5
C_PUCT = 1.5
POWER, PRIOR = 0.85, 10


def noise(planes: Planes) -> float:
    """A value from -1 to 1 that has nothing to do with the position, but is always the same."""
    return crc32(planes.tobytes()) % 129 / 64 - 1


def root_visits(bias_correction: float, playouts: int) -> dict[int, int]:
    native = FakeNet(Go(GoOptions(size=SIZE)), value=noise).native()
    evaluator = gtpcore.NetEvaluator(prior=native, value=native, value_weight=1.0, batch_size=1)
    root = gtpcore.GoState(SIZE)
    search = gtpcore.Search(root, evaluator, gtpcore.Puct(C_PUCT), bias_correction=bias_correction)
    search.run(playouts)
    return {child.action: child.visits for child in search.children()}


@dataclass
class Spot:
    """A node of the search below; values are for who moved to it."""

    action: int = -1
    visits: int = 0
    total: float = 0.0
    said: float = 0.0
    counted: float = 0.0
    kind: int = 0
    below: "list[Spot]" = field(default_factory=list)

    def error(self) -> tuple[float, float]:
        """What the net was off by here, and how much that weighs."""
        others = self.visits - 1
        if others < 1:
            return 0.0, 0.0
        return (self.total - self.counted) / others - self.said, others**POWER


class Reference:
    """The search as it is described, without a thought for speed."""

    def __init__(self, bias_correction: float) -> None:
        self.bias_correction = bias_correction
        self.expanded: list[Spot] = []
        self.root = Spot()

    def run(self, playouts: int) -> dict[int, int]:
        for _ in range(playouts):
            self.simulate()
        return {spot.action: spot.visits for spot in self.root.below}

    def simulate(self) -> None:
        state, path = gtpcore.GoState(SIZE), [self.root]
        while path[-1].below:
            path.append(chosen(path[-1]))
            state.apply_action(path[-1].action)
        value = self.value(path[-1], state)
        for spot in reversed(path):
            spot.visits, spot.total = spot.visits + 1, spot.total + value
            value = -value

    def value(self, leaf: Spot, state: gtpcore.GoState) -> float:
        """For who moved there."""
        if state.is_terminal:
            return -float(state.black_value) * Player(state.current_player).sign
        planes = state.planes()
        leaf.said, leaf.kind = -noise(planes), state.local_key
        leaf.counted = max(-1.0, min(1.0, leaf.said + self.bias_correction * self.bias(leaf.kind)))
        leaf.below = [Spot(action) for action in state.candidates()]
        self.expanded.append(leaf)
        return leaf.counted

    def bias(self, kind: int) -> float:
        errors = [spot.error() for spot in self.expanded if spot.kind == kind]
        weights = sum(weight for _, weight in errors)
        return sum(error * weight for error, weight in errors) / (weights + PRIOR)


def chosen(spot: Spot) -> Spot:
    total = sum(child.visits for child in spot.below)
    c = C_PUCT + log((1 + total + 19652) / 19652)
    here = -spot.total / spot.visits

    def score(child: Spot) -> float:
        mean = child.total / child.visits if child.visits else here
        return mean + c / len(spot.below) * sqrt(max(total, 1)) / (1 + child.visits)

    return max(spot.below, key=score)


@pytest.mark.parametrize("bias_correction", [0.0, 0.5, 1.0])
def test_values_are_corrected_as_described(bias_correction: float) -> None:
    found, wanted = root_visits(bias_correction, 400), Reference(bias_correction).run(400)
    assert found.keys() == wanted.keys()
    assert sum(abs(found[action] - wanted[action]) for action in found) <= 2


def test_correction_changes_a_search() -> None:
    with_it, without = root_visits(1.0, 400), root_visits(0.0, 400)
    assert sum(abs(with_it[action] - without[action]) for action in without) > 20


def test_only_values_of_nets_are_corrected() -> None:
    with pytest.raises(ValueError, match="expected a net"):
        gtpcore.Search(
            gtpcore.GoState(SIZE), gtpcore.Evaluator(), gtpcore.Ucb1(), bias_correction=0.5
        )
    for beyond in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="beyond 0 to 1"):
            root_visits(beyond, 1)


@pytest.mark.parametrize("megabytes", [1, 64])
def test_what_is_known_of_errors_is_part_of_the_memory(megabytes: int) -> None:
    native = FakeNet(Go(GoOptions(size=SIZE)), value=noise).native()
    evaluator = gtpcore.NetEvaluator(prior=native, value=native, value_weight=1.0, batch_size=1)
    max_bytes = megabytes << 20

    def search(bias_correction: float) -> gtpcore.Search:
        return gtpcore.Search(
            gtpcore.GoState(SIZE),
            evaluator,
            gtpcore.Puct(C_PUCT),
            max_bytes=max_bytes,
            bias_correction=bias_correction,
        )

    known = search(1.0)
    left = max_bytes - known.max_nodes * known.node_bytes
    assert left == min(max_bytes // 8, 2 << 20)
    assert search(0.0).max_nodes * known.node_bytes == max_bytes
    assert known.run(100).playouts == 100
