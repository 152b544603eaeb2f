"""Long games of garbage: what is refused changes nothing, and everything rare happens.

The counts are those of one seed; a change of the rules, on purpose or not, changes them.
"""

import random
from collections import Counter

import pytest

import gtpcore
from games.base import Player
from games.errors import GameOverError, IllegalMoveError
from games.go_rules import Ko

TRIES = 9000
FAR_OUT = (-1, -(2**31), 2**31 - 1, 65_536, 626)


def stones(state: gtpcore.GoState) -> list[list[int]]:
    return [list(state.stones(player)) for player in Player]


def face(state: gtpcore.GoState) -> tuple[object, ...]:
    captures = [state.captures(player) for player in Player]
    return str(state), state.hash, stones(state), captures, state.is_terminal, state.black_score()


class Stress:
    """One state, and the counts of what happened to it."""

    def __init__(self, size: int, ko: Ko, suicide: bool, rng: random.Random) -> None:
        self.state = gtpcore.GoState(size, gtpcore.GoRules(ko=ko, suicide=suicide))
        self.rng = rng
        self.counts: Counter[str] = Counter()
        self.just_taken: list[int] = []

    def step(self) -> None:
        """Half of what is tried is garbage."""
        if self.state.is_terminal:
            self.counts["two passes"] += 1
            with pytest.raises(GameOverError):
                self.state.apply_action(0)
            self.state.resume(self.rng.choice(list(Player)))
        elif self.rng.random() < 0.5:
            points = (*range(self.state.num_actions - 1), *self.just_taken * 10)
            self.attempt(self.rng.choice((*FAR_OUT, *points)))
        else:
            legal = self.state.legal_actions()[:-1]
            self.counts["no point left"] += not legal
            passing = not legal or self.rng.random() < 0.02
            self.attempt(self.state.num_actions - 1 if passing else self.rng.choice(legal))

    def attempt(self, action: int) -> None:
        why = self.state.why_illegal(action)
        if not why:
            return self.play(action)
        self.counts[why] += 1
        before = face(self.state)
        with pytest.raises((IllegalMoveError, ValueError), match=str(action)):
            self.state.apply_action(action)
        assert face(self.state) == before
        assert not self.state.is_legal(action)

    def play(self, action: int) -> None:
        before, mover = stones(self.state), Player(self.state.current_player)
        self.state.apply_action(action)
        if action == self.state.num_actions - 1:
            self.counts["passes"] += 1
            self.just_taken = []
            return
        after = stones(self.state)
        taken = sorted(set(before[1 - mover]) - set(after[1 - mover]))
        self.counts["snapbacks"] += action in self.just_taken and len(taken) > 1
        self.counts["captures of ten or more"] += len(taken) >= 10
        self.counts["suicides"] += len(after[mover]) < len(before[mover])
        self.just_taken = taken


COUNTED = (
    "occupied",
    "off the board",
    "suicide",
    "ko",
    "superko",
    "suicides",
    "snapbacks",
    "captures of ten or more",
    "passes",
    "two passes",
    "no point left",
)
COUNTS: dict[tuple[Ko, bool], tuple[int, ...]] = {
    ("simple", False): (2555, 560, 204, 12, 0, 0, 25, 143, 455, 17, 379),
    ("simple", True): (2575, 626, 135, 10, 0, 341, 14, 115, 196, 4, 124),
    ("positional", False): (2669, 594, 164, 10, 26, 0, 18, 103, 980, 316, 913),
    ("positional", True): (2756, 561, 103, 4, 60, 212, 11, 55, 1544, 719, 1492),
    ("situational", False): (2622, 572, 168, 6, 21, 0, 17, 118, 1026, 341, 975),
    ("situational", True): (2741, 592, 72, 2, 47, 233, 14, 62, 1310, 597, 1254),
}


@pytest.mark.parametrize(("ko", "suicide"), COUNTS)
def test_what_happens_in_long_games(ko: Ko, suicide: bool) -> None:
    rng = random.Random(1)
    counts: Counter[str] = Counter()
    for size in (4, 6, 9):
        stress = Stress(size, ko, suicide, rng)
        for _ in range(TRIES // 3):
            stress.step()
        counts += stress.counts
    assert counts == Counter(dict(zip(COUNTED, COUNTS[ko, suicide], strict=True)))
