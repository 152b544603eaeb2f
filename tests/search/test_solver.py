"""The agent `solver` and what it stands on: never a mistake, and honest without time."""

import random
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import gtpcore
from games.connect4 import ConnectFour, ConnectFourOptions
from games.errors import GameOverError
from games.position import Position
from games.tictactoe import TicTacToe
from search.agent import Limits
from search.solver import BOOK, SolverAgent, SolverParams, _lasting, _weigh, wins
from tests.support.positions import after, random_connect_four, random_position

MIB = 1 << 20


def small_agent(seed: int = 1, **params: float) -> SolverAgent:
    return SolverAgent(SolverParams.model_validate({"seed": seed, "memory_mb": 16, **params}))


def test_values_are_those_of_alphabeta(rng: random.Random) -> None:
    solver = gtpcore.ConnectFourSolver(max_bytes=MIB)
    seen = set()
    for discs in (26, 28, 30, 32, 34):
        for _ in range(8):
            state = random_connect_four(rng, discs)
            report = gtpcore.ExactSearch(prune=True).run(state, state.legal_actions())
            value = solver.solve(state)
            assert (value, report.proven) == (report.value_to_move, True), state
            seen.add(value)
    assert seen == {-1, 0, 1}


def test_quickest_wins_and_slowest_losses_are_those_of_alphabeta(rng: random.Random) -> None:
    solver = gtpcore.ConnectFourSolver(max_bytes=MIB)
    for _ in range(30):
        state = random_connect_four(rng, 30)
        report = gtpcore.ExactSearch(prune=True).run(state, state.legal_actions())
        scores = solver.solve_moves(state, exact=True)
        assert [a for a in sorted(scores) if scores[a] == max(scores.values())] == report.best


def test_a_win_at_once_is_not_put_off() -> None:
    """Black has three in column D; other moves win later."""
    position = after(ConnectFour(), 3, 4, 3, 4, 3, 0)
    assert small_agent().choose(position, Limits(seconds=0.3)).action == 3


def test_many_positions_are_labelled_as_one_by_one(rng: random.Random) -> None:
    states = [random_connect_four(rng, discs) for discs in range(20, 41)]
    finished = after(ConnectFour(), 0, 1, 0, 1, 0, 1, 0).state
    assert isinstance(finished, gtpcore.ConnectFourState)
    solver = gtpcore.ConnectFourSolver(max_bytes=MIB)
    for exact in (False, True):
        labels = solver.label([*states, finished], exact=exact)
        assert labels.shape == (22, 7)
        assert labels.dtype == np.int8
        assert set(labels[-1]) == {solver.NO_SCORE}
        for row, state in zip(labels, states, strict=False):
            known = {a: int(v) for a, v in enumerate(row) if v != solver.NO_SCORE}
            assert known == solver.solve_moves(state, exact=exact)
            assert list(known) == state.legal_actions()
    assert solver.label([]).shape == (0, 7)


def test_time_ends_labelling_after_whole_positions(rng: random.Random) -> None:
    solver = gtpcore.ConnectFourSolver(max_bytes=MIB)
    states = [random_connect_four(rng, 36), *(gtpcore.ConnectFourState() for _ in range(3))]
    assert len(solver.label(states, seconds=0.05)) == 1


def test_a_score_counts_the_discs_of_the_winner() -> None:
    """Black wins with his fourth disc, or loses to White's fourth, who has the open three."""
    solver = gtpcore.ConnectFourSolver(max_bytes=MIB)
    win = after(ConnectFour(), 3, 4, 3, 4, 3, 0).state
    assert isinstance(win, gtpcore.ConnectFourState)
    assert solver.solve(win, exact=True) == 22 - 4
    loss = after(ConnectFour(), 2, 2, 3, 3, 4).state
    assert isinstance(loss, gtpcore.ConnectFourState)
    assert solver.solve(loss, exact=True) == -(22 - 4)
    assert solver.solve(loss) == -1


def test_calls_that_make_no_sense_are_refused() -> None:
    solver = gtpcore.ConnectFourSolver(max_bytes=MIB)
    with pytest.raises(ValueError, match="Connect Four on 5x4 with lines of 4: expected 7x6 and 4"):
        solver.solve(gtpcore.ConnectFourState(5, 4))
    finished = after(ConnectFour(), 0, 1, 0, 1, 0, 1, 0).state
    assert isinstance(finished, gtpcore.ConnectFourState)
    for call in (solver.solve, solver.solve_moves):
        with pytest.raises(GameOverError, match="the game is over"):
            call(finished)
    with pytest.raises(TypeError, match=r"states\[1\] is None: expected a ConnectFourState"):
        solver.label([gtpcore.ConnectFourState(), None])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="a table of 7 bytes: expected 1048576 to"):
        gtpcore.ConnectFourSolver(max_bytes=7)
    with pytest.raises(ValueError, match="no book of Connect Four"):
        gtpcore.ConnectFourSolver(book=BOOK.read_bytes()[:-3])


def test_an_agent_never_lets_go_of_a_value(rng: random.Random) -> None:
    """Against random moves, from positions that may be won, drawn or lost."""
    judge = gtpcore.ConnectFourSolver(max_bytes=MIB)
    agent = small_agent()
    seen = set()
    for _ in range(30):
        position = random_position(rng, 30)
        while not position.state.is_terminal:
            assert isinstance(position.state, gtpcore.ConnectFourState)
            values = judge.solve_moves(position.state)
            decision = agent.choose(position, Limits())
            assert decision.action is not None
            assert decision.value_to_move == values[decision.action] == max(values.values())
            assert {c.action: c.value_to_move for c in decision.candidates} == values
            seen.add(decision.value_to_move)
            position.play(position.to_move, decision.action)
            if not position.state.is_terminal:
                position.play(position.to_move, rng.choice(position.state.legal_actions()))
    assert seen == {-1, 0, 1}


def test_of_wins_the_quickest_and_of_losses_the_slowest_is_chosen(rng: random.Random) -> None:
    judge = gtpcore.ConnectFourSolver(max_bytes=MIB)
    agent = small_agent()
    for _ in range(40):
        position = random_position(rng, 26)
        assert isinstance(position.state, gtpcore.ConnectFourState)
        scores = judge.solve_moves(position.state, exact=True)
        action = agent.choose(position, Limits()).action
        assert action is not None
        assert scores[action] == max(scores.values())


@pytest.fixture
def without_book(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """So that openings take long."""
    (tmp_path / "book").write_bytes(
        gtpcore.ConnectFourSolver.encode_book(
            0, np.zeros(0, np.uint64), np.zeros(0, np.int8), np.zeros(0, np.int8)
        )
    )
    monkeypatch.setattr("search.solver.BOOK", tmp_path / "book")


@pytest.mark.usefixtures("without_book")
def test_without_the_time_it_says_that_it_does_not_know() -> None:
    position = after(ConnectFour(), 0, 6, 0, 6, 1, 1, 6, 0)
    decision = small_agent().choose(position, Limits(seconds=0.001))
    assert decision.value_to_move is None
    assert decision.seconds < 0.5
    assert decision.action in position.state.legal_actions()


def test_no_time_is_needed_to_win_at_once_or_to_keep_the_opponent_from_it(
    rng: random.Random,
) -> None:
    agent = small_agent()
    for _ in range(200):
        state = random_connect_four(rng, 16)
        legal = state.legal_actions()
        decision = agent.choose(Position(ConnectFour(), state), Limits(seconds=1e-6))
        if winning := [action for action in legal if wins(state, action)]:
            assert decision.action in winning
            assert decision.value_to_move == 1
        else:
            assert decision.action in (_lasting(state, legal) or legal)


@pytest.mark.parametrize("known, value", [(-1, None), (0, None), (1, 1)])
def test_an_analysis_without_the_time_for_all_moves_knows_wins_alone(
    known: int, value: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([known, None])
    monkeypatch.setattr(SolverAgent, "_value_of_move", lambda *asked: next(answers))
    agent = small_agent()
    agent.analyze(Position(ConnectFour()), Limits())
    report = agent.report()
    assert report is not None
    assert [(move.action, move.value_to_move) for move in report.candidates] == [(3, known)]
    assert report.value_to_move == value


DRAWN = "01550232034536435622223041610450111443566"
"""The columns of a game that its last disc draws."""


def test_the_last_disc_of_a_drawn_game_is_told_to_draw() -> None:
    agent, position = small_agent(), after(ConnectFour(), *map(int, DRAWN))
    agent.analyze(position, Limits())
    report = agent.report()
    assert report is not None
    assert [(move.action, move.value_to_move) for move in report.candidates] == [(6, 0)]
    assert report.value_to_move == 0


def test_a_sure_draw_is_taken_unless_a_win_is_there() -> None:
    """Of two moves one is known to draw; the other was not looked into, as the time ended."""
    wanted, known = [0, 1], {0: 0}
    assert _weigh(wanted, known, most=None) == ([0], None)
    assert _weigh(wanted, known, most=1) == ([1], None)
    assert _weigh(wanted, known, most=0) == ([0], 0)


def test_what_the_first_moves_are_worth_is_soon_found_by_the_book() -> None:
    """The first player wins in the centre, draws beside it, and loses elsewhere (Allis, 1988)."""
    agent = small_agent()
    decision = agent.choose(Position(ConnectFour()), Limits(seconds=2))
    assert (decision.action, decision.value_to_move) == (3, 1)
    agent.analyze(Position(ConnectFour()), Limits(seconds=60))
    report = agent.report()
    assert report is not None
    values = {c.action: c.value_to_move for c in report.candidates}
    assert values == {0: -1, 1: -1, 2: 0, 3: 1, 4: 0, 5: -1, 6: -1}


def test_no_opening_takes_it_long(rng: random.Random) -> None:
    """Not only those of its own games."""
    agent = small_agent()
    for discs in [*range(9)] * 3:
        state = random_position(rng, discs)
        decision = agent.choose(state, Limits(seconds=20))
        assert decision.value_to_move is not None


@pytest.mark.usefixtures("without_book")
def test_stop_ends_a_choice_soon() -> None:
    """Of 30 s; that it takes milliseconds only a machine without other work can show."""
    agent = small_agent()
    stopped_at = []

    def stop() -> None:
        stopped_at.append(time.monotonic())
        agent.stop()

    threading.Timer(0.1, stop).start()
    position = after(ConnectFour(), 0, 6, 0, 6, 1, 1, 6, 0)
    agent.choose(position, Limits(seconds=30))
    assert time.monotonic() - stopped_at[0] < 1


def test_what_is_banned_is_not_played_if_anything_else_can_be() -> None:
    position = after(ConnectFour(), 3, 4, 3, 4, 3, 0)
    agent = small_agent(seconds=0.3)
    assert agent.choose(position, Limits()).action == 3
    assert agent.choose(position, Limits().banning(position.to_move, {3})).action != 3
    assert agent.choose(position, Limits().banning(position.to_move, range(7))).action == 3


@pytest.mark.parametrize("actions", [(), (3, 4, 3, 4, 3, 0)])
def test_nothing_is_told_of_what_is_banned(actions: tuple[int, ...]) -> None:
    """By the book and by a search."""
    agent = small_agent()
    position = after(ConnectFour(), *actions)
    for banned in (frozenset({0, 1}), frozenset(range(6))):
        decision = agent.choose(position, Limits().banning(position.to_move, banned))
        told = {candidate.action for candidate in decision.candidates}
        assert decision.action in told and not told & banned


def test_ties_are_broken_by_the_seed(rng: random.Random) -> None:
    positions = [random_position(rng, 30) for _ in range(20)]

    def choices(seed: int) -> list[int | None]:
        agent = small_agent(seed)
        return [agent.choose(position, Limits()).action for position in positions]

    assert choices(1) == choices(1) != choices(2)


def test_it_plays_the_usual_board_alone() -> None:
    assert SolverAgent.plays(ConnectFour())
    assert not SolverAgent.plays(ConnectFour(ConnectFourOptions(columns=6)))
    assert not SolverAgent.plays(TicTacToe())


def test_what_is_forgotten_is_found_again(rng: random.Random) -> None:
    agent = small_agent()
    position = random_position(rng, 28)
    first = agent.choose(position, Limits())
    agent.clear()
    assert agent.choose(position, Limits()).value_to_move == first.value_to_move


def test_in_the_opening_it_answers_at_once_by_the_book() -> None:
    """Positions that it cannot solve in a minute."""
    for actions in ((), (3,), (3, 2), (0,), (2,)):
        position = after(ConnectFour(), *actions)
        agent = small_agent()
        decision = agent.choose(position, Limits())
        assert isinstance(position.state, gtpcore.ConnectFourState)
        judge = gtpcore.ConnectFourSolver(book=BOOK.read_bytes())
        assert decision.action == judge.book_answer(position.state)
        assert decision.value_to_move == judge.solve(position.state, seconds=0)
        assert decision.seconds < 1
