"""What a search keeps when the game goes on, and what it does with it."""

import threading
from typing import cast

import pytest

import gtpcore
from games.base import Player
from games.connect4 import ConnectFour
from games.go import Go, GoOptions
from games.position import Position
from games.tictactoe import TicTacToe
from search.agent import Limits
from search.tree_agent import TreeAgent
from search.uct import UctAgent, UctParams
from tests.support.positions import after
from tests.support.python_game import Nim, NimOptions


def search_of(state: object) -> gtpcore.Search:
    return gtpcore.Search(state, gtpcore.Evaluator(), gtpcore.Ucb1(), seed=1)


def visits(search: gtpcore.Search) -> dict[int, int]:
    return {child.action: child.visits for child in search.children()}


def test_a_move_keeps_what_was_known_below_it() -> None:
    search = search_of(gtpcore.ConnectFourState())
    search.run(20_000)
    line = search.children(6)[0].variation
    for action in line[:5]:
        known = {c.action: c.visits for c in search.children()}
        search.advance(action)
        assert sum(visits(search).values()) == known[action] - 1


@pytest.mark.slow
def test_many_playouts_of_a_game_are_no_reason_to_forget_the_tree() -> None:
    """A node cannot count more than 134 million, which other parts of a tree may have had."""
    search = gtpcore.Search(
        gtpcore.TicTacToeState(),
        gtpcore.Evaluator(),
        gtpcore.Ucb1(0.7),
        threads=2,
        seed=1,
        max_tree_depth=1,
        transpositions=True,
    )
    free = set(range(9))
    for playouts in (40_000_000, 70_000_000):
        search.run(playouts=playouts)
        best = search.children()[0]
        search.advance(best.action)
        assert search.root_visits == best.visits
        free.remove(best.action)
        search.advance(free.pop())
        assert search.root_visits == 0


@pytest.mark.parametrize("transpositions", [False, True])
def test_compaction_keeps_every_count(transpositions: bool) -> None:
    """A full tree, of which most is left behind: its nodes are slid together for one playout."""
    search = gtpcore.Search(
        gtpcore.ConnectFourState(),
        gtpcore.Evaluator(),
        gtpcore.Ucb1(),
        seed=1,
        max_bytes=1 << 18,
        transpositions=transpositions,
    )
    search.run(5000)
    for action in search.children(4)[0].variation:
        search.advance(action)
    full, before = search.num_nodes, everything(search)
    assert full > 0.95 * search.max_nodes
    assert search.run(1).playouts == 1
    assert search.num_nodes < full / 2
    changed = [known for known in before if known not in everything(search)]
    assert len(changed) == 1
    assert search.run(500).playouts == 500


def everything(search: gtpcore.Search) -> list[tuple[int, int, float, str, list[int]]]:
    return [
        (c.action, c.visits, c.value_to_move, c.proof, c.variation) for c in search.children(20)
    ]


def test_a_full_tree_that_is_all_kept_is_searched_on() -> None:
    """One move alone is legal, so that nothing is free after it."""
    state = gtpcore.ConnectFourState(1, 40, 4)
    search = gtpcore.Search(
        state, gtpcore.Evaluator(), gtpcore.Ucb1(), max_bytes=10 * gtpcore.Search.node_bytes
    )
    for _ in range(6):
        search.run(20)
        search.advance(0)
        assert search.num_nodes <= search.max_nodes == 10


def test_an_illegal_advance_changes_nothing() -> None:
    search = search_of(gtpcore.ConnectFourState())
    search.run(100)
    before = everything(search)
    for action in (-1, 7, 10**6):
        with pytest.raises(gtpcore.IllegalMoveError, match=f"action {action} is illegal"):
            search.advance(action)
    assert everything(search) == before


class TestAgentFollowsTheGame:
    """The agent's tree after each kind of step, told by the visits at its root."""

    def inherited(self, agent: TreeAgent, position: Position) -> int:
        """The visits that the agent knows of before it searches `position`."""
        agent.choose(position, Limits(playouts=0))
        assert agent._search is not None
        assert agent._search.root_hash == position.state.hash % 2**64
        return sum(visits(agent._search).values())

    def searched(self, **params: object) -> tuple[TreeAgent, Position, dict[int, int]]:
        agent = UctAgent(UctParams.model_validate({"seed": 1, **params}))
        position = Position(ConnectFour())
        decision = agent.choose(position, Limits(playouts=5000))
        return agent, position, {c.action: c.visits for c in decision.candidates}

    def test_moves(self) -> None:
        agent, position, known = self.searched()
        position.play(Player.BLACK, 3)
        assert self.inherited(agent, position) == known[3] - 1

    def test_two_moves(self) -> None:
        agent, position, _ = self.searched()
        position.play(Player.BLACK, 3)
        position.play(Player.WHITE, 3)
        assert self.inherited(agent, position) > 50

    def test_no_move(self) -> None:
        agent, position, _ = self.searched()
        assert self.inherited(agent, position) == 5000

    def test_undo(self) -> None:
        agent, position, _ = self.searched()
        position.play(Player.BLACK, 3)
        self.inherited(agent, position)
        position.undo()
        assert self.inherited(agent, position) <= 1

    def test_another_move_instead(self) -> None:
        agent, position, _ = self.searched()
        position.play(Player.BLACK, 3)
        self.inherited(agent, position)
        position.undo()
        position.play(Player.BLACK, 0)
        assert self.inherited(agent, position) <= 1

    def test_new_game(self) -> None:
        agent, _, _ = self.searched()
        assert self.inherited(agent, Position(ConnectFour())) <= 1

    def test_another_game(self) -> None:
        agent, _, _ = self.searched()
        assert self.inherited(agent, Position(TicTacToe())) <= 1

    def test_clear(self) -> None:
        agent, position, _ = self.searched()
        agent.clear()
        assert self.inherited(agent, position) <= 1

    def test_unless_told_not_to(self) -> None:
        agent, position, _ = self.searched(reuse_tree=False)
        position.play(Player.BLACK, 3)
        assert self.inherited(agent, position) <= 1

    def test_move_out_of_turn(self) -> None:
        agent = UctAgent(UctParams(seed=1))
        position = Position(Go(GoOptions(size=5)))
        agent.choose(position, Limits(playouts=2000))
        position.play(Player.WHITE, 12)
        assert self.inherited(agent, position) <= 1

    def test_a_stone_that_is_of_a_handicap(self) -> None:
        """As GTP has it, where Black was thought to play it: White's points count now."""
        agent = UctAgent(UctParams(seed=1))
        position = Position(Go(GoOptions(size=5)))
        position.play(Player.BLACK, 12)
        agent.analyze(position.facing(Player.BLACK), Limits(playouts=2000))
        position.play(Player.BLACK, 7)
        cast(gtpcore.GoState, position.state).handicap = 2
        assert self.inherited(agent, position) <= 1

    def test_a_game_written_in_python(self) -> None:
        """Its hashes may be negative and longer than 64 bits."""
        agent = UctAgent(UctParams(seed=1))
        for _ in range(5):
            position = Position(Nim(NimOptions(heaps="5,6,7")))
            agent.choose(position, Limits(playouts=300))
            for action in (3, 1):
                position.play(position.to_move, action)
                assert self.inherited(agent, position) > 0


def test_pondering_serves_the_next_choice() -> None:
    agent = UctAgent(UctParams(seed=1))
    position = Position(ConnectFour())
    thread = threading.Thread(target=agent.ponder, args=(position.copy(),))
    thread.start()
    while not (agent._search and agent._search.num_nodes > 1000):
        pass
    while thread.is_alive():
        agent.stop()
    position.play(Player.BLACK, 3)
    decision = agent.choose(position, Limits(playouts=10))
    assert sum(c.visits for c in decision.candidates) > 50
    assert decision.playouts == 10


def test_pondering_on_a_finished_game_ends_at_once() -> None:
    UctAgent(UctParams()).ponder(after(ConnectFour(), 3, 0, 3, 0, 3, 0, 3))


def played(*actions: int, size: int = 5) -> Position:
    """A game on a board that was just set up."""
    return after(Go(GoOptions(size=size)), *actions)


def test_a_game_that_is_set_up_again_keeps_its_tree() -> None:
    agent = UctAgent(UctParams(seed=1))
    agent.choose(played(12), Limits(playouts=3000))
    report = agent.report()
    assert report is not None
    reply, then = report.candidates[0].variation[:2]
    agent.choose(played(12, reply, then), Limits(playouts=10))
    assert agent.report_of(played(12)) is None
    search = agent._search
    assert search is not None
    assert search.root_visits > 10


def test_a_game_that_is_set_up_again_by_other_rules_is_another() -> None:
    agent = UctAgent(UctParams(seed=1))
    agent.choose(played(12), Limits(playouts=300))
    changed = after(Go(GoOptions(size=5, komi=20)), 12, 7)
    decision = agent.choose(changed, Limits(playouts=10))
    assert sum(each.visits for each in decision.candidates) <= 10


def test_another_size_of_the_board_is_another_game() -> None:
    agent = UctAgent(UctParams(seed=1))
    agent.choose(played(12), Limits(playouts=300))
    decision = agent.choose(played(size=3), Limits(playouts=300))
    assert decision.action in range(10)


def test_a_seed_repeats_a_game_on_a_cleared_board() -> None:
    agent = UctAgent(UctParams(seed=1))

    def game() -> list[int]:
        position, chosen = played(), []
        for _ in range(6):
            action = agent.choose(position, Limits(playouts=200)).action
            assert action is not None
            position.play(position.to_move, action)
            chosen.append(action)
        return chosen

    assert game() == game()


def test_a_search_by_values_uses_all_its_time() -> None:
    """The best by visits may be settled while that by values is not."""
    agent = UctAgent(UctParams(seed=1, choose_by="value", seconds=0.3))
    one_good_move = after(TicTacToe(), 0, 3, 1, 4)
    assert agent.choose(one_good_move, Limits()).action == 2
    flat = UctAgent(UctParams(seed=1, choose_by="value", seconds=0.3, max_tree_depth=1))
    assert flat.choose(after(Go(GoOptions(size=3)), 4, 9), Limits()).seconds >= 0.3
