"""Agents with nets in Go: positions turned at random, passes and eyes."""

import itertools
import time
from typing import cast

import numpy as np
import pytest

import gtpcore
from games.base import Player
from games.go import Go, GoOptions
from games.go_rules import CHINESE, PRESETS, TROMP_TAYLOR, Rules
from games.position import Position
from nets.files import find_weights
from search.agent import Agent, Limits
from search.alphago import AlphaGoAgent, AlphaGoParams
from search.alphazero import AlphaZeroAgent, AlphaZeroParams
from search.go_passing import outlook
from search.policy import PolicyAgent, PolicyParams
from search.policy_mcts import PolicyMctsAgent, PolicyMctsParams
from search.tree_agent import Effort
from tests.support.drawing import position_of
from tests.support.fakes import FakeNet, Planes

SIZE = 5
PASS = SIZE * SIZE
A1, B1 = 0, 1

SETTLED = """
    . X O O .
    X X O . .
    . X O O O
    X X O O .
    . X O O O
"""
OPEN = """
    . . . . .
    . X . O .
    . . . . .
    . . . . .
    . . . . .
"""


def liking(*actions: int, value: float = 0.0) -> FakeNet:
    """A net that likes the first action best, then the next, and all others little."""
    priors = [1.0] * (PASS + 1)
    for rank, action in enumerate(actions):
        priors[action] = 10.0 ** (6 - rank)
    return FakeNet(Go(GoOptions(size=SIZE)), priors, value)


# Turned positions


class Watcher:
    """Looks at each point alone, so that a turned position has a turned policy."""

    def __init__(self) -> None:
        self.seen: set[bytes] = set()

    def __call__(self, planes: Planes) -> tuple[Planes, Planes]:
        self.seen |= {position.tobytes() for position in planes}
        weights = np.arange(1, planes.shape[-1] + 1, dtype=np.float32) ** 2
        points = (planes @ weights).reshape(len(planes), -1)
        policy = np.concatenate([points, np.full((len(planes), 1), 7, np.float32)], axis=1)
        value = np.tanh(planes[..., 1].sum((1, 2)) - planes[..., 2].sum((1, 2)))
        return policy / policy.sum(axis=1, keepdims=True), value.astype(np.float32)


def test_what_a_net_says_of_a_turned_position_comes_back_the_right_way_round() -> None:
    state = gtpcore.GoState(SIZE)
    for action in (7, 11, 8, 24, 2):
        state.apply_action(action)
    watcher = Watcher()
    net = gtpcore.Net(watcher, state.plane_shape, PASS + 1, has_policy=True, has_value=True)
    policy, value = net.evaluate(state)
    assert len(watcher.seen) == 1
    for seed in range(60):
        turned_policy, turned_value = net.evaluate(state, symmetry_seed=seed)
        assert turned_policy == pytest.approx(policy, abs=1e-6)
        assert turned_value == pytest.approx(value, abs=1e-6)
    assert len(watcher.seen) == 8


def leaning(planes: Planes) -> tuple[Planes, Planes]:
    """Says something else of each turn of a position."""
    points = planes.reshape(len(planes), -1)
    weights = np.random.default_rng(1).uniform(0, 0.01, (points.shape[1], PASS + 2))
    said = (points @ weights.astype(np.float32)).astype(np.float32)
    policy = np.ascontiguousarray(said[:, :-1])
    return policy / policy.sum(axis=1, keepdims=True), np.ascontiguousarray(np.tanh(said[:, -1]))


@pytest.mark.parametrize("images", [2, 5, 8])
def test_the_mean_counts_of_what_a_net_says_of_several_images(images: int) -> None:
    state = gtpcore.GoState(SIZE)
    for action in (7, 11, 8, 24, 2):
        state.apply_action(action)
    shape = state.plane_shape
    net = gtpcore.Net(leaning, shape, PASS + 1, has_policy=True, has_value=True)
    answers = {
        round(value, 6): [*policy, value]
        for policy, value in (net.evaluate(state, symmetry_seed=seed) for seed in range(60))
    }
    assert len(answers) == 8
    means = [np.mean(some, axis=0) for some in itertools.combinations(answers.values(), images)]
    before = net.evaluations
    for seed in range(10):
        policy, value = net.evaluate(state, symmetry_seed=seed, images=images)
        nearest = min(float(np.abs([*policy, value] - mean).max()) for mean in means)
        assert nearest < 1e-6
    assert net.evaluations - before == 10 * images


@pytest.mark.parametrize("images", [0, 9, -1])
def test_images_there_are_not(images: int) -> None:
    state = gtpcore.GoState(SIZE)
    net = gtpcore.Net(leaning, state.plane_shape, PASS + 1, has_policy=True, has_value=True)
    with pytest.raises(ValueError, match=f"images {images}: expected 1 to 8"):
        net.evaluate(state, symmetry_seed=1, images=images)
    with pytest.raises(ValueError, match=f"images {images}: expected 1 to 8"):
        gtpcore.NetEvaluator(prior=net, value=net, value_weight=1.0, images=images)


def test_a_search_shows_so_many_images_as_it_is_told_to() -> None:
    def shown(images: int) -> int:
        net = liking(12)
        params = AlphaZeroParams(seed=1, images=images, batch_size=1)
        agent = AlphaZeroAgent(params, {"net": net.native()})
        agent.choose(position_of(OPEN, TROMP_TAYLOR, 0.5), Limits(playouts=1))
        return len(net.seen)

    assert shown(8) - shown(1) == 7


def test_a_search_turns_positions_if_it_is_told_to() -> None:
    def planes_seen(symmetries: bool, seed: int) -> list[bytes]:
        net = liking(12)
        params = AlphaZeroParams(seed=seed, symmetries=symmetries, batch_size=4)
        agent = AlphaZeroAgent(params, {"net": net.native()})
        agent.choose(position_of(OPEN, TROMP_TAYLOR, 0.5), Limits(playouts=60))
        return net.seen

    assert planes_seen(True, 1) == planes_seen(True, 1)
    assert planes_seen(True, 1) != planes_seen(True, 2)
    assert planes_seen(False, 1) == planes_seen(False, 2)


@pytest.mark.parametrize(
    "changed",
    [
        {"exploration": 0.1},
        {"batch_size": 1},
        {"rollout": find_weights("rollout", "go")},
    ],
    ids=lambda params: "-".join(params),
)
def test_each_parameter_of_policy_rollouts_counts(changed: dict[str, object]) -> None:
    def visits(params: dict[str, object]) -> dict[int, int]:
        net = gtpcore.Net(
            leaning, gtpcore.GoState(SIZE).plane_shape, PASS + 1, has_policy=True, has_value=True
        )
        made = PolicyMctsParams.model_validate({"seed": 1, **params})
        agent = PolicyMctsAgent(made, {"net": net} if made.wants("net") else {})
        decision = agent.choose(position_of(OPEN, CHINESE, 0.5), Limits(playouts=60))
        return {each.action: each.visits for each in decision.candidates}

    assert visits({}) == visits({}) != visits(changed)
    assert not {"symmetries", "images"} & PolicyMctsParams.model_fields.keys(), "of leaves alone"


# Eyes and passes


def agents(net: FakeNet) -> list[Agent]:
    native = net.native()
    nets = {"net": native, "value_net": native, "rollout_net": native}
    return [
        PolicyAgent(PolicyParams(seed=1), nets),
        AlphaZeroAgent(AlphaZeroParams(seed=1), nets),
        AlphaGoAgent(AlphaGoParams(seed=1, depth=2), nets),
    ]


def choices(net: FakeNet, position: Position, banned: frozenset[int] = frozenset()) -> set[object]:
    limits = Limits(playouts=100).banning(position.to_move, banned)
    return {agent.choose(position, limits).action for agent in agents(net)}


def test_no_own_eye_is_filled() -> None:
    position = position_of(SETTLED, CHINESE, komi=-9.5)
    assert A1 in position.state.legal_actions()
    assert choices(liking(A1, PASS), position) == {PASS}


def test_a_pass_that_wins_is_played_and_one_that_loses_is_not() -> None:
    for rules in (CHINESE, TROMP_TAYLOR):
        winning = position_of(OPEN, rules, komi=-20)
        assert choices(liking(PASS, 12), winning) == {PASS}
        losing = position_of(OPEN, rules, komi=20)
        assert PASS not in choices(liking(PASS, 12), losing)


def test_a_lost_game_where_all_is_certain_is_given_up() -> None:
    position = position_of(SETTLED, CHINESE, komi=7.5)
    assert len(cast(gtpcore.GoState, position.state).candidates()) > 1
    assert choices(liking(PASS, 12), position) == {PASS}


def test_a_pass_ends_a_game_that_is_won() -> None:
    position = position_of(SETTLED, CHINESE, komi=-9.5, to_move=Player.WHITE)
    position.play(Player.WHITE, PASS)
    net = liking(A1)
    assert choices(net, position) == {PASS}
    assert net.batches == []


@pytest.mark.parametrize("taker", [None, *Player])
def test_nothing_is_settled_that_depends_on_who_moves_next(taker: Player | None) -> None:
    """White has passed; the net has A1 stay Black's unless `taker` is to move."""
    position = position_of(SETTLED, CHINESE, komi=-9.5, to_move=Player.WHITE)
    position.play(Player.WHITE, PASS)

    def judged(at: Position) -> list[float]:
        return [-1.0 if point == A1 and at.to_move is taker else 0.0 for point in range(PASS)]

    assert (outlook(position, judged) is None) == (taker is not None)


def test_to_look_at_the_board_takes_of_the_time_of_the_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever is thought about a pass, the search has so much less."""
    given: list[float | None] = []

    class Watched(AlphaZeroAgent):
        def explore(
            self, search: gtpcore.Search, playouts: int | None, seconds: float | None
        ) -> Effort:
            given.append(seconds)
            return super().explore(search, 10, None)

    def slowly(*_: object) -> frozenset[int]:
        time.sleep(0.2)
        return frozenset()

    monkeypatch.setattr("search.go_passing.deceptive_pass", slowly)
    agent = Watched(AlphaZeroParams(seed=1, seconds=9), {"net": liking(12).native()})
    position = position_of(OPEN, CHINESE, komi=0.5)
    agent.choose(position, Limits(seconds=5))
    agent.choose(position, Limits())
    assert given[0] is not None and given[0] <= 4.8
    assert given[1] is not None and 5 < given[1] <= 8.8


def test_no_pass_where_it_is_banned() -> None:
    position = position_of(OPEN, CHINESE, komi=-20)
    assert PASS not in choices(liking(PASS, 12), position, banned=frozenset({PASS}))
    losing = position_of(OPEN, CHINESE, komi=20)
    assert 12 not in choices(liking(PASS, 12), losing, banned=frozenset({12}))
    passed_to = position_of(SETTLED, CHINESE, komi=-9.5, to_move=Player.WHITE)
    passed_to.play(Player.WHITE, PASS)
    assert PASS not in choices(liking(PASS, 12), passed_to, banned=frozenset({PASS}))


def explored(rules: Rules, net: FakeNet) -> dict[int, gtpcore.ChildReport]:
    """What a search says of Black's moves where White has passed."""
    position = position_of(OPEN, rules, komi=0.5, to_move=Player.WHITE)
    position.play(Player.WHITE, PASS)
    native = net.native()
    evaluator = gtpcore.NetEvaluator(prior=native, value=native, value_weight=1.0, batch_size=1)
    search = gtpcore.Search(position.state, evaluator, gtpcore.Puct(1.25))
    search.run(200)
    return {child.action: child for child in search.children()}


def test_two_passes_are_counted_and_not_judged_by_the_net() -> None:
    """Alone on the board with a stone each, White has komi; the net thinks that Black has won."""
    black_to_move_wins = liking(PASS, value=1.0)
    decided = explored(TROMP_TAYLOR, black_to_move_wins)[PASS]
    assert (decided.value_to_move, decided.proof) == (-1.0, "loss")
    agreed = explored(CHINESE, black_to_move_wins)[PASS]
    assert (agreed.value_to_move, agreed.proof) == (-1.0, "")


def test_two_passes_under_territory_scoring_are_a_position_to_judge() -> None:
    net = liking(PASS, value=-1.0)
    judged = explored(PRESETS["japanese"], net)[PASS]
    assert judged.value_to_move == 1.0


def test_games_come_to_an_end() -> None:
    net = liking(PASS, 12, 11, 13, 7, 17)
    for agent in agents(net):
        position = Position(Go(GoOptions(size=SIZE, rules=TROMP_TAYLOR)))
        while not position.state.is_terminal and len(position.moves) < 200:
            action = agent.choose(position, Limits(playouts=12)).action
            assert action is not None
            position.play(position.to_move, action)
        assert position.state.is_terminal


def looks(memory: int, symmetry_seed: int | None = None) -> tuple[dict[int, int], int]:
    """The visits of a search from the empty board, and how many positions the net was shown."""
    likes_the_left = [1.0 if point % SIZE < 2 else 0.01 for point in range(PASS + 1)]
    fake = FakeNet(
        Go(GoOptions(size=SIZE)), likes_the_left, value=lambda planes: float(planes.mean())
    )
    net = fake.native()
    evaluator = gtpcore.NetEvaluator(
        prior=net,
        value=net,
        value_weight=1.0,
        batch_size=1,
        symmetry_seed=symmetry_seed,
        memory=memory,
    )
    search = gtpcore.Search(gtpcore.GoState(SIZE), evaluator, gtpcore.Puct(3.0), seed=1)
    search.run(2000)
    return {c.action: c.visits for c in search.children()}, len(fake.seen)


@pytest.mark.parametrize(("symmetry_seed", "share"), [(None, 0.7), (5, 0.97)])
def test_a_net_is_asked_once_by_whatever_way_a_position_came_about(
    symmetry_seed: int | None, share: float
) -> None:
    """A net that heeds no history gives the same search, for fewer questions."""
    asked_anew, every_time = looks(0, symmetry_seed)
    remembered, once = looks(1 << 14, symmetry_seed)
    assert remembered == asked_anew
    assert once < share * every_time


# A game that a pass wins

COUNTED = """
    . . . . .
    . X . X .
    . . X . .
    . O . O .
    . . . . .
"""
"""Black has a stone more; much is open."""


@pytest.mark.parametrize("name", ["policy", "alphazero", "alphago"])
def test_a_pass_that_ends_the_game_won_is_played(name: str) -> None:
    """Where all stones count as they lie, nothing that could still happen matters."""
    net = liking(PASS - 1, value=-0.9).native()
    agents: dict[str, Agent] = {
        "policy": PolicyAgent(PolicyParams(), {"net": net}),
        "alphazero": AlphaZeroAgent(AlphaZeroParams(seed=1, resign_below=None), {"net": net}),
        "alphago": AlphaGoAgent(
            AlphaGoParams(seed=1, policy_rollout=False, value_net=None), {"net": net}
        ),
    }
    for komi, wins in ((-0.5, True), (20.5, False)):
        position = position_of(COUNTED, TROMP_TAYLOR, komi, Player.WHITE)
        position.play(Player.WHITE, PASS)
        decision = agents[name].choose(position, Limits(playouts=50))
        assert (decision.action == PASS and decision.value_to_move == 1.0) == wins


def test_where_dead_stones_are_taken_off_no_pass_wins_at_once() -> None:
    agent = PolicyAgent(PolicyParams(), {"net": liking(A1).native()})
    position = position_of(COUNTED, CHINESE, -0.5, Player.WHITE)
    position.play(Player.WHITE, PASS)
    assert agent.choose(position, Limits()).action == A1


def test_a_policy_tells_nothing_of_banned_moves() -> None:
    agent = PolicyAgent(PolicyParams(), {"net": liking(12, 7, A1).native()})
    position = Position(Go(GoOptions(size=SIZE)))
    agent.analyze(position, Limits().banning(Player.BLACK, {12}))
    report = agent.report_of(position)
    assert report is not None
    assert report.candidates[0].action == 7
    assert 12 not in {each.action for each in report.candidates}


def test_a_policy_tells_of_all_moves_where_it_would_pass_without_a_look() -> None:
    agent = PolicyAgent(PolicyParams(), {"net": liking(12).native()})
    position = position_of(SETTLED, CHINESE, komi=-9.5, to_move=Player.WHITE)
    position.play(Player.WHITE, PASS)
    agent.analyze(position, Limits())
    report = agent.report_of(position)
    assert report is not None and len(report.candidates) > 1


def test_a_move_that_fills_an_eye_is_played_if_no_other_is_allowed() -> None:
    agent = PolicyAgent(PolicyParams(), {"net": liking(PASS).native()})
    position = position_of(SETTLED, CHINESE, 0.5)
    others = frozenset(range(PASS + 1)) - {A1}
    assert agent.choose(position, Limits().banning(position.to_move, others)).action == A1
