"""Limits of the tree search: playouts, time, memory, and being stopped."""

import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import gtpcore
from games.base import Player
from games.coin import Coin
from games.connect4 import ConnectFour
from games.position import Position
from games.registry import GAMES
from gtpbot.options import AgentChoice
from search import tree_agent
from search.agent import Limits
from search.registry import AGENTS
from search.uct import UctAgent, UctParams
from tests.support.fakes import FakeNet, Planes
from tests.support.positions import after
from tests.support.python_game import Nim, NimOptions, NimState

LATE = 0.05
"""Seconds that a search may take to end."""
TRIES = 3
"""One of these must do: a busy machine may put any thread to sleep."""

STATES: dict[str, object] = {
    "coin": gtpcore.CoinState(1000, 3),
    "tictactoe": gtpcore.TicTacToeState(),
    "connect4": gtpcore.ConnectFourState(),
    "go9": gtpcore.GoState(9),
    "go19": gtpcore.GoState(19),
    "python": NimState([5, 6, 7, 8]),
}
each_game = pytest.mark.parametrize("name", STATES)
each_threads = pytest.mark.parametrize("threads", [1, 2])


def new_search(name: str, threads: int = 1, max_bytes: int = 1 << 26) -> gtpcore.Search:
    return gtpcore.Search(
        STATES[name],
        gtpcore.Evaluator(),
        gtpcore.Ucb1(),
        threads=threads,
        max_bytes=max_bytes,
        seed=1,
    )


@each_threads
@each_game
def test_playouts_are_exact(name: str, threads: int) -> None:
    search = new_search(name, threads)
    for playouts in (1, 2, 100, 777):
        assert search.run(playouts).playouts == playouts


@pytest.mark.parametrize("seconds", [0.0, 0.03, 0.1])
@each_game
def test_time_is_kept(name: str, seconds: float) -> None:
    search = new_search(name)

    def is_kept() -> bool:
        start = time.monotonic()
        reported = search.run(seconds=seconds).seconds
        spent = time.monotonic() - start
        assert spent > seconds / 2 or search.root_proof
        return spent < seconds + LATE and abs(spent - reported) < LATE

    assert any(is_kept() for _ in range(TRIES))


def test_time_is_used_by_slow_playouts() -> None:
    """Few playouts are done when the search is first asked whether its choice may still change.

    Before half of the time it may, as all the playouts to come could be another move's.
    """
    search = gtpcore.Search(
        gtpcore.GoState(25), gtpcore.GoGuide(), gtpcore.Rave(0.0, 3000.0), seed=1
    )
    assert search.run(seconds=0.4).seconds > 0.19


def test_time_is_not_wasted_on_a_choice_that_cannot_change() -> None:
    """One move alone does not lose at once, but that it wins takes longer to prove."""
    state = gtpcore.ConnectFourState()
    for action in (3, 0, 3, 0, 3):
        state.apply_action(action)

    def search(stop_early: bool) -> gtpcore.Search:
        evaluator, rule = gtpcore.Evaluator(), gtpcore.Ucb1(0.1)
        return gtpcore.Search(state, evaluator, rule, seed=1, stop_early=stop_early)

    quick, patient = search(True), search(False)
    assert quick.run(seconds=1).seconds < 0.9
    assert quick.children()[0].action == 3
    assert patient.run(seconds=1).seconds >= 1 or patient.root_proof


def test_a_search_goes_on_while_another_move_may_be_better(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Playouts in the middle are won so often that hardly any go elsewhere."""

    def seconds(share: float, errors: float) -> float:
        monkeypatch.setattr(tree_agent, "LCB_VISITS", share)
        monkeypatch.setattr(tree_agent, "LCB_ERRORS", errors)
        agent = UctAgent(UctParams(seed=1, exploration=0.1, choose_by="lcb", seconds=0.4))
        return agent.choose(after(ConnectFour(), 3, 3), Limits()).seconds

    assert seconds(0.15, 5.0) < 0.35
    hopeful = -1000.0  # the fewer visits, the greater the bound
    assert seconds(0.15, hopeful) < 0.35
    assert seconds(0.0, hopeful) >= 0.4


class Trap:
    """Black's only move; then of White's three the first wins but for one of many answers.

    The other two end by chance, much later. Each simulation from White's turn on takes a while.
    """

    num_actions = 400
    REFUTATION = 137

    def __init__(self, moves: tuple[int, ...] = (), seconds: float = 0.0) -> None:
        self.moves, self.seconds = moves, seconds

    @property
    def current_player(self) -> int:
        return len(self.moves) % 2

    @property
    def is_terminal(self) -> bool:
        return len(self.moves) == (3 if self.moves[1:2] == (0,) else 40)

    @property
    def black_value(self) -> float:
        if self.moves[1] == 0:
            return 1.0 if self.moves[2] == self.REFUTATION else -1.0
        return 1.0 if sum(self.moves) % 2 else -1.0

    @property
    def hash(self) -> int:
        return hash(self.moves)

    def clone(self) -> "Trap":
        return Trap(self.moves, self.seconds)

    def legal_actions(self) -> list[int]:
        if self.is_terminal:
            return []
        if len(self.moves) < 2:
            return list(range(1 + 2 * len(self.moves)))
        return list(range(self.num_actions if self.moves[1] == 0 else 2))

    def is_legal(self, action: int, /) -> bool:
        return action in self.legal_actions()

    def apply_action(self, action: int, /) -> None:
        if len(self.moves) == 1:
            time.sleep(self.seconds)
        self.moves += (action,)


def search_of_trap(root: Trap) -> gtpcore.Search:
    return gtpcore.Search(root, gtpcore.Evaluator(), gtpcore.Ucb1(), seed=1)


def test_a_refuted_move_leaves_the_race_to_the_others() -> None:
    search = search_of_trap(Trap((0,), seconds=0.001))
    while not any(child.proof for child in search.children()):
        search.run(1)
    trap, *others = sorted(search.children(), key=lambda child: child.action)
    assert trap.proof == "loss"
    assert trap.visits > 4 * max(child.visits for child in others)
    assert search.run(seconds=0.4).seconds > 0.2


def test_no_variation_goes_through_a_refuted_reply() -> None:
    search = search_of_trap(Trap())
    search.run(500)
    expected = search.children(2)[0].variation
    search.advance(0)
    trap, *others = sorted(search.children(), key=lambda child: child.action)
    assert trap.proof == "loss"
    assert trap.visits > max(child.visits for child in others)
    assert expected[1] != trap.action


def test_a_search_whose_time_is_over_waits_without_work() -> None:
    """A net that takes long, and takes no work itself."""

    def sleep(planes: Planes) -> tuple[Planes, Planes]:
        time.sleep(0.5)
        return np.ones((len(planes), 7), np.float32), np.zeros(len(planes), np.float32)

    net = gtpcore.Net(sleep, (6, 7, 7), 7, has_policy=True, has_value=True)
    evaluator = gtpcore.NetEvaluator(prior=net, value=net, value_weight=1.0)
    search = gtpcore.Search(gtpcore.ConnectFourState(), evaluator, gtpcore.Puct(1.0))

    def work() -> float:
        before = time.process_time()
        search.run(seconds=0.05)
        return time.process_time() - before

    assert min(work() for _ in range(TRIES)) < 0.02


@each_threads
@each_game
def test_another_thread_stops_a_search_at_once(name: str, threads: int) -> None:
    search = new_search(name, threads)
    assert any(seconds_to_stop(search) < LATE for _ in range(TRIES))


def seconds_to_stop(search: gtpcore.Search) -> float:
    """How long a search goes on after it was stopped."""
    stopped_at = []

    def stop() -> None:
        stopped_at.append(time.monotonic())
        search.stop()

    timer = threading.Timer(0.05, stop)
    timer.start()
    search.run(seconds=20)
    ended_at = time.monotonic()
    timer.join()
    return ended_at - stopped_at[0]


@pytest.mark.parametrize("name", GAMES)
def test_an_agent_stopped_before_its_first_playout_still_has_a_move(name: str) -> None:
    position = Position(GAMES[name]())
    for limits in (Limits(seconds=0), Limits(playouts=0)):
        agent = UctAgent(UctParams(seed=1))
        assert agent.choose(position, limits).action in position.state.legal_actions()


def test_without_limits_an_agent_takes_a_second() -> None:
    agent = UctAgent(UctParams(seed=1))
    assert 0.4 < agent.choose(Position(GAMES["connect4"]()), Limits()).seconds < 1 + LATE


def test_the_lesser_of_two_limits_counts() -> None:
    agent = UctAgent(UctParams(seed=1, playouts=300))
    position = Position(GAMES["connect4"]())
    assert agent.choose(position, Limits(playouts=200)).playouts == 200
    assert agent.choose(position, Limits(playouts=400)).playouts == 300


@pytest.mark.parametrize(
    ("name", "params", "usual"),
    [
        ("uct", {}, Limits(None, 1)),
        ("uct", {"playouts": 9}, Limits(9)),
        ("uct", {"playouts": 9, "seconds": 2}, Limits(9, 2)),
        ("random", {}, Limits(None, 1)),
        ("minimax", {"seconds": 3}, Limits(None, 3)),
        ("solver", {}, Limits(None, 5)),
        ("alphago", {"num_rollouts": 30}, Limits(30)),
        ("alphago", {"num_rollouts": 30, "playouts": 20, "seconds": 4}, Limits(20, 4)),
    ],
)
def test_the_usual_limits_are_the_agents_own_or_a_time(
    name: str, params: dict[str, int], usual: Limits
) -> None:
    net = FakeNet(ConnectFour()).native()
    nets = dict.fromkeys(["net", "value_net", "rollout_net"], net)
    agent = AGENTS[name](AGENTS[name].Params.model_validate(params), nets)
    assert agent.usual_limits() == usual
    longer = Limits(10**6, 100.0).banning(Player.WHITE, {2})
    assert agent.usual_limits(longer).bans == longer.bans
    assert agent.own_limits(longer).seconds == (params.get("seconds") or 100)


def test_no_number_of_playouts_limits_the_solver() -> None:
    agent = AGENTS["solver"](AGENTS["solver"].Params())
    assert agent.usual_limits(Limits(playouts=1)) == Limits(None, 5)


@each_threads
def test_the_tree_grows_to_its_cap_and_no_further(threads: int) -> None:
    search = new_search("go9", threads, max_bytes=1000 * gtpcore.Search.node_bytes)
    assert search.max_nodes == 1000
    for _ in range(3):
        assert search.run(2000).playouts == 2000
        assert 900 < search.num_nodes <= 1000


@pytest.mark.parametrize("seed", ["0", "1", "6"])
@pytest.mark.parametrize("name", ["uct", "mixed-mcts"])
def test_no_variation_is_longer_than_the_tree_is_deep(name: str, seed: str) -> None:
    """Though two moves of one coin lead to where one of two leads, whose children are shared."""
    settings = {"max_tree_depth": "5", "seed": seed, "transpositions": "true"}
    for playouts in (100, 3000):
        agent = AgentChoice(name, settings).make(Coin())
        candidates = agent.choose(Position(Coin()), Limits(playouts=playouts)).candidates
        assert max(len(candidate.variation) for candidate in candidates) <= 5


@pytest.mark.parametrize("nodes", [0, 1, 2, 3, 83])
def test_a_tree_without_room_for_the_first_moves_is_searched_all_the_same(nodes: int) -> None:
    search = new_search("go9", max_bytes=nodes * gtpcore.Search.node_bytes)
    assert search.run(50).playouts == 50
    assert search.num_nodes <= nodes
    assert search.children() == []


def test_memory_stays_below_the_cap_over_a_game() -> None:
    """The tree is full at every move in the beginning, and compacted for what is to come."""
    megabytes = 4
    agent = UctAgent(UctParams(seed=1, playouts=90_000, memory_mb=megabytes))
    position = Position(ConnectFour())
    before = resident_megabytes()
    sizes = []
    while not position.state.is_terminal:
        decision = agent.choose(position, Limits())
        assert decision.action is not None
        position.play(position.to_move, decision.action)
        search = agent._search
        assert search is not None
        assert 0.9 < search.max_nodes * search.node_bytes / (megabytes << 20) <= 1
        assert search.num_nodes <= search.max_nodes
        sizes.append(search.num_nodes / search.max_nodes)
    assert len(sizes) > 20
    assert min(sizes[:10]) > 0.99
    assert resident_megabytes() - before < megabytes + 8


def resident_megabytes() -> float:
    statm = Path("/proc/self/statm")
    if not statm.exists():
        pytest.skip("no /proc, as on macOS")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


class NimThatFails(NimState):
    """Fails in the given method while a flag that all copies share is set."""

    def __init__(self, heaps: list[int], fails: str, flag: threading.Event) -> None:
        super().__init__(heaps)
        self.fails, self.flag = fails, flag

    def clone(self) -> "NimThatFails":
        self._may_fail("clone")
        copy = NimThatFails(list(self.heaps) if any(self.heaps) else [1], self.fails, self.flag)
        copy.heaps = list(self.heaps)
        copy.current_player = self.current_player
        copy._tallest = self._tallest
        return copy

    def legal_actions(self) -> list[int]:
        self._may_fail("legal_actions")
        return super().legal_actions()

    def apply_action(self, action: int, /) -> None:
        self._may_fail("apply_action")
        super().apply_action(action)

    def _may_fail(self, method: str) -> None:
        if self.flag.is_set() and method == self.fails:
            raise RuntimeError(f"{method} failed")


@each_threads
@pytest.mark.parametrize("fails", ["clone", "legal_actions", "apply_action"])
def test_an_error_of_a_python_game_comes_through_and_the_search_goes_on(
    fails: str, threads: int
) -> None:
    flag = threading.Event()
    root = NimThatFails([3, 4, 5], fails, flag)
    search = gtpcore.Search(root, gtpcore.Evaluator(), gtpcore.Ucb1(), threads=threads, seed=1)
    search.run(50)
    flag.set()
    with pytest.raises(RuntimeError, match=f"{fails} failed"):
        search.run(50)
    flag.clear()
    assert search.run(60).playouts == 60
    assert search.root_visits == 60
    # A thread that comes to the root while another one expands it plays out from there.
    assert 0 < sum(child.visits for child in search.children()) <= 60


def test_values_out_of_range_are_refused() -> None:
    class Boastful(NimState):
        black_value = 3.0

        def clone(self) -> "Boastful":
            copy = Boastful([1])
            copy.heaps, copy.current_player = list(self.heaps), self.current_player
            return copy

    search = gtpcore.Search(Boastful([1]), gtpcore.Evaluator(), gtpcore.Ucb1())
    with pytest.raises(ValueError, match=r"black_value 3.*expected -1 to 1"):
        search.run(10)


def test_a_game_that_is_not_over_must_have_a_move() -> None:
    class Stuck(NimState):
        def clone(self) -> "Stuck":
            copy = Stuck([1])
            copy.heaps, copy.current_player = list(self.heaps), self.current_player
            return copy

        def legal_actions(self) -> list[int]:
            return [] if self.current_player else super().legal_actions()

    root = Stuck([1, 1])
    search = gtpcore.Search(root, gtpcore.Evaluator(), gtpcore.Ucb1())
    with pytest.raises(ValueError, match=r"no legal actions: expected some.*heaps \[."):
        search.run(10)
    with pytest.raises(ValueError, match="no legal actions"):
        gtpcore.Evaluator().mean_value(root, 1)


def test_players_of_a_python_game_take_turns() -> None:
    class Generous(NimState):
        """Who empties a heap moves again."""

        def clone(self) -> "Generous":
            copy = Generous([1])
            copy.heaps, copy.current_player = list(self.heaps), self.current_player
            return copy

        def apply_action(self, action: int, /) -> None:
            super().apply_action(action)
            if self.heaps[action] == 0:
                self.current_player = self.current_player.opponent

    root = Generous([1, 1])
    told = r"current_player 0 before action 0 and after it: expected .* turns, in heaps \[0, 1\]"
    with pytest.raises(ValueError, match=told):
        gtpcore.Search(root, gtpcore.Evaluator(), gtpcore.Ucb1(), seed=1).run(10)
    for prune in (False, True):
        with pytest.raises(ValueError, match=told):
            gtpcore.ExactSearch(prune).run(root, [0])


def test_a_python_game_has_two_players() -> None:
    root = NimState([1])
    root.current_player = -1  # type: ignore[assignment]
    with pytest.raises(ValueError, match="current_player -1: expected 0 for Black or 1 for White"):
        gtpcore.Search(root, gtpcore.Evaluator(), gtpcore.Ucb1())


def test_a_python_game_may_answer_in_numpys_types() -> None:
    class NimOfNumpy(NimState):
        def clone(self) -> "NimOfNumpy":
            copy = NimOfNumpy([4])
            copy.heaps, copy.current_player = list(self.heaps), self.current_player
            return copy

        @property
        def is_terminal(self) -> bool:
            return ~np.any(self.heaps)  # type: ignore[return-value]

        @property
        def hash(self) -> int:
            code = sum(5**heap * row for heap, row in enumerate(self.heaps))
            return np.int64(-1 - code)  # type: ignore[return-value]

    position = Position(Nim(), NimOfNumpy([1, 3, 4]))
    agent = UctAgent(UctParams(seed=1))
    decision = agent.choose(position, Limits(playouts=500))
    assert decision.action is not None
    position.play(position.to_move, decision.action)
    assert agent.choose(position, Limits(playouts=1)).candidates[0].visits > 1  # the tree is kept


def test_what_a_python_game_says_that_is_no_number_is_named() -> None:
    root = NimState([1])
    root.current_player = None  # type: ignore[assignment]
    with pytest.raises(ValueError, match="current_player None: expected a number"):
        gtpcore.Search(root, gtpcore.Evaluator(), gtpcore.Ucb1())


@pytest.mark.parametrize("threads", [0, 257])
def test_a_senseless_number_of_threads_is_refused(threads: int) -> None:
    with pytest.raises(ValueError, match=f"threads {threads}: expected 1 to 128"):
        new_search("coin", threads)


@each_threads
def test_a_game_written_in_python_is_solved(threads: int) -> None:
    """Bouton's rule: the nim-sum of 1, 3 and 4 is 6, so Black wins, by leaving 1, 3 and 2."""
    game = Nim(NimOptions(heaps="1,3,4"))
    agent = UctAgent(UctParams(seed=1, threads=threads, stop_early=False))
    decision = agent.choose(Position(game), Limits(playouts=50_000, seconds=20))
    assert decision.value_to_move == 1
    assert decision.action == 2 * 4 + 2
