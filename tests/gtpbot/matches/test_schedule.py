"""Which game is which, whoever plays how many."""

from collections import Counter

from gtpbot.matches.schedule import Fixture, Kind, Schedule


def test_each_opening_is_played_with_both_colours() -> None:
    assert list(Schedule(2).fixtures(3)) == [
        Fixture(0, black=0, white=1, opening=0),
        Fixture(1, black=1, white=0, opening=0),
        Fixture(2, black=0, white=1, opening=1),
    ]


def test_everybody_plays_everybody_or_the_first_all_others() -> None:
    kinds: dict[Kind, set[tuple[int, int]]] = {
        "round-robin": {(0, 1), (0, 2), (1, 2)},
        "gauntlet": {(0, 1), (0, 2)},
    }
    for kind, pairings in kinds.items():
        fixtures = list(Schedule(3, kind).fixtures(4))
        met = Counter((game.black, game.white) for game in fixtures)
        assert met == {
            seats: 2 for one, other in pairings for seats in ((one, other), (other, one))
        }
        assert {game.opening for game in fixtures} == {0, 1}


def test_a_longer_match_begins_like_a_shorter_one() -> None:
    short, long = (list(Schedule(4).fixtures(games)) for games in (5, 9))
    assert set(short) < set(long)
    assert [game.number for game in long] == sorted(game.number for game in long)
    assert len(short) == 5 * 6


def test_pairings_are_not_listed_anew_for_each_game() -> None:
    """Of thirty engines there are 435, for each of 43,500 games."""
    schedule = Schedule(30)
    assert schedule.pairings is schedule.pairings
