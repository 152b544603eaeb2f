"""Exact proofs at the leaves of a search: right, bounded, and never in the way of a move."""

import random
from typing import Any, cast

import pytest

import gtpcore
from games.base import Player
from games.connect4 import ConnectFour, ConnectFourOptions
from games.go import Go
from games.position import Position
from games.tictactoe import TicTacToe
from search.agent import Ban, Decision, Limits
from search.alphazero import SOLVED_IN, AlphaZeroAgent, AlphaZeroParams
from search.net_agent import NetTreeAgent
from search.registry import AGENTS
from search.solver import SolverAgent
from tests.support.fakes import FakeNet
from tests.support.positions import after, random_connect_four

OUTCOMES = {"win": 1, "draw": 0, "loss": -1}
ALL = 10**7
"""Nodes that are enough for every position here."""
WINS_AT_ONCE = 13
"""The score after 16 discs if the next one wins."""
LATE = 8
"""Scores nearer to 0 are of games that end late."""


def open_state(rng: random.Random, discs: int) -> gtpcore.ConnectFourState:
    """A position in which nobody wins at once, so that a proof takes a search."""
    while True:
        state = random_connect_four(rng, discs)
        score = gtpcore.ConnectFourSolver().solve(state, exact=True)
        if score is not None and abs(score) < LATE:
            return state


def search_of(
    state: gtpcore.State, nodes: int, threads: int = 1, **options: Any
) -> tuple[gtpcore.Search, FakeNet]:
    """A search of `state` with a prover, and its net, which knows nothing."""
    net = FakeNet(ConnectFour())
    native = net.native()
    evaluator = gtpcore.NetEvaluator(prior=native, value=native, value_weight=1.0, batch_size=1)
    prover = gtpcore.ConnectFourProver(threads=threads, nodes=nodes)
    rule = gtpcore.Puct(1.25, 0.2)
    search = gtpcore.Search(state, evaluator, rule, threads=threads, prover=prover, **options)
    return search, net


def proofs(search: gtpcore.Search) -> dict[int, int]:
    """The outcomes of the moves that are proven, for who makes them."""
    return {c.action: OUTCOMES[c.proof] for c in search.children() if c.proof in OUTCOMES}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("nodes", [0, 20, 1_000, ALL])
def test_what_is_proven_is_true(nodes: int, threads: int, rng: random.Random) -> None:
    judge = gtpcore.ConnectFourSolver()
    proven = 0
    for discs in (20, 22, 24, 26, 28) * 3:
        state = open_state(rng, discs)
        search, _ = search_of(state, nodes, threads)
        search.run(playouts=40)
        told = proofs(search)
        assert told.items() <= judge.solve_moves(state).items(), state
        proven += len(told)
    assert proven > 0


def test_enough_nodes_settle_a_position_by_a_look_at_its_moves(rng: random.Random) -> None:
    """The net is asked about the root alone."""
    for _ in range(5):
        state = open_state(rng, 24)
        search, net = search_of(state, ALL)
        search.run(playouts=400)
        assert net.batches == [1]
        assert OUTCOMES[search.root_proof] == gtpcore.ConnectFourSolver().solve(state)


def test_a_search_ends_with_the_proof_of_its_root(rng: random.Random) -> None:
    """Simulations are begun by hundreds; of those left none counts once a win was met."""
    for _ in range(5):
        state = random_connect_four(rng, 16)
        while gtpcore.ConnectFourSolver().solve(state, exact=True) != WINS_AT_ONCE:
            state = random_connect_four(rng, 16)
        search, _ = search_of(state, nodes=0)
        search.run(playouts=400)
        assert search.root_proof == "win"
        assert search.root_visits < 50


def test_what_takes_more_nodes_is_left_to_the_net(rng: random.Random) -> None:
    state = open_state(rng, 12)
    few, many = (search_of(state, nodes) for nodes in (20, 20_000))
    for search, _ in (few, many):
        search.run(playouts=100)
    assert len(few[1].batches) > len(many[1].batches) > 1


def test_a_move_is_still_found_where_only_the_outcome_was_proven(rng: random.Random) -> None:
    """The position after a proven move has no moves in the tree until it is searched itself."""
    for _ in range(5):
        state = open_state(rng, 24)
        search, _ = search_of(state, ALL)
        search.run(playouts=20)
        action, outcome = next(iter(proofs(search).items()))
        follower = state.clone()
        follower.apply_action(action)
        assert not follower.is_terminal
        search.advance(action)
        search.run(playouts=20)
        assert max(proofs(search).values()) == -outcome
        assert {child.action for child in search.children()} == set(follower.legal_actions())


def test_with_moves_forbidden_nothing_is_proven_that_may_hang_on_them(rng: random.Random) -> None:
    state = open_state(rng, 24)
    search, net = search_of(state, ALL, forbidden=[(state.current_player, 0, 3)])
    search.run(playouts=30)
    assert len(net.batches) > 5


def test_a_prover_that_cannot_serve_is_refused() -> None:
    native = FakeNet(ConnectFour()).native()
    evaluator = gtpcore.NetEvaluator(prior=native, value=native, value_weight=1.0)
    prover = gtpcore.ConnectFourProver(threads=1, nodes=10)
    usual = gtpcore.ConnectFourState()
    rule = gtpcore.Puct(1.25, 0.2)
    for state, leaves, threads in (
        (usual, evaluator, 2),
        (usual, gtpcore.Evaluator(), 1),
    ):
        with pytest.raises(ValueError, match="this prover does not serve the search"):
            gtpcore.Search(state, leaves, rule, threads=threads, prover=prover)
    small = ConnectFour(ConnectFourOptions(columns=5))
    native = FakeNet(small).native()
    evaluator = gtpcore.NetEvaluator(prior=native, value=native, value_weight=1.0)
    with pytest.raises(ValueError, match="this prover does not serve the search"):
        gtpcore.Search(small.new_state(), evaluator, rule, prover=prover)
    with pytest.raises(ValueError, match="threads 0: expected at least 1"):
        gtpcore.ConnectFourProver(threads=0, nodes=10)


# alphazero


def test_alphazero_proves_leaves_of_connect_four_on_the_usual_board(rng: random.Random) -> None:
    usual = AGENTS["alphazero"].defaults(ConnectFour())
    assert usual["solve_nodes"] > 0
    others = (Go(), TicTacToe(), ConnectFour(ConnectFourOptions(columns=8)))
    assert not any("solve_nodes" in AGENTS["alphazero"].defaults(game) for game in others)


WON = (3, 3, 3, 3, 3, 2, 3, 1, 1, 5, 0, 1, 1, 0, 5, 5, 5, 5, 4, 4, 0, 0)
"""22 discs, after which every move is a win, but none of them at once."""


def test_alphazero_asks_its_net_less_where_leaves_are_proven() -> None:
    asked = []
    for nodes in (0, 20_000):
        net = FakeNet(ConnectFour())
        params = AlphaZeroParams(seed=1, solve_nodes=nodes, batch_size=1)
        agent = AlphaZeroAgent(params, {"net": net.native()})
        decision = agent.choose(after(ConnectFour(), *WON), Limits(playouts=60))
        asked.append(len(net.batches))
    assert decision.value_to_move == 1
    assert asked[0] > 10 * asked[1]


@pytest.mark.parametrize("banned", [frozenset(), frozenset({3})])
def test_alphazero_wins_at_once_though_every_move_wins(banned: frozenset[int]) -> None:
    """As proofs tell the outcome alone; but not by a move that is banned."""
    net = FakeNet(ConnectFour())
    agent = AlphaZeroAgent(AlphaZeroParams(seed=1, solve_nodes=20_000), {"net": net.native()})
    position = after(ConnectFour(), 3, 0, 3, 0, 3, 1)
    decision = agent.choose(position, Limits(playouts=20).banning(position.to_move, banned))
    assert (decision.action == 3) == (not banned)
    assert decision.value_to_move == 1
    report = agent.report()
    assert report is not None and report.candidates[0].action == decision.action


def test_alphazero_wins_at_once_whatever_is_banned_later() -> None:
    net = FakeNet(ConnectFour())
    agent = AlphaZeroAgent(AlphaZeroParams(seed=1, solve_nodes=20_000), {"net": net.native()})
    position = after(ConnectFour(), 3, 0, 3, 0, 3, 1)
    bans = (Ban(Player.WHITE, 3, 8), Ban(Player.BLACK, 0, 8))
    decision = agent.choose(position, Limits(playouts=20, bans=bans))
    assert (decision.action, decision.value_to_move, decision.playouts) == (3, 1, 0)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Limits]:
    """The limits of what the solver is asked, which answers by a move that is illegal after WON."""
    limits_of_all: list[Limits] = []

    def noting(agent: SolverAgent, position: Position, limits: Limits) -> Decision:
        limits_of_all.append(limits)
        return Decision(3)

    monkeypatch.setattr(SolverAgent, "choose", noting)
    return limits_of_all


def test_the_solver_is_asked_where_no_ban_reaches_beyond_the_next_move(
    asked: list[Limits],
) -> None:
    """It knows the game without bans; with them an end may be nearer, or there may be none."""
    net = FakeNet(ConnectFour()).native()
    agent = AlphaZeroAgent(AlphaZeroParams(seed=1, solve_nodes=20_000), {"net": net})
    for plies in (0, 1, 2):
        bans = (Ban(Player.BLACK, 0, plies), Ban(Player.WHITE, 3, plies))
        decision = agent.choose(after(ConnectFour(), *WON), Limits(playouts=60, bans=bans))
        assert (decision.value_to_move, decision.action != 3) == (1, True)
    assert [limits.bans[0].plies for limits in asked] == [0, 1]


def test_the_solver_is_asked_in_decided_games_for_what_is_left_of_the_time(
    asked: list[Limits],
) -> None:
    net = FakeNet(ConnectFour()).native()
    agent = AlphaZeroAgent(AlphaZeroParams(seed=1, solve_nodes=20_000), {"net": net})
    agent.choose(Position(ConnectFour()), Limits(playouts=20))
    assert not asked
    for seconds in (0.9, 60.0):
        agent.choose(after(ConnectFour(), *WON), Limits(playouts=60, seconds=seconds))
    few, many = (limits.seconds for limits in asked)
    assert few is not None and few < 0.9
    assert many == SOLVED_IN


def test_who_is_stopped_as_the_search_ends_does_not_ask_the_solver(
    asked: list[Limits], monkeypatch: pytest.MonkeyPatch
) -> None:
    """But does so for the next move."""
    ends = iter([True, False])

    def decided(agent: AlphaZeroAgent, position: Position, limits: Limits) -> Decision:
        if next(ends):
            agent.stop()
        return Decision(0, value_to_move=1.0)

    monkeypatch.setattr(NetTreeAgent, "choose", decided)
    net = FakeNet(ConnectFour()).native()
    agent = AlphaZeroAgent(AlphaZeroParams(seed=1, solve_nodes=20_000), {"net": net})
    for times in (0, 1):
        agent.choose(after(ConnectFour(), *WON), Limits(playouts=60))
        assert len(asked) == times


@pytest.mark.parametrize("threads", [1, 2])
def test_a_game_that_is_proven_lost_is_given_up_if_that_is_asked_for(threads: int) -> None:
    net = FakeNet(ConnectFour()).native()
    params = AlphaZeroParams(threads=threads, solve_nodes=20_000, resign_below=-0.9)
    lost = after(ConnectFour(), 2, 2, 3, 3, 4)  # to three stones with both ends open
    decision = AlphaZeroAgent(params, {"net": net}).choose(lost, Limits(playouts=60))
    assert (decision.action, decision.value_to_move) == (None, -1)


def test_on_other_boards_what_is_decided_is_left_to_the_search() -> None:
    game = ConnectFour(ConnectFourOptions(columns=5))
    params = AlphaZeroParams(seed=1, solve_nodes=20_000)
    agent = AlphaZeroAgent(params, {"net": FakeNet(game).native()})
    decision = agent.choose(after(game, 1, 1, 2, 2), Limits(playouts=2000))
    assert (decision.action, decision.value_to_move) == (3, 1)


def decided_position(rng: random.Random, discs: int) -> Position:
    """One that is won or lost, but not within the next moves."""
    while True:
        position = Position(ConnectFour())
        while not position.state.is_terminal and len(position.moves) < discs:
            position.play(position.to_move, rng.choice(position.state.legal_actions()))
        if not position.state.is_terminal:
            state = cast(gtpcore.ConnectFourState, position.state)
            score = gtpcore.ConnectFourSolver().solve(state, exact=True)
            if score and abs(score) < LATE:
                return position


def test_what_is_decided_is_won_soonest_and_lost_latest(rng: random.Random) -> None:
    judge, values = gtpcore.ConnectFourSolver(), set()
    params = AlphaZeroParams(seed=1, solve_nodes=20_000)
    agent = AlphaZeroAgent(params, {"net": FakeNet(ConnectFour()).native()})
    for discs in (16, 18, 20, 22, 24) * 4:
        position = decided_position(rng, discs)
        decision = agent.choose(position, Limits(playouts=50))
        scores = judge.solve_moves(cast(gtpcore.ConnectFourState, position.state), exact=True)
        assert decision.action is not None
        assert scores[decision.action] == max(scores.values())
        assert decision.candidates[0].action == decision.action
        values.add(decision.value_to_move)
    assert values == {1, -1}


def test_what_is_banned_is_so_in_decided_games(rng: random.Random) -> None:
    """Of the other moves the one that wins soonest or loses latest is played."""
    judge, params = gtpcore.ConnectFourSolver(), AlphaZeroParams(seed=1, solve_nodes=20_000)
    agent = AlphaZeroAgent(params, {"net": FakeNet(ConnectFour()).native()})
    for discs in (20, 22, 24):
        position = decided_position(rng, discs)
        for _ in range(3):
            banned = frozenset(rng.sample(position.state.legal_actions(), 2))
            limits = Limits(playouts=50).banning(position.to_move, banned)
            decision = agent.choose(position, limits)
            assert decision.action is not None and decision.action not in banned
            state = cast(gtpcore.ConnectFourState, position.state)
            scores = judge.solve_moves(state, exact=True)
            best = max(score for move, score in scores.items() if move not in banned)
            assert not best or scores[decision.action] == best
