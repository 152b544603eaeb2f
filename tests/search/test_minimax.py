"""Minimax and alpha-beta: exact where the game ends within sight, equal to each other elsewhere."""

import random
import threading
import time
from typing import cast

import pytest

import gtpcore
from games.base import State
from games.coin import Coin, CoinOptions
from games.connect4 import ConnectFour
from games.errors import IllegalMoveError
from games.position import Position
from games.tictactoe import TicTacToe
from search.agent import Limits
from search.minimax import (
    AlphaBetaAgent,
    AlphaBetaParams,
    ExactAgent,
    MinimaxAgent,
    MinimaxParams,
)
from tests.support.positions import after, random_connect_four
from tests.support.python_game import Nim, NimOptions, NimState

both = pytest.mark.parametrize("prune", [False, True], ids=["minimax", "alphabeta"])

WIN = 100


def scores(state: State, known: dict[int, dict[int, int]]) -> dict[int, int]:
    """By action, for the player to move: 100 - n for a win n moves ahead, -(100 - n) for a loss.

    Works the whole game out; `known` remembers by hash.
    """
    if state.hash not in known:
        found = {}
        for action in state.legal_actions():
            after = state.clone()
            after.apply_action(action)
            if after.is_terminal:
                sign = -1 if after.current_player == 0 else 1
                score = int(sign * after.black_value) * WIN
            else:
                score = -max(scores(after, known).values())
            found[action] = score - (score > 0) + (score < 0)
        known[state.hash] = found
    return known[state.hash]


def sign(score: float) -> int:
    return (score > 0) - (score < 0)


def test_every_position_of_tictactoe_is_solved() -> None:
    """All best moves, the quickest wins and the slowest losses alone, in all 4,520 positions."""
    start = TicTacToe().new_state()
    known: dict[int, dict[int, int]] = {}
    scores(start, known)
    search = gtpcore.ExactSearch(prune=True)
    todo: list[State] = [start]
    seen = {start.hash}
    while todo:
        state = todo.pop()
        wanted = known[state.hash]
        report = search.run(state, state.legal_actions())
        assert report.best == [a for a, s in wanted.items() if s == max(wanted.values())], state
        assert report.value_to_move == sign(max(wanted.values()))
        assert report.proven
        for action in state.legal_actions():
            next_state = state.clone()
            next_state.apply_action(action)
            if not next_state.is_terminal and next_state.hash not in seen:
                seen.add(next_state.hash)
                todo.append(next_state)
    assert len(seen) == 4520


def test_minimax_solves_tictactoe_from_its_start() -> None:
    state = TicTacToe().new_state()
    report = gtpcore.ExactSearch(prune=False).run(state, state.legal_actions())
    assert report.best == list(range(9))
    assert (report.value_to_move, report.proven, report.depth) == (0, True, 9)


@both
def test_at_the_horizon_the_heuristic_counts_for_who_is_to_move(
    prune: bool, rng: random.Random
) -> None:
    seen = set()
    for moves in range(20):
        state = random_connect_four(rng, moves)
        guesses = []
        for action in state.legal_actions():
            next_state = state.clone()
            next_state.apply_action(action)
            assert isinstance(next_state, gtpcore.ConnectFourState)
            guesses.append(next_state.black_heuristic)
        report = gtpcore.ExactSearch(prune).run(state, state.legal_actions(), depth=1)
        if abs(report.value_to_move) < 1:
            black = state.current_player == 0
            best = max(guesses) if black else -min(guesses)
            assert report.value_to_move == pytest.approx(best, abs=1e-4)
            seen.add(black)
    assert seen == {True, False}


@both
def test_without_the_heuristic_the_horizon_is_a_draw(prune: bool) -> None:
    state = ConnectFour().new_state()
    state.apply_action(3)
    search = gtpcore.ExactSearch(prune, heuristic=False)
    report = search.run(state, state.legal_actions(), depth=2)
    assert report.best == state.legal_actions()
    assert (report.value_to_move, report.proven) == (0.0, False)
    agent = MinimaxAgent(MinimaxParams(depth=1, heuristic=False, seed=1))
    choices = {agent.choose(Position(ConnectFour()), Limits()).action for _ in range(100)}
    assert choices == set(range(7))


def test_alphabeta_chooses_among_the_moves_that_minimax_finds(rng: random.Random) -> None:
    visited = {False: 0, True: 0}
    for moves in (0, 4, 8, 12, 16, 20, 24, 28):
        state = random_connect_four(rng, moves)
        for depth in range(1, 6):
            plain, pruned = (
                gtpcore.ExactSearch(prune).run(state, state.legal_actions(), depth=depth)
                for prune in (False, True)
            )
            assert (pruned.best, pruned.value_to_move) == (plain.best, plain.value_to_move), state
            visited[False] += plain.nodes
            visited[True] += pruned.nodes
    assert visited[True] < visited[False] / 5


def test_alphabeta_knows_that_in_go_the_way_to_a_position_counts() -> None:
    """Under superko each line forbids other moves, and what holds in one is wrong in the next."""
    for komi in (-0.5, 0.5, 1.5):
        state = gtpcore.GoState(2, gtpcore.GoRules(ko="positional", komi=komi))
        for action in (2, 3, 0):
            state.apply_action(action)
        plain, pruned = (
            gtpcore.ExactSearch(prune).run(state, state.candidates(), depth=16)
            for prune in (False, True)
        )
        assert plain.proven
        assert (pruned.proven, pruned.value_to_move) == (True, plain.value_to_move)
        assert pruned.best == plain.best


class ForgetfulNim(NimState):
    """Tells that only the heaps count, not how they came about."""

    is_history_free = True

    def clone(self) -> "ForgetfulNim":
        copy = ForgetfulNim([self._tallest], self.current_player)
        copy.heaps = list(self.heaps)
        return copy


def test_a_game_written_in_python_may_share_what_is_known_of_positions() -> None:
    nodes = {}
    for kind in (NimState, ForgetfulNim):
        state = kind([3, 4, 5])
        report = gtpcore.ExactSearch(prune=True).run(state, state.legal_actions())
        assert (report.proven, report.value_to_move) == (True, 1)
        nodes[kind] = report.nodes
    assert nodes[ForgetfulNim] < nodes[NimState] / 2


@both
def test_the_ends_of_connect_four_are_solved(prune: bool, rng: random.Random) -> None:
    """Of sure wins the quickest is chosen, of sure losses the slowest."""
    search = gtpcore.ExactSearch(prune)
    for _ in range(5):
        state = random_connect_four(rng, 32)
        wanted = scores(state, {})
        report = search.run(state, state.legal_actions())
        assert report.proven
        assert report.best == [a for a, s in wanted.items() if s == max(wanted.values())]
        assert report.value_to_move == sign(max(wanted.values()))


@pytest.mark.parametrize("max_take", [1, 2, 3, 60])
def test_the_coin_game_is_perfect_from_every_pile(max_take: int) -> None:
    """The rule: leave a multiple of max_take + 1."""
    for pile in range(max_take, 61):
        agent = AlphaBetaAgent(AlphaBetaParams(seed=pile))
        position = Position(Coin(CoinOptions(pile=pile, max_take=max_take)))
        decision = agent.choose(position, Limits())
        surplus = pile % (max_take + 1)
        assert decision.value_to_move == (1 if surplus else -1)
        if surplus:
            assert decision.action == surplus - 1


@pytest.mark.parametrize(
    "heaps", [(1,), (2,), (1, 1), (1, 1, 1), (2, 2), (1, 2, 3), (1, 3, 4), (3, 3, 1)]
)
@both
def test_a_game_written_in_python_is_solved(heaps: tuple[int, ...], prune: bool) -> None:
    """Bouton's rule: play the nim-sum, until all heaps are of one; then their number decides."""
    state = Nim(NimOptions(heaps=",".join(map(str, heaps)))).new_state()
    report = gtpcore.ExactSearch(prune).run(state, state.legal_actions())
    nim_sum = 0
    for heap in heaps:
        nim_sum ^= heap
    wins = nim_sum != 0 if max(heaps) > 1 else len(heaps) % 2 == 0
    assert report.proven
    assert report.value_to_move == (1 if wins else -1)


class BrokenNim(NimState):
    """Fails on the second move."""

    def clone(self) -> "BrokenNim":
        return BrokenNim(list(self.heaps), self.current_player)

    def legal_actions(self) -> list[int]:
        if self.current_player:
            raise RuntimeError("no such heap")
        return super().legal_actions()


@both
def test_an_error_of_a_python_game_comes_through_and_the_next_run_is_sound(prune: bool) -> None:
    search = gtpcore.ExactSearch(prune)
    broken = BrokenNim([2, 3])
    with pytest.raises(RuntimeError, match="no such heap"):
        search.run(broken, broken.legal_actions())
    sound = NimState([2, 3])
    assert search.run(sound, sound.legal_actions()).value_to_move == 1


@both
def test_a_win_at_once_is_not_put_off(prune: bool) -> None:
    """Black has three in column D; other moves win later."""
    state = after(ConnectFour(), 3, 4, 3, 4, 3, 0).state
    report = gtpcore.ExactSearch(prune).run(state, state.legal_actions(), depth=6)
    assert (report.best, report.value_to_move, report.depth) == ([3], 1, 1)


@both
def test_the_depth_is_kept_to(prune: bool) -> None:
    state = ConnectFour().new_state()
    for depth in (1, 2, 3):
        report = gtpcore.ExactSearch(prune).run(state, state.legal_actions(), depth=depth)
        assert (report.depth, report.proven) == (depth, False)
        assert -1 < report.value_to_move < 1


@both
def test_limits_end_a_run(prune: bool) -> None:
    state = ConnectFour().new_state()
    search = gtpcore.ExactSearch(prune)
    start = time.monotonic()
    report = search.run(state, state.legal_actions(), seconds=0.05)
    assert 0.04 < time.monotonic() - start < 0.5
    assert report.depth > 1
    assert search.run(state, state.legal_actions(), nodes=5000).nodes == 5000
    at_once = search.run(state, state.legal_actions(), nodes=1)
    assert (at_once.best, at_once.depth, at_once.proven) == (list(range(7)), 0, False)


def test_stop_ends_a_choice_soon() -> None:
    agent = AlphaBetaAgent(AlphaBetaParams(seed=1))
    position = Position(ConnectFour())
    stopped_at = []

    def stop() -> None:
        stopped_at.append(time.monotonic())
        agent.stop()

    threading.Timer(0.1, stop).start()
    decision = agent.choose(position, Limits(seconds=30))
    assert time.monotonic() - stopped_at[0] < 1
    assert decision.action in range(7)
    assert decision.playouts > 10_000


@pytest.mark.slow
def test_unlimited_alphabeta_takes_a_second() -> None:
    agent = AlphaBetaAgent(AlphaBetaParams(depth=0))
    decision = agent.choose(Position(ConnectFour()), Limits())
    assert 0.9 < decision.seconds < 1.5


def test_parameters_limit_a_choice_unless_the_caller_does() -> None:
    agent = AlphaBetaAgent(AlphaBetaParams(playouts=3000))
    position = Position(ConnectFour())
    assert agent.choose(position, Limits()).playouts == 3000
    assert agent.choose(position, Limits(playouts=2000)).playouts == 2000


def test_ties_are_broken_by_the_seed() -> None:
    position = Position(TicTacToe())

    def choices(seed: int) -> list[int | None]:
        agent = AlphaBetaAgent(AlphaBetaParams(seed=seed))
        return [agent.choose(position, Limits()).action for _ in range(20)]

    assert choices(1) == choices(1) != choices(2)
    assert len(set(choices(1))) > 4


@pytest.mark.parametrize(
    ("agent", "seconds"),
    [
        (MinimaxAgent(MinimaxParams()), None),
        (MinimaxAgent(MinimaxParams(seconds=3)), 3),
        (AlphaBetaAgent(AlphaBetaParams()), 1),
        (AlphaBetaAgent(AlphaBetaParams(playouts=9)), None),
    ],
)
def test_a_depth_is_limit_enough_for_a_move(agent: ExactAgent, seconds: float | None) -> None:
    asked: list[float | None] = []

    class Noting:
        def run(
            self,
            state: gtpcore.State,
            wanted: list[int],
            depth: int | None,
            nodes: int | None,
            seconds: float | None,
        ) -> gtpcore.ExactReport:
            asked.append(seconds)
            return gtpcore.ExactSearch(prune=True).run(state, wanted, depth=1)

    agent._search = cast(gtpcore.ExactSearch, Noting())
    agent.choose(Position(ConnectFour()), Limits())
    assert asked == [seconds]


def test_what_is_banned_is_not_played_if_anything_else_can_be() -> None:
    position = after(ConnectFour(), 3, 4, 3, 4, 3, 0)
    agent = MinimaxAgent(MinimaxParams(seed=1))
    assert agent.choose(position, Limits()).action == 3
    assert agent.choose(position, Limits().banning(position.to_move, {3})).action != 3
    assert agent.choose(position, Limits().banning(position.to_move, range(7))).action == 3


def test_minimax_with_too_small_a_depth_misses_what_lies_beyond() -> None:
    """White must stop Black's open three at once: two moves show it, one does not."""
    position = after(ConnectFour(), 3, 3, 4, 4)
    black_next = position.state.clone()
    black_next.apply_action(0)
    search = gtpcore.ExactSearch(prune=False)
    seeing = search.run(position.state, position.state.legal_actions(), depth=5)
    assert seeing.value_to_move == 1
    assert set(seeing.best) <= {2, 5}
    assert search.run(position.state, position.state.legal_actions(), depth=1).value_to_move < 1


def test_runs_that_make_no_sense_are_refused() -> None:
    search = gtpcore.ExactSearch(prune=True)
    state = gtpcore.CoinState(1, 1)
    with pytest.raises(ValueError, match="no actions to choose from"):
        search.run(state, [])
    with pytest.raises(ValueError, match="depth 0: expected 1 to 1000"):
        search.run(state, [0], depth=0)
    with pytest.raises(ValueError, match="depth 1001: expected 1 to 1000"):
        search.run(state, [0], depth=1001)
    for action in (1, -1):
        with pytest.raises(IllegalMoveError, match=f"action {action} is illegal in 1 coins"):
            search.run(state, [action])
