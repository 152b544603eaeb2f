"""The agents with nets: what their parameters do."""

import time
from typing import Any
from unittest.mock import Mock
from zlib import crc32

import numpy as np
import pytest

import gtpcore
from games.connect4 import ConnectFour
from games.go import Go, GoOptions
from games.position import Position
from games.registry import GAMES
from search.agent import Limits
from search.alphago import AlphaGoAgent, AlphaGoParams
from search.alphazero import AlphaZeroAgent, AlphaZeroParams
from search.board_net import BareOpinion, BoardOpinion
from search.mixed_mcts import MixedMctsAgent, MixedMctsParams
from search.policy import PolicyAgent, PolicyParams
from search.policy_mcts import PolicyMctsAgent, PolicyMctsParams
from search.registry import AGENTS
from tests.support.board_net import FakeBoardNet
from tests.support.fakes import FakeNet, Planes
from tests.support.positions import after
from tests.support.python_game import Nim

PRIORS = (0.05, 0.1, 0.2, 0.3, 0.2, 0.1, 0.05)


class Lopsided(FakeBoardNet):
    """Says something else of a position than of all its images."""

    def __init__(self, game: Go) -> None:
        super().__init__(game, BoardOpinion(), (0.6, 0.1, 0.1, 0.1, 0.1))

    def mean(self, state: gtpcore.State) -> BareOpinion:
        """The third point."""
        return BareOpinion([0.1, 0.1, 0.6, 0.1, 0.1], 0.5, self.opinion)


def test_the_seed_alone_decides() -> None:
    def counts(seed: int) -> list[tuple[int, int]]:
        nets = {"net": FakeNet(ConnectFour(), PRIORS).native()}
        agent = AlphaZeroAgent(AlphaZeroParams(seed=seed, epsilon=0.25), nets)
        decision = agent.choose(Position(ConnectFour()), Limits(playouts=200))
        return [(c.action, c.visits) for c in decision.candidates]

    assert counts(1) == counts(1) != counts(2)


# The agents


def test_one_playout_plays_what_the_net_likes_best() -> None:
    nets = {"net": FakeNet(ConnectFour(), PRIORS).native()}
    agent = AlphaZeroAgent(AlphaZeroParams(seed=1), nets)
    assert agent.choose(Position(ConnectFour()), Limits(playouts=1)).action == 3


def test_what_one_playout_cannot_know_is_not_told() -> None:
    nets = {"net": FakeNet(ConnectFour(), PRIORS).native()}
    agent = AlphaZeroAgent(AlphaZeroParams(seed=1), nets)
    assert agent.choose(Position(ConnectFour()), Limits(playouts=1)).value_to_move is None


def test_an_analysis_outlasts_a_net_that_is_still_being_compiled() -> None:
    def slow_at_first(planes: Planes) -> float:
        if len(fake.batches) == 1:
            time.sleep(0.05)
        return 0.5

    fake = FakeNet(ConnectFour(), PRIORS, slow_at_first)
    agent = AlphaZeroAgent(AlphaZeroParams(seed=1), {"net": fake.native()})
    agent.analyze(Position(ConnectFour()), Limits(seconds=0.01))
    report = agent.report()
    assert report is not None
    assert report.value_to_move == pytest.approx(-0.5, abs=1e-6)


def test_alphazero_mixes_noise_into_the_roots_priors_while_it_searches() -> None:
    """However often it searches, into those of the net."""

    def look(planes: Planes) -> float:
        if (report := agent.report()) is not None:
            seen.append({c.action: c.prior for c in report.candidates})
        return 0.0

    seen: list[dict[int, float]] = []
    nets = {"net": FakeNet(ConnectFour(), PRIORS, look).native()}
    agent = AlphaZeroAgent(AlphaZeroParams(seed=1, epsilon=0.5), nets)
    position = Position(ConnectFour())
    for playouts in (50, 100, 150, 200):
        seen.clear()
        decision = agent.choose(position, Limits(playouts=50))
        assert decision.playouts == 50
        assert sum(c.visits for c in decision.candidates) == playouts - 1
        assert {c.action: c.prior for c in decision.candidates} == pytest.approx(
            dict(enumerate(PRIORS))
        )
        mixed = seen[-1]
        assert sum(mixed.values()) == pytest.approx(1)
        assert all(mixed[a] >= 0.5 * PRIORS[a] - 1e-6 for a in range(7))
        assert mixed != pytest.approx(dict(enumerate(PRIORS)))


def test_a_search_stopped_before_its_first_playout_gets_no_noise() -> None:
    """There are no priors yet to mix it into."""
    search = Mock(spec=gtpcore.Search)
    search.children.return_value = []
    search.run.return_value = Mock(playouts=0, seconds=0.0)
    nets = {"net": FakeNet(ConnectFour()).native()}
    agent = AlphaZeroAgent(AlphaZeroParams(epsilon=0.5), nets)
    assert agent.explore(search, 50, None) == (0, 0.0)
    search.set_root_priors.assert_not_called()


@pytest.mark.parametrize(
    "changed",
    [
        {"c_puct": 3.0},
        {"fpu_reduction": 1.0},
        {"by_spread": 0.0},
        {"batch_size": 1},
        {"bias_correction": 1.0},
    ],
    ids=str,
)
def test_each_parameter_of_the_search_counts(changed: dict[str, float]) -> None:
    game = Go(GoOptions(size=5))

    def noise(planes: Planes) -> float:
        return crc32(planes.tobytes()) % 129 / 64 - 1

    nets = {"net": FakeNet(game, value=noise).native()}
    usual, other = (
        AlphaZeroAgent(AlphaZeroParams.model_validate({"seed": 1, **params}), nets)
        .choose(Position(game), Limits(playouts=400))
        .candidates
        for params in ({}, changed)
    )
    assert {each.action: each.visits for each in usual} != {
        each.action: each.visits for each in other
    }


def test_temperature_draws_by_visits() -> None:
    nets = {"net": FakeNet(ConnectFour(), PRIORS).native()}
    hot = AlphaZeroAgent(AlphaZeroParams(seed=1, temperature=1.0, reuse_tree=False), nets)
    cold = AlphaZeroAgent(AlphaZeroParams(seed=1, reuse_tree=False), nets)
    position = Position(ConnectFour())

    def chosen(agent: AlphaZeroAgent) -> set[int | None]:
        return {agent.choose(position, Limits(playouts=60)).action for _ in range(25)}

    assert len(chosen(cold)) == 1
    assert len(chosen(hot)) > 2
    later = AlphaZeroParams(seed=1, temperature=1.0, temperature_moves=0, reuse_tree=False)
    assert chosen(AlphaZeroAgent(later, nets)) == chosen(cold)
    cool = AlphaZeroParams(seed=1, temperature=0.02, reuse_tree=False)
    assert chosen(AlphaZeroAgent(cool, nets)) == chosen(cold)
    assert hot.choose(position, Limits(playouts=1)).action is not None  # of moves without visits


def test_no_draw_loses_for_sure_or_gives_up() -> None:
    """Black has to play on the three White discs of column D."""
    position = after(ConnectFour(), 0, 3, 1, 3, 0, 3)
    nets = {"net": FakeNet(ConnectFour(), [1 / 7] * 7).native()}
    for seed in range(20):
        params = AlphaZeroParams(seed=seed, temperature=1.0, resign_below=-0.9)
        decision = AlphaZeroAgent(params, nets).choose(position, Limits(playouts=200))
        assert decision.action == 3


def test_no_draw_misses_a_sure_win() -> None:
    """Black wins in the column that is looked at last."""
    position = after(ConnectFour(), 0, 3, 0, 3, 0, 4)
    nets = {"net": FakeNet(ConnectFour(), PRIORS).native()}
    for seed in range(20):
        params = AlphaZeroParams(seed=seed, temperature=1.0)
        assert AlphaZeroAgent(params, nets).choose(position, Limits(playouts=200)).action == 0


def test_a_move_is_drawn_where_all_surely_lose() -> None:
    lost = after(ConnectFour(), 2, 2, 3, 3, 4)  # to three stones with both ends open
    nets = {"net": FakeNet(ConnectFour(), PRIORS).native()}
    agent = AlphaZeroAgent(AlphaZeroParams(seed=1, temperature=1.0), nets)
    decision = agent.choose(lost, Limits(playouts=3000))
    assert decision.value_to_move == -1
    assert decision.action in range(7)


def test_policy_takes_the_likeliest_legal_move() -> None:
    nets = {"net": FakeNet(ConnectFour(), PRIORS).native()}
    agent = PolicyAgent(PolicyParams(), nets)
    position = Position(ConnectFour())
    decision = agent.choose(position, Limits())
    assert decision.action == 3
    assert [each.prior for each in decision.candidates] == pytest.approx(sorted(PRIORS)[::-1])
    assert agent.choose(position, Limits().banning(position.to_move, {3})).action in (2, 4)
    full = after(ConnectFour(), *[3] * 6)
    assert agent.choose(full, Limits()).action in (2, 4)


def test_policy_asks_for_all_images_of_a_position_unless_told_not_to() -> None:
    game = Go(GoOptions(size=2))
    net = Lopsided(game)
    for symmetries, best in ((True, 2), (False, 0)):
        agent = PolicyAgent(PolicyParams(seed=1, symmetries=symmetries), {"net": net})
        decision = agent.choose(Position(game), Limits())
        assert (decision.action, decision.value_to_move) == (best, 0.5 if symmetries else 0.0)


class OneSided:
    """Likes the left, and values how many discs of the mover are on the leftmost column."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    def __call__(self, planes: Planes) -> tuple[Planes, Planes]:
        self.batches.append(len(planes))
        policy = np.tile(np.array([0.4, 0.2, 0.2, 0.1, 0.1, 0, 0], np.float32), (len(planes), 1))
        return policy, planes[:, :, 0, 0].sum(axis=1) / 4

    def native(self, memory: int = 64) -> gtpcore.Net:
        """As a search takes it."""
        return gtpcore.Net(self, (6, 7, 7), 7, has_policy=True, has_value=True, memory=memory)


@pytest.mark.parametrize("memory", [0, 64])
def test_a_net_of_connect_four_is_asked_about_both_sides(memory: int) -> None:
    """By hand: the mean of a policy and its mirror image, and of one disc at the left and two."""
    state = ConnectFour().new_state()
    for column in (0, 3, 6, 3, 6, 3):
        state.apply_action(column)
    net = OneSided()
    native = net.native(memory)
    for _ in range(2):
        policy, value = native.evaluate(state, symmetry_seed=1)
        assert policy == pytest.approx([0.2, 0.1, 0.15, 0.1, 0.15, 0.1, 0.2])
        assert value == pytest.approx((1 / 4 + 2 / 4) / 2)
        policy, value = native.evaluate(state)
        assert policy == pytest.approx([0.4, 0.2, 0.2, 0.1, 0.1, 0, 0])
        assert value == pytest.approx(1 / 4)
    assert net.batches == ([2, 1] if memory else [2, 1, 2, 1])


def test_a_search_of_connect_four_looks_from_both_sides_if_it_is_told_to() -> None:
    def priors(symmetries: bool) -> list[float]:
        params = AlphaZeroParams(seed=1, symmetries=symmetries)
        agent = AlphaZeroAgent(params, {"net": OneSided().native()})
        found = agent.choose(Position(ConnectFour()), Limits(playouts=20)).candidates
        return [each.prior for each in sorted(found, key=lambda each: each.action)]

    assert priors(True) == pytest.approx([0.2, 0.1, 0.15, 0.1, 0.15, 0.1, 0.2])
    assert priors(False) == pytest.approx([0.4, 0.2, 0.2, 0.1, 0.1, 0, 0])


def test_policy_draws_by_its_probabilities() -> None:
    nets = {"net": FakeNet(ConnectFour(), (0, 0, 1, 3, 0, 0, 0)).native()}

    def drawn(seed: int) -> list[int | None]:
        agent = PolicyAgent(PolicyParams(mode="stochastic", seed=seed), nets)
        return [agent.choose(Position(ConnectFour()), Limits()).action for _ in range(400)]

    moves = drawn(1)
    assert moves == drawn(1) != drawn(2)
    assert set(moves) == {2, 3}
    assert 60 <= moves.count(2) <= 140


def test_a_move_is_played_where_no_probability_is_left() -> None:
    """The net likes the full column alone."""
    nets = {"net": FakeNet(ConnectFour(), (0, 0, 0, 1, 0, 0, 0)).native()}
    agent = PolicyAgent(PolicyParams(mode="stochastic", seed=1), nets)
    assert agent.choose(after(ConnectFour(), *[3] * 6), Limits()).action in {0, 1, 2, 4, 5, 6}


@pytest.mark.parametrize("name", ["policy-mcts", "mixed-mcts", "alphago", "alphazero"])
@pytest.mark.parametrize("game", ["coin", "tictactoe", "connect4"])
def test_agents_with_nets_find_a_win_in_one(name: str, game: str) -> None:
    opening = {"coin": [1] * 9, "tictactoe": [0, 3, 1, 4], "connect4": [3, 0, 3, 0, 3, 0]}
    winning = {"coin": 1 + 1, "tictactoe": 2, "connect4": 3}
    position = after(GAMES[game](), *opening[game])
    net = FakeNet(position.game).native()
    nets = {"net": net, "value_net": net, "rollout_net": net}
    agent = AGENTS[name](AGENTS[name].Params(seed=1), nets)
    decision = agent.choose(position, Limits(playouts=400))
    if game == "coin":
        assert decision.action is not None
        assert (3 - (decision.action + 1)) % 3 == 0 or decision.value_to_move in (-1.0, None)
    else:
        assert decision.action == winning[game]
        assert decision.value_to_move == 1


def test_alphago_is_made_of_its_parameters() -> None:
    game = ConnectFour()
    strong, judge, fast = (FakeNet(game, PRIORS) for _ in range(3))
    nets = {"net": strong.native(), "value_net": judge.native(), "rollout_net": fast.native()}
    agent = AlphaGoAgent(
        AlphaGoParams(seed=1, max_tree_depth=1, num_rollouts=30, batch_size=1, depth=2), nets
    )
    decision = agent.choose(Position(game), Limits())
    assert decision.playouts == 30
    assert strong.batches == [2]  # the root alone has priors, and is shown with its image
    assert judge.batches and fast.batches
    cut_off = sum(fast.batches)
    fast.batches.clear()
    whole = AlphaGoAgent(AlphaGoParams(seed=1, num_rollouts=30, batch_size=1), nets)
    whole.choose(Position(game), Limits())
    assert sum(fast.batches) > 3 * cut_off
    fast.batches.clear()
    random = AlphaGoAgent(AlphaGoParams(seed=1, policy_rollout=False), nets)
    random.choose(Position(game), Limits(playouts=20))
    assert fast.batches == []


def test_alphago_is_the_paper_s_unless_it_is_told_the_textbook_s_weight() -> None:
    net = FakeNet(ConnectFour()).native()
    nets = {"net": net, "value_net": net, "rollout_net": net}
    assert isinstance(AlphaGoAgent(AlphaGoParams(), nets).rule(), gtpcore.Puct)
    assert isinstance(AlphaGoAgent(AlphaGoParams(weight=0.8), nets).rule(), gtpcore.WeightedPrior)
    assert AlphaGoParams().value_weight == 0.5


def test_alphago_heeds_its_value_net_by_a_share() -> None:
    """The net takes whoever moves next for the winner; games at random often end otherwise."""
    net = FakeNet(ConnectFour(), value=1.0).native()

    def value(share: float) -> float:
        params = AlphaGoParams(seed=1, max_tree_depth=1, policy_rollout=False, value_weight=share)
        agent = AlphaGoAgent(params, {"net": net, "value_net": net})
        found = agent.choose(Position(ConnectFour()), Limits(playouts=200)).value_to_move
        assert found is not None
        return found

    assert value(1.0) == pytest.approx(-1, abs=1e-3)
    assert value(0.0) > value(0.25) + 0.1 > value(0.75) + 0.3


def test_alphago_without_a_value_net_goes_by_rollouts_alone() -> None:
    """Whatever share a value net was to have."""
    strong = FakeNet(ConnectFour(), PRIORS)
    nets = {"net": strong.native(), "rollout_net": strong.native()}
    params = AlphaGoParams(seed=1, value_net=None)
    agent = AlphaGoAgent(params, nets)
    assert agent.choose(Position(ConnectFour()), Limits(playouts=20)).action is not None


@pytest.mark.parametrize(
    ("params", "values"),
    [
        (AlphaZeroParams, {"alpha": 1e308}),
        (AlphaZeroParams, {"c_puct": float("inf")}),
        (AlphaZeroParams, {"fpu_reduction": float("inf")}),
        (AlphaGoParams, {"temperature": float("inf")}),
        (AlphaGoParams, {"temperature": 1e-300}),
    ],
)
def test_numbers_beyond_all_reckoning_are_refused(params: Any, values: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"should be (less|greater) than or equal to"):
        params(**values)


def test_mixed_mcts_follows_advice_and_policy_mcts_asks_for_rollouts_only() -> None:
    game = ConnectFour()
    net = FakeNet(game, (1000, 1, 1, 1, 1, 1, 1))
    mixed = MixedMctsAgent(MixedMctsParams(seed=1, prior_weight=1e6), {"net": net.native()})
    assert mixed.choose(Position(game), Limits(playouts=100)).action == 0
    rolled = PolicyMctsAgent(PolicyMctsParams(seed=1), {"net": net.native()})
    decision = rolled.choose(Position(game), Limits(playouts=100))
    assert all(c.prior == pytest.approx(1 / 7) for c in decision.candidates)


@pytest.mark.parametrize(
    ("name", "lacks"),
    [
        ("policy", "net"),
        ("policy-mcts", "net"),
        ("mixed-mcts", "net"),
        ("alphago", "rollout_net"),
        ("alphazero", "net"),
    ],
)
def test_no_agent_does_without_a_net_that_it_is_to_have(name: str, lacks: str) -> None:
    agent, fake = AGENTS[name], FakeNet(ConnectFour())
    nets = {key: fake.native() for key in ("net", "value_net", "rollout_net") if key != lacks}
    for given in (nets, {**nets, lacks: fake}):  # it has a `native`, but is none
        with pytest.raises(ValueError, match=rf"agent {name}: nets\['{lacks}'\]: expected a gtp"):
            agent(agent.Params(), given)  # type: ignore[arg-type]


def test_no_policy_is_played_by_a_net_that_has_none() -> None:
    fake = FakeNet(ConnectFour())
    net = gtpcore.Net(fake, fake.shape, 7, has_policy=False, has_value=True)
    with pytest.raises(
        ValueError, match=r"agent policy: nets\['net'\]: expected one with a policy"
    ):
        PolicyAgent(PolicyParams(), {"net": net})


def test_no_agent_with_nets_plays_what_has_no_planes() -> None:
    for name in ("policy", "policy-mcts", "mixed-mcts", "alphago", "alphazero"):
        assert not AGENTS[name].plays(Nim())
        assert AGENTS[name].plays(ConnectFour())
        assert AGENTS[name].plays(Go())
