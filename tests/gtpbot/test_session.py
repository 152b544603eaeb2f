"""The session: clocks and agents as handlers use them."""

from typing import cast

import pytest

import gtpcore
from games.base import Player
from games.coin import Coin, CoinOptions
from games.connect4 import ConnectFour, ConnectFourOptions
from games.errors import IllegalMoveError
from games.go import Go, GoOptions
from games.position import Position
from gtpbot.gtp.clock import Clock, Fischer, Left, TimeControl
from gtpbot.gtp.protocol import GtpError
from gtpbot.gtp.session import Session
from gtpbot.gtp.thinking import Thinker
from gtpbot.options import AgentChoice, OptionsError
from search.agent import Ban, Limits
from search.alphazero import AlphaZeroAgent
from search.board_net import BoardNet
from tests.support.agents import CallbackAgent


def go(size: int = 9) -> Session:
    return Session(Go(GoOptions(size=size)), AgentChoice("random", {"seed": 1}))


def test_the_agent_thinks_within_its_own_clock() -> None:
    given: list[float | None] = []

    def remember(position: Position, limits: Limits) -> int:
        given.append(limits.seconds)
        return position.state.num_actions - 1

    session = go()
    session.thinker = Thinker(CallbackAgent(remember))
    session.genmove(Player.BLACK)
    session.set_time_control(Fischer(60))
    session.genmove(Player.BLACK)
    session.clocks[Player.WHITE].time_left(6000, 0)
    session.genmove(Player.WHITE)
    assert given[0] is None
    assert given[1] is not None and 0 < given[1] < 60
    assert given[2] == pytest.approx(given[1] * 100, rel=0.5)


def test_an_agent_that_opens_with_white_is_at_the_same_game_later() -> None:
    starts: list[object] = []

    def remember(position: Position, limits: Limits) -> int:
        starts.append(position.start)
        return position.state.num_actions - 1

    session = go()
    session.thinker = Thinker(CallbackAgent(remember))
    session.think(Player.WHITE)
    assert session.position.to_move == Player.BLACK  # nobody has moved
    session.genmove(Player.WHITE)
    session.play(Player.BLACK, "E5")
    session.genmove(Player.WHITE)
    assert starts[1] is starts[2] is session.position.start


def test_a_move_is_charged_to_the_clock_and_a_new_game_fills_it() -> None:
    session = go()
    session.set_time_control(Fischer(60))
    session.genmove(Player.BLACK)
    left = session.clocks[Player.BLACK].left
    assert left is not None and 59 < left.seconds < 60
    assert session.clocks[Player.WHITE].left == Left(60, 0)
    session.new_game(session.game)
    assert session.clocks[Player.BLACK].left == Left(60, 0)


def test_how_time_was_used_is_known_where_the_control_is_told_before_each_move() -> None:
    """As gtp2ogs does, which plays the game again each time."""

    def seconds_for_the_next_move(control: TimeControl) -> float:
        session.set_time_control(control)
        seconds = session.question(Player.BLACK)[1].seconds
        assert seconds is not None
        return seconds

    session = go()
    first = seconds_for_the_next_move(Fischer(60))
    session.genmove(Player.BLACK)  # at once, by an agent that needs no time
    session.new_game(session.game)
    session.play(Player.BLACK, "E5")
    session.play(Player.WHITE, "pass")
    assert seconds_for_the_next_move(Fischer(60)) > 1.1 * first
    assert seconds_for_the_next_move(Fischer(61)) < 1.1 * first
    session.new_game(session.game)
    assert seconds_for_the_next_move(Fischer(60)) == first


def test_the_time_for_a_move_depends_on_how_large_the_board_is() -> None:
    for size in (5, 19):
        session = go(size)
        session.set_time_control(Fischer(600))
        budget = Clock(Fischer(600), session.lag).budget(size * size, 0)
        assert session.question(Player.BLACK)[1].seconds == budget


def test_a_control_that_is_told_again_fills_the_clocks() -> None:
    session = go()
    session.set_time_control(Fischer(60))
    session.clocks[Player.BLACK].time_left(5, 0)
    session.set_time_control(Fischer(60))
    assert session.clocks[Player.BLACK].left == Left(60, 0)


def test_a_game_opened_out_of_turn_and_taken_back_gives_way_to_another() -> None:
    session = go()
    session.genmove(Player.WHITE)
    session.undo(1)
    session.play(Player.BLACK, "E5")
    assert session.question(Player.WHITE)[0] is session.position
    session.undo(1)
    session.change_go(komi=0.5)
    assert session.question(Player.WHITE)[0].game == session.game


def test_a_move_out_of_turn_that_is_taken_back_leaves_the_turn_as_it_was() -> None:
    session = go()
    session.play(Player.BLACK, "E5")
    session.genmove(Player.BLACK)
    session.undo(1)
    assert session.position.to_move == Player.WHITE


def test_passes_after_the_end_are_taken_back_first() -> None:
    session = Session(Coin(CoinOptions(pile=2)), AgentChoice("random", {"seed": 1}))
    session.play(Player.BLACK, "2")
    session.play(Player.WHITE, "pass")
    assert session.genmove(Player.BLACK) == "pass"
    session.undo(1)
    session.undo(1)
    assert session.ended and session.position.actions == (1,)
    session.undo(1)
    assert not session.position.moves
    session.play(Player.BLACK, "2")
    session.play(Player.WHITE, "pass")
    session.undo(2)
    assert not session.position.moves


def test_two_moves_into_the_last_column_end_no_game() -> None:
    """In Go they are passes."""
    session = Session(ConnectFour(), AgentChoice("random", {"seed": 1}))
    session.play(Player.BLACK, "7")
    session.play(Player.WHITE, "7")
    assert not session.ended


def test_who_opened_out_of_turn_is_not_to_move_when_that_is_taken_back() -> None:
    session = go()
    before = session.position
    session.genmove(Player.WHITE)
    opened = session.position
    session.undo(1)
    assert session.position is before
    assert session.position.to_move == Player.BLACK
    session.genmove(Player.WHITE)
    assert session.position is opened  # so that its record goes on, and what the agent knows of it
    session.undo(1)
    session.genmove(Player.BLACK)
    assert session.position is before
    assert [move.player for move in before.moves] == [Player.BLACK]


def test_new_komi_and_rules_hold_in_every_position_that_undo_returns_to() -> None:
    session = go()
    session.play(Player.BLACK, "E5")
    session.change_go(komi=0.5)
    assert [session.go.komi, _score(session)] == [0.5, 80.5]
    session.undo(1)
    assert _score(session) == -0.5
    assert session.position.game is session.go


def test_other_rules_leave_the_komi_alone() -> None:
    session = go()
    session.change_go(rules="japanese")
    assert [session.go.rules.komi, session.go.komi] == [6.5, 7.5]


def test_a_komi_told_stays_though_it_was_that_of_the_rules_already() -> None:
    session = go()
    session.change_go(komi=session.go.komi)
    assert [session.go.given_komi, session.position.game] == [7.5, session.go]


def test_rules_told_again_tell_no_komi() -> None:
    session = go()
    before = session.go
    session.change_go(rules=session.go.rules)
    assert [session.go, session.position.game, session.go.given_komi] == [before, before, None]


def _score(session: Session) -> float:
    score: float = session.position.state.black_score()  # type: ignore[attr-defined]
    return score


def test_komi_is_kept_for_go_while_another_game_is_played() -> None:
    session = go()
    session.change_game(Coin())
    session.change_go(komi=3)
    assert isinstance(session.game, Coin)
    assert session.go.komi == 3


def test_a_wrong_agent_changes_nothing() -> None:
    session = go()
    before = (session.thinker, session.choice)
    with pytest.raises(OptionsError):
        session.change_agent(AgentChoice("uct", {"playouts": "none at all"}))
    assert (session.thinker, session.choice) == before


def test_agents_get_ready_once_a_client_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """And those that follow too, whose nets are the same."""
    ready: list[tuple[BoardNet, int]] = []
    monkeypatch.setattr(
        "nets.runtime._NativeNet.get_ready", lambda net, threads: ready.append((net, threads))
    )
    session = Session(Go(GoOptions(size=9)), AgentChoice("alphazero", {"threads": "1"}))
    session.change_params({"playouts": "5"})
    assert not ready
    session.get_ready()
    session.change_params({"threads": "2"})
    (first, one), (second, two) = ready
    assert (one, two) == (1, 2)
    assert vars(first)["_net"] is vars(second)["_net"]


@pytest.mark.parametrize("choice", [AgentChoice("solver"), AgentChoice(None, {"solve_nodes": 9})])
@pytest.mark.parametrize("options", [{"columns": 8, "rows": 5}, {"length": 5}])
def test_an_agent_that_does_not_play_a_position_s_board_makes_room_for_one(
    choice: AgentChoice, options: dict[str, int]
) -> None:
    """As it does where the game is changed."""
    session = Session(ConnectFour(), choice)
    board = ConnectFour(ConnectFourOptions.model_validate(options))
    session.go_on_from(Position(board))
    assert session.thinker.agent.name == "uct"
    session.go_on_from(Position(ConnectFour()))
    assert session.thinker.agent.name == "alphazero"


def test_an_agent_that_plays_a_position_s_board_stays_at_it() -> None:
    session = Session(ConnectFour(), AgentChoice("uct", {"playouts": 9}))
    session.go_on_from(Position(ConnectFour(ConnectFourOptions(columns=8, rows=5))))
    assert session.choice == AgentChoice("uct", {"playouts": 9})
    agent = session.thinker.agent
    session.new_game(session.game)
    assert session.thinker.agent is agent


def test_an_agent_for_a_board_of_another_size_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[object] = []
    monkeypatch.setattr(AlphaZeroAgent, "take_over", lambda agent, other: taken.append(other))
    session = Session(Go(GoOptions(size=5)), AgentChoice("alphazero"))
    before = session.thinker.agent
    session.new_game(Go(GoOptions(size=6)))
    assert taken == [before] != [session.thinker.agent]


def test_all_or_nothing_takes_idle_passes_back_too() -> None:
    session = Session(ConnectFour(), AgentChoice("random"))
    for player, move in zip([Player.BLACK, Player.WHITE] * 4, "DEDEDED", strict=False):
        session.play(player, move)
    with pytest.raises(GtpError, match="illegal move"), session.all_or_nothing():
        session.play(Player.WHITE, "pass")
        session.play(Player.BLACK, "D5")
    session.undo(1)
    assert not session.over


def test_in_the_longest_game_only_passes_are_left() -> None:
    session = go(size=2)
    for _ in range(session.game.spec.max_length):
        session.play(Player.BLACK, "pass")
    with pytest.raises(GtpError, match="illegal move") as error:
        session.play(Player.BLACK, "A1")
    assert error.value.reason.endswith("the game has 40 moves already, the most there may be")
    session.play(Player.WHITE, "pass")
    assert session.genmove(Player.BLACK) == "pass"
    assert len(session.position.moves) == 40
    session.undo(3)
    session.play(Player.BLACK, "A1")


def test_the_same_komi_told_again_changes_nothing() -> None:
    """Clients tell it before every move, and an agent that ponders must not stop for that."""
    session = go()
    session.genmove(Player.BLACK)
    position = session.position
    session.change_go(komi=session.go.komi)
    assert session.position is position
    session.change_go(komi=session.go.komi + 1)
    assert session.position is not position


def test_banned_moves_are_not_looked_at() -> None:
    """A search that found such a move to win would end with others hardly looked at."""
    asked: list[Limits] = []

    def remember(position: Position, limits: Limits) -> int:
        asked.append(limits)
        return 1

    session = Session(Coin(), AgentChoice("random"))
    session.thinker = Thinker(CallbackAgent(remember))
    session.genmove(Player.BLACK, (Ban(Player.BLACK, 0, 1),))
    assert asked[0].bans == (Ban(Player.BLACK, 0, 1),)


def test_a_handicap_is_placed_as_a_whole_or_not_at_all() -> None:
    session = go(5)
    session.place_handicap([6, 18])
    placed, state = session.position, cast(gtpcore.GoState, session.position.state)
    assert (sorted(state.stones(Player.BLACK)), state.handicap) == ([6, 18], 2)
    assert session.position.to_move is Player.WHITE and not session.position.moves
    with pytest.raises(IllegalMoveError, match="Black B2: "):
        session.place_handicap([0, 6, 6])
    assert session.position is placed


@pytest.mark.parametrize(
    ("moves", "handicap"),
    [
        ("b B2", 0),
        ("b B2 b D4 w C3", 2),
        ("b B2 b D4 b B4 w C3 b C2", 3),
        ("b B2 w C3 b D4 b B4", 0),
        ("b B2 w pass b D4", 0),
        ("b B2 b pass b D4", 0),
        ("b B2 b D4 w C3 b C2 w D2 w B4", 2),
        ("b B2 b D4 w C3 w C2", 0),  # a position is set up, one colour after the other
        ("b B2 b D4 w C3 w C2 b B4 w D2", 0),
        ("w B2 w D4 b C3", 0),
    ],
)
def test_what_black_plays_before_white_s_first_move_is_a_handicap(
    moves: str, handicap: int
) -> None:
    session, words = go(5), moves.split()
    for letter, vertex in zip(words[::2], words[1::2], strict=True):
        session.play(Player.BLACK if letter == "b" else Player.WHITE, vertex)
    assert cast(gtpcore.GoState, session.position.state).handicap == handicap
    session.position.undo(len(words) // 2 - 1)
    assert cast(gtpcore.GoState, session.position.state).handicap == 0


def test_it_is_a_handicap_whoever_chose_where_black_plays() -> None:
    session = go(5)
    session.play(Player.BLACK, "B2")
    session.genmove(Player.BLACK)
    assert cast(gtpcore.GoState, session.position.state).handicap == 2


def test_stones_set_up_are_no_handicap_whoever_plays_then() -> None:
    session = go(5)
    session.place_handicap([6, 18])
    for vertex in ("B4", "D2"):
        session.play(Player.BLACK, vertex)
    assert cast(gtpcore.GoState, session.position.state).handicap == 2
