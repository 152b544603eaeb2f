"""The making of the opening book."""

import random
import threading
from collections.abc import Iterable
from pathlib import Path

import pytest

import gtpcore
from gtpbot.book import Findings, StoppedError, encode_book, follow, followers, openings
from gtpbot.cli import main
from search.solver import BOOK, after

State = gtpcore.ConnectFourState
book_key = gtpcore.ConnectFourSolver.book_key

LATE = 28
"""Discs of positions that are solved at once."""


def late_states(count: int = 3) -> list[State]:
    """Positions of so many discs, in which nobody wins at once."""
    rng = random.Random(1)
    states: list[State] = []
    while len(states) < count:
        state = played(rng.randrange(7) for _ in range(LATE))
        if state and not wins_at_once(state):
            states.append(state)
    return states


def wins_at_once(state: State) -> bool:
    return any(after(state, move).is_terminal for move in state.legal_actions())


def played(moves: Iterable[int]) -> State | None:
    """None if the game is over before, or a move is illegal."""
    state = State()
    for move in moves:
        if state.is_terminal or move not in state.legal_actions():
            return None
        state.apply_action(move)
    return None if state.is_terminal else state


def test_openings_are_counted_without_their_mirror_images() -> None:
    assert [len(openings(discs)) for discs in range(5)] == [1, 4, 25, 121, 568]


def test_work_goes_on_where_it_was_ended(tmp_path: Path) -> None:
    work, states = tmp_path / "findings.txt", late_states()
    list(follow(Findings(work, 1), states, LATE, LATE))
    whole = work.read_text()
    before = set(Findings(work, 1).answers)
    assert before == {book_key(state) for state in states}
    work.write_text(whole[:-3])  # as a kill may leave it
    again = Findings(work, 1)
    assert len(again.answers) == 2
    list(follow(again, states, LATE, LATE))
    assert set(again.answers) == before
    assert work.read_text() == whole


def test_an_end_by_hand_loses_nothing(tmp_path: Path) -> None:
    findings = Findings(tmp_path / "findings.txt", 1)
    threading.Timer(0.2, findings.solver.stop).start()
    with pytest.raises(StoppedError):
        findings.value(State())
    assert findings.value(late_states()[0]) in (-1, 0, 1)
    assert len(Findings(tmp_path / "findings.txt", 1).values) == 1


def test_every_answer_of_a_line_keeps_the_value(tmp_path: Path) -> None:
    """Against all that the other side may play, in either image of the position."""
    findings, states = Findings(tmp_path / "findings.txt", 1), late_states(6)
    book = encode_book(findings, follow(findings, states, LATE, LATE + 2), LATE + 3)
    solver, judge = gtpcore.ConnectFourSolver(book=book), gtpcore.ConnectFourSolver()
    asked = 0
    for state in states:
        replies = [state]
        for _ in range(2):
            answered = []
            for position in replies:
                values = judge.solve_moves(position)
                answer = solver.book_answer(position)
                if answer is None:
                    assert max(values.values()) == 1  # won at once
                    continue
                asked += 1
                assert values[answer] == max(values.values())
                answered.append(after(position, answer))
            replies = followers(answered)
    assert asked > 20


def test_the_book_that_ships_answers_all_that_may_be_played() -> None:
    """As either player, at the first five turns, without a search and without a loss of value."""
    solver = gtpcore.ConnectFourSolver(book=BOOK.read_bytes())
    for player in (0, 1):
        states = openings(player)
        for _ in range(5):
            answered = []
            for state in states:
                answer = solver.book_answer(state)
                if answer is None:
                    assert wins_at_once(state)
                else:
                    answered.append(after(state, answer))
                    values = [solver.solve(s, seconds=0) for s in (state, answered[-1])]
                    assert values in ([1, -1], [0, 0], [-1, 1]), state
            states = followers(answered)
        assert len(states) > 1000


def test_a_book_holds_what_was_asked_for_alone(tmp_path: Path) -> None:
    """Though more is known."""
    findings, states = Findings(tmp_path / "findings.txt", 1), late_states(2)
    whole = list(follow(findings, states, LATE, LATE + 2))
    short = list(follow(findings, states, LATE, LATE))
    assert len(short) == 4
    book = encode_book(findings, short, LATE + 1)
    assert len(book) == 8 * (1 + len(short)) < len(encode_book(findings, whole, LATE + 3))


def test_a_book_answers_what_was_written_into_it(tmp_path: Path) -> None:
    out = tmp_path / "book"
    key = book_key(State())
    out.write_bytes(gtpcore.ConnectFourSolver.encode_book(0, {key: -1}, {key: 2}))  # both wrong
    solver = gtpcore.ConnectFourSolver(book=out.read_bytes())
    assert (solver.solve(State(), seconds=2), solver.book_answer(State())) == (-1, 2)


def test_senseless_books_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["book", "--discs", "9"]) == 2
    assert "--discs 9: expected 0 to 8" in capsys.readouterr().err
    assert main(["book", "--megabytes", "0"]) == 2
    assert "--megabytes 0: expected 1 to 1048576" in capsys.readouterr().err
    with pytest.raises(ValueError, match="an answer in column 7: expected 0 to 6"):
        gtpcore.ConnectFourSolver.encode_book(1, {1: 0}, {1: 7})


def test_files_that_cannot_serve_are_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.txt").write_text("hello world\n")
    wrong = "notes.txt, line 1: 'hello world': expected findings of another run: "
    for words, told in (("none/book.bin", "cannot make the book: "), ("notes.bin", wrong)):
        assert main(["book", "--discs", "0", "--lines", "0", "--out", str(tmp_path / words)]) == 2
        assert told in capsys.readouterr().err
    assert (tmp_path / "notes.txt").read_text() == "hello world\n"
