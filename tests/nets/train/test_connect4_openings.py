"""The openings of Connect Four that others have solved, against the solver."""

import random
import sys

import pytest

import gtpcore
from nets.train.connect4_openings import SOLVED_DISCS, State, openings, solved_openings
from tests.support.positions import random_connect_four

FAR = 5
"""Better scores, and worse ones, are of games that end soon; others take long to find alone."""


@pytest.fixture(scope="module")
def informed() -> gtpcore.ConnectFourSolver:
    return gtpcore.ConnectFourSolver(book=solved_openings())


def test_openings_are_counted_without_their_mirror_images() -> None:
    assert [len(openings(discs)) for discs in range(5)] == [1, 4, 25, 121, 568]


def test_of_mirror_images_the_last_takes_the_place_of_the_first() -> None:
    followers = gtpcore.ConnectFourSolver.followers
    heights = [[state.height(column) for column in range(7)] for state in followers([State()])]
    assert [one.index(1) for one in heights] == [6, 5, 4, 3]
    with pytest.raises(TypeError, match=r"states\[1\] is None: expected a ConnectFourState"):
        followers([State(), None])  # type: ignore[list-item]


def test_games_that_are_over_lead_nowhere() -> None:
    won = State()
    for column in (0, 1, 0, 1, 0, 1):
        won.apply_action(column)
    assert len(gtpcore.ConnectFourSolver.followers([won])) == len(won.legal_actions()) - 1
    won.apply_action(0)
    assert gtpcore.ConnectFourSolver.followers([won]) == []


def test_scores_of_twelve_discs_are_those_of_the_solver(
    rng: random.Random, informed: gtpcore.ConnectFourSolver
) -> None:
    """Told at once, of positions that come by chance."""
    alone = gtpcore.ConnectFourSolver()
    seen = set()
    for _ in range(40):
        state = random_connect_four(rng, SOLVED_DISCS)
        told = informed.solve(state, exact=True, seconds=0)
        assert told is not None
        outcome = (told > 0) - (told < 0)
        assert outcome == alone.solve(state)
        if abs(told) > FAR:
            assert told == alone.solve(state, exact=True)
            seen.add(outcome)
    assert seen == {-1, 1}


def test_the_first_moves_are_worth_what_is_known_of_them(
    informed: gtpcore.ConnectFourSolver,
) -> None:
    """The centre wins with the last disc but one, the columns beside it draw, the others lose."""
    scores = informed.solve_moves(State(), exact=True)
    assert scores == {0: -2, 1: -1, 2: 0, 3: 1, 4: 0, 5: -1, 6: -2}


def test_a_missing_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bitbully_databases", None)
    with pytest.raises(ModuleNotFoundError, match=r"bitbully_databases.*pip install '.\[train\]'"):
        solved_openings.__wrapped__()
