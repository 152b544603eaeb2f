"""The making of the opening book."""

import random
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

import gtpcore
from games.base import after
from gtpbot.cli import main
from gtpbot.learning.book import Book, make, open_ones
from nets.train.connect4_openings import openings, solved_openings
from search.solver import BOOK, CENTRE

State = gtpcore.ConnectFourState
book_key = gtpcore.ConnectFourSolver.book_key

LATE = 28
"""Discs of positions that are solved at once."""


def late_states(count: int) -> list[State]:
    """Positions of so many discs, in which nobody wins at once."""
    rng = random.Random(1)
    states: list[State] = []
    while len(states) < count:
        state = played(rng.randrange(7) for _ in range(LATE))
        states += open_ones([state]) if state else []
    return states


def played(moves: Iterable[int]) -> State | None:
    """None if the game is over before, or a move is illegal."""
    state = State()
    for move in moves:
        if state.is_terminal or move not in state.legal_actions():
            return None
        state.apply_action(move)
    return None if state.is_terminal else state


def test_answers_are_the_best_moves_in_either_image_of_a_position() -> None:
    """The quickest wins and the slowest losses, of those the move nearest to the centre."""
    states = late_states(30)
    book = Book(gtpcore.ConnectFourSolver())
    answered = book.add(states)
    solver = gtpcore.ConnectFourSolver(book=book.encode(LATE))
    judge = gtpcore.ConnectFourSolver()
    scores_seen = set()
    for state, follower in zip(states, answered, strict=True):
        scores = judge.solve_moves(state, exact=True)
        answer = solver.book_answer(state)
        assert answer is not None
        assert scores[answer] == max(scores.values()) == solver.solve(state, exact=True, seconds=0)
        as_good = [move for move, score in scores.items() if score == scores[answer]]
        assert abs(answer - CENTRE) == min(abs(move - CENTRE) for move in as_good)
        assert after(state, answer).hash == follower.hash
        scores_seen.add(scores[answer])
    assert min(scores_seen) < 0 < max(scores_seen)


def test_the_book_that_ships_knows_all_positions_of_eight_discs() -> None:
    """As the solver finds them that knows those of twelve."""
    shipped = gtpcore.ConnectFourSolver(book=BOOK.read_bytes())
    judge = gtpcore.ConnectFourSolver(book=solved_openings())
    states = open_ones(random.Random(3).sample(openings(8), 2_000))
    assert len(states) > 1_500
    scores = judge.label(states, exact=True)
    for state, of_moves in zip(states, scores, strict=True):
        answer = shipped.book_answer(state)
        assert answer is not None
        assert of_moves[answer] == of_moves.max() == shipped.solve(state, exact=True, seconds=0)


def test_the_book_that_ships_answers_all_that_may_be_played() -> None:
    """As either player, at the first five turns, without a search and without a loss of value."""
    solver = gtpcore.ConnectFourSolver(book=BOOK.read_bytes())
    judge = gtpcore.ConnectFourSolver(book=solved_openings())
    for player in (0, 1):
        states = openings(player)
        for _ in range(5):
            states = open_ones(states)
            answered = []
            for state, scores in zip(states, judge.label(states), strict=True):
                answer = solver.book_answer(state)
                assert answer is not None
                assert scores[answer] == scores.max() == solver.solve(state, seconds=0)
                answered.append(after(state, answer))
            states = gtpcore.ConnectFourSolver.followers(answered)
        assert len(states) > 1_000


@pytest.mark.slow
def test_the_book_that_ships_is_what_the_command_makes(tmp_path: Path) -> None:
    assert main(["book", "--out", str(tmp_path / "book")]) == 0
    assert (tmp_path / "book").read_bytes() == BOOK.read_bytes()


def test_a_book_holds_what_was_asked_for_alone() -> None:
    solver = gtpcore.ConnectFourSolver(book=solved_openings())
    assert len(make(solver, discs=3, lines=0)) == 8 * (1 + 121 + 1)
    lines = make(solver, discs=0, lines=2)
    assert len(lines) == 8 * (1 + 1 + 4 + 4)
    known = gtpcore.ConnectFourSolver(book=lines)
    assert known.book_answer(State()) == CENTRE
    assert known.solve(after(after(State(), CENTRE), 6), exact=True, seconds=0) == 4


def test_a_book_is_written_where_one_is_unless_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = BOOK.read_bytes()
    monkeypatch.chdir(tmp_path)
    small = ["book", "--discs", "1", "--lines", "0"]
    assert main(small) == 0
    assert capsys.readouterr().err.endswith("\nbook: in connect4.book\n")
    assert main([*small, "--out", "other"]) == 0
    assert capsys.readouterr().err.endswith("\nbook: in other\n")
    assert Path("connect4.book").read_bytes() == Path("other").read_bytes()
    assert BOOK.read_bytes() == shipped


def test_a_book_answers_what_was_written_into_it() -> None:
    keys, wrong = np.array([book_key(State())], np.uint64), np.array([-3], np.int8)
    book = gtpcore.ConnectFourSolver.encode_book(0, keys, wrong, np.array([2], np.int8))
    solver = gtpcore.ConnectFourSolver(book=book)
    assert (solver.solve(State(), exact=True, seconds=0), solver.book_answer(State())) == (-3, 2)


@pytest.mark.parametrize(
    ("scores", "answers", "told"),
    [
        ([0], [7], "an answer in column 7: expected 0 to 6"),
        ([22], [0], "a score beyond -21 to 21"),
        ([-22], [0], "a score beyond -21 to 21"),
        ([0, 0], [1], "1 keys with 2 scores and 1 answers: expected one of each"),
    ],
)
def test_books_of_what_cannot_be_are_refused(
    scores: list[int], answers: list[int], told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        gtpcore.ConnectFourSolver.encode_book(
            1, np.ones(1, np.uint64), np.array(scores, np.int8), np.array(answers, np.int8)
        )


def test_what_cannot_be_made_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("discs", "lines"):
        assert main(["book", f"--{name}", "12"]) == 2
        assert f"--{name} 12: expected 0 to 11" in capsys.readouterr().err
    small = ["book", "--discs", "1", "--lines", "0", "--out"]
    assert main([*small, str(tmp_path / "none" / "book")]) == 2
    assert "there is no folder" in capsys.readouterr().err
    solved_openings.cache_clear()
    monkeypatch.setitem(sys.modules, "bitbully_databases", None)
    assert main([*small, str(tmp_path / "book")]) == 2
    assert "pip install '.[train]'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
