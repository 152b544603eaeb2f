"""When a lost game is given up: not for what one search says, nor for what is said of another."""

import gtpcore
from games.base import Player
from games.position import Move
from search.resigning import GAMES_IN_MIND, Patience

SIZE = 5
BEGUN = tuple(Move(Player(number % 2), number) for number in range(10))
"""So many that who is lost may give up."""


def is_over(
    patience: Patience, player: Player, is_lost: bool, turn: int = 0, game: int = 0
) -> bool:
    """What is said of the choice of a player after so many turns of both."""
    passes = [Move(Player(number % 2), SIZE**2) for number in range(2 * turn + player)]
    state = gtpcore.GoState(SIZE)
    state.resume(player)
    return patience.is_over(state, (*BEGUN, Move(Player.BLACK, 10 + game), *passes), is_lost)


def test_a_game_is_given_up_that_was_lost_three_times_in_a_row() -> None:
    patience = Patience()
    found = [True, True, False, True, True, True]
    over = [is_over(patience, Player.BLACK, lost, turn) for turn, lost in enumerate(found)]
    assert over == [False, False, False, False, False, True]


def test_what_one_player_finds_lost_is_not_counted_for_the_other() -> None:
    patience = Patience()
    over = [is_over(patience, player, True, turn) for turn in range(3) for player in Player]
    assert over == [False, False, False, False, True, True]


def test_of_many_games_at_a_time_the_oldest_is_forgotten() -> None:
    patience = Patience()
    for turn in range(2):
        assert not is_over(patience, Player.BLACK, True, turn)
    for game in range(1, GAMES_IN_MIND):
        is_over(patience, Player.BLACK, True, game=game)
    assert is_over(patience, Player.BLACK, True, 2)
    for game in range(1, GAMES_IN_MIND + 1):
        is_over(patience, Player.BLACK, True, game=GAMES_IN_MIND + game)
    assert not is_over(patience, Player.BLACK, True, 3)


def test_in_other_games_what_is_lost_is_given_up_at_once() -> None:
    state = gtpcore.ConnectFourState(7, 6, 4)
    assert Patience().is_over(state, (), True)
    assert not Patience().is_over(state, (), False)
