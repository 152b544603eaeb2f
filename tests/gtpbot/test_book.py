"""The making of the opening book."""

import random
from pathlib import Path

import pytest

import gtpcore
from gtpbot.book import openings, read_progress, solve_all, write_book
from gtpbot.cli import main


def late_states() -> dict[int, gtpcore.ConnectFourState]:
    """Three positions of 28 discs."""
    rng = random.Random(1)
    states: dict[int, gtpcore.ConnectFourState] = {}
    while len(states) < 3:
        state = gtpcore.ConnectFourState()
        for _ in range(28):
            if not state.is_terminal:
                state.apply_action(rng.choice(state.legal_actions()))
        if not state.is_terminal:
            states[gtpcore.ConnectFourSolver.book_key(state)] = state
    return states


def test_openings_are_counted_without_their_mirror_images() -> None:
    assert [len(openings(discs)) for discs in range(5)] == [1, 4, 25, 121, 568]


def test_work_goes_on_where_it_was_ended(tmp_path: Path) -> None:
    states, work = late_states(), tmp_path / "values.txt"
    solve_all(states, work, megabytes=1)
    whole = work.read_text()
    assert set(read_progress(work)) == set(states)
    work.write_text(whole[: whole.rindex("\n", 0, -1) + 4])
    assert len(read_progress(work)) == 2
    solve_all(states, work, megabytes=1)
    assert work.read_text() == whole


def test_a_book_answers_what_was_written_into_it(tmp_path: Path) -> None:
    work, out = tmp_path / "values.txt", tmp_path / "book"
    start = gtpcore.ConnectFourState()
    work.write_text(
        f"{gtpcore.ConnectFourSolver.book_key(start)} -1\n"
    )  # wrong: so it is the book's
    write_book(work, out, discs=0)
    assert gtpcore.ConnectFourSolver(book=out.read_bytes()).solve(start, seconds=2) == -1


def test_senseless_books_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["book", "--discs", "9"]) == 2
    assert "--discs 9: expected 0 to 8" in capsys.readouterr().err
