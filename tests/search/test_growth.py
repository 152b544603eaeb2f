"""Which moves get nodes in a tree that nets guide, and what happens once there is no room."""

import pytest

import gtpcore
from games.go import Go, GoOptions
from games.go_rules import JAPANESE, TROMP_TAYLOR, Rules
from tests.support.fakes import FakeNet

SIZE = 7
PASS = SIZE * SIZE
LIKELY = (10, 24, 38, PASS)
UNLIKELY = 1e-6


def state_of(rules: Rules = TROMP_TAYLOR, komi: float = 7.0) -> gtpcore.GoState:
    return gtpcore.GoState(SIZE, rules.with_komi(komi))


def net_of(likely: tuple[int, ...] = LIKELY) -> FakeNet:
    """A net that thinks only of some moves, of each a little less than of the one before."""
    priors = [UNLIKELY] * (PASS + 1)
    for rank, action in enumerate(likely):
        priors[action] = 1.0 - 0.1 * rank
    return FakeNet(Go(GoOptions(size=SIZE)), priors)


def search_of(net: FakeNet, state: gtpcore.GoState, max_nodes: int = 1 << 16) -> gtpcore.Search:
    native = net.native()
    evaluator = gtpcore.NetEvaluator(
        prior=native, value=native, value_weight=1.0, batch_size=1, memory=1 << 12
    )
    max_bytes = max_nodes * gtpcore.Search.node_bytes
    return gtpcore.Search(state, evaluator, gtpcore.Puct(1.25, 0.2, 0.85), max_bytes=max_bytes)


def visits(search: gtpcore.Search) -> dict[int, int]:
    return {child.action: child.visits for child in search.children()}


def test_below_the_root_unlikely_moves_get_no_nodes() -> None:
    search = search_of(net_of(), state_of())
    playouts = 300
    search.run(playouts)
    assert len(search.children()) == PASS + 1
    assert search.num_nodes <= 2 + PASS + 1 + len(LIKELY) * playouts


def test_where_a_net_likes_all_moves_alike_each_gets_a_node() -> None:
    search = search_of(FakeNet(Go(GoOptions(size=SIZE))), state_of())
    search.run(2)
    assert search.num_nodes == 2 + (PASS + 1) + PASS


def test_a_new_root_gets_nodes_for_all_its_moves() -> None:
    net, state = net_of(), state_of()
    search = search_of(net, state)
    search.run(300)
    asked = len(net.seen)
    for action in search.children(2)[0].variation:
        known = visits(search)[action]
        search.advance(action)
        state.apply_action(action)
        assert visits(search).keys() == set(state.candidates())
        assert sum(visits(search).values()) == known - 1
        assert sum(child.prior for child in search.children()) == pytest.approx(1, abs=1e-3)
    assert len(net.seen) == asked  # what it said of a position in the tree is remembered
    search.run(100)
    assert sum(visits(search).values()) == known - 1 + 100
    search.run(10, root_actions=[0])
    assert visits(search)[0] == 10


def test_a_move_without_a_node_may_be_played() -> None:
    search = search_of(net_of(), state_of())
    search.run(300)
    search.advance(search.children()[0].action)
    search.advance(0)  # an unlikely one
    assert visits(search) == {}
    assert search.run(20).playouts == 20


def test_unlikely_moves_may_save_what_all_likely_ones_lose() -> None:
    """White is behind, so that to pass, all it thinks of, would end the game lost."""
    search = search_of(net_of((PASS,)), state_of(komi=-7))
    search.run(1)
    search.run(50, root_actions=[PASS])
    passed = next(child for child in search.children() if child.action == PASS)
    assert passed.variation == [PASS]
    assert passed.visits == 50
    assert passed.proof == ""
    search.advance(PASS)
    replies = {child.action: child.proof for child in search.children()}
    assert replies[PASS] == "loss"
    assert set(replies.values()) == {"loss", ""}


def test_a_search_ends_once_its_tree_is_full() -> None:
    """A net would say of the leaves what it said before, and no move would get more than visits."""
    net = FakeNet(Go(GoOptions(size=SIZE)))
    search = search_of(net, state_of(), max_nodes=2000)
    first = search.run(5000)
    assert 2000 / (PASS + 1) < first.playouts < 2 * len(net.seen)
    assert search.run(5000).playouts == 0
    search.advance(search.children()[0].action)
    assert search.run(20).playouts == 20


def test_a_search_with_rollouts_goes_on_in_a_full_tree() -> None:
    """They say something new of leaves that were looked at before."""
    evaluator = gtpcore.NetEvaluator(prior=net_of().native(), rollout="random")
    search = gtpcore.Search(
        state_of(), evaluator, gtpcore.Ucb1(), max_bytes=2000 * gtpcore.Search.node_bytes
    )
    assert search.run(3000).playouts == 3000


def test_a_tree_that_is_full_may_lose_what_it_knows_but_no_move() -> None:
    """There is no room for the moves that the new root lacks."""
    search = search_of(net_of(), state_of(), max_nodes=2 + PASS + 1 + 40)
    search.run(500)
    search.advance(search.children()[0].action)
    search.run(5)
    assert len(visits(search)) in (0, PASS)


@pytest.mark.parametrize("rules", [TROMP_TAYLOR, JAPANESE])
def test_a_game_that_ended_is_shown_to_a_net_once(rules: Rules) -> None:
    """Under territory rules, what is dead must be judged."""
    net = net_of((PASS,))
    state = state_of(rules)
    state.apply_action(PASS)
    search = search_of(net, state)
    search.run(200)
    assert visits(search)[PASS] > 20 or search.root_proof
    assert len(net.seen) < 200 - visits(search)[PASS] / 2
