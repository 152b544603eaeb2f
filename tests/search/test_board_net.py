"""What nets of Go say of the board: whose points are, who leads, when to give up."""

from collections.abc import Callable

import pytest

from games.base import Player
from games.connect4 import ConnectFour
from games.go import Go, GoOptions
from games.go_rules import CHINESE, TROMP_TAYLOR, Rules
from games.position import Position
from search.agent import Agent, Candidate, Decision, Limits, Report
from search.alphago import AlphaGoAgent, AlphaGoParams
from search.alphazero import AlphaZeroAgent, AlphaZeroParams
from search.board_net import BoardOpinion, BoardView
from search.policy import PolicyAgent, PolicyParams
from tests.support.board_net import FakeBoardNet
from tests.support.drawing import draw
from tests.support.fakes import FakeNet

SIZE = 5
GO = Go(GoOptions(size=SIZE))
OWNERS = [(point - 12) / 12 for point in range(SIZE * SIZE)]
OPINION = BoardOpinion(3.5, OWNERS)


def agents(net: FakeBoardNet) -> list[Agent]:
    nets = {"net": net, "value_net": net}
    return [
        PolicyAgent(PolicyParams(), nets),
        AlphaZeroAgent(AlphaZeroParams(seed=1), nets),
        AlphaGoAgent(AlphaGoParams(seed=1, policy_rollout=False), nets),
    ]


def test_ownership_and_score_are_the_nets() -> None:
    for agent in agents(FakeBoardNet(GO, OPINION)):
        position = Position(GO)
        assert agent.ownership(position) == agent.judged_ownership(position) == OWNERS
        assert agent.judged_score(position) == 3.5


def test_without_such_a_net_playouts_tell() -> None:
    plain = FakeNet(GO).native()
    for agent in (
        PolicyAgent(PolicyParams(), {"net": plain}),
        AlphaZeroAgent(AlphaZeroParams(seed=1), {"net": plain}),
    ):
        position = Position(GO)
        assert agent.judged_ownership(position) is None
        assert agent.judged_score(position) is None
        owners = agent.ownership(position)
        assert owners is not None and len(owners) == SIZE * SIZE


@pytest.mark.parametrize("ask", [PolicyAgent.choose, PolicyAgent.analyze])
def test_a_policy_tells_the_score_of_the_position(
    ask: Callable[[PolicyAgent, Position, Limits], object],
) -> None:
    agent = PolicyAgent(PolicyParams(), {"net": FakeBoardNet(GO, OPINION)})
    ask(agent, Position(GO), Limits())
    report = agent.report()
    assert report is not None and report.score_to_move == 3.5


def test_a_report_has_the_scores_of_the_root_and_of_moves_that_were_tried() -> None:
    net = FakeBoardNet(GO, OPINION)
    agent = AlphaZeroAgent(AlphaZeroParams(seed=1), {"net": net})
    agent.choose(Position(GO), Limits(playouts=8))
    report = agent.report()
    assert report is not None and report.score_to_move == 1.25  # 3.5 before the move, -1 after it
    for candidate in report.candidates:
        score = 2.25 if candidate.action == SIZE * SIZE else 1.25
        assert candidate.score_to_move == (score if candidate.visits else None)


PASSING, CENTRE, BESIDE = 25, 12, 7


@pytest.mark.parametrize(
    ("tried", "scores", "lead"),
    [
        ([CENTRE, PASSING], [1.25, 2.25], 1.25),
        ([PASSING, CENTRE], [1.75, 0.75], 1.75),
        ([PASSING], [2.25], 2.25),  # the net's own move is not looked at
        ([], [], 3.5),
    ],
)
def test_the_lead_does_not_swing_with_each_move(
    tried: list[int], scores: list[float], lead: float
) -> None:
    """Half of what the net takes back after the best move is no one's: 3.5 before any, then -1."""
    policy = [0.0] * 26
    policy[CENTRE] = 1.0
    view = BoardView(FakeBoardNet(GO, OPINION, policy), GO.new_state())
    moves = [Candidate(action, 1, 0.0, 0.5, (action,)) for action in tried]
    untried = Candidate(BESIDE, 0, 0.0, 0.0, (BESIDE,))
    report = view.scored(Report(Player.BLACK, (*moves, untried)))
    assert [each.score_to_move for each in report.candidates] == [*scores, None]
    assert report.score_to_move == lead


@pytest.mark.parametrize(("rules", "komi"), [(TROMP_TAYLOR, 7.0), (CHINESE, -3.5)])
def test_a_pass_that_ends_the_game_has_the_score_that_the_board_comes_to(
    rules: Rules, komi: float
) -> None:
    game = Go(GoOptions(size=SIZE, rules=rules.model_copy(update={"komi": komi})))
    state, passing = game.new_state(), SIZE * SIZE
    state.apply_action(passing)
    moves = tuple(Candidate(action, 1, 0.0, 0.5, (action,)) for action in (passing, 12))
    report = BoardView(FakeBoardNet(game, OPINION), state).scored(Report(Player.WHITE, moves))
    scores = [each.score_to_move for each in report.candidates]
    # Of an empty board for White; a stone is worth -1 and half of what that is less than 3.5.
    assert scores == [komi, 1.25]
    assert report.score_to_move == komi


def test_the_net_judges_the_board_that_a_pass_ends() -> None:
    """It takes a wall for lost that playouts never lose."""
    game = Go(GoOptions(size=SIZE, rules="chinese", komi=0.5))
    position = Position(game)
    for point in (12, 7, 17, 2, 22):
        position.play(Player.BLACK, point)
        position.play(Player.WHITE, PASSING)
    net = FakeBoardNet(game, BoardOpinion(3.5, [-1.0] * 25))
    ending = Report(Player.BLACK, (Candidate(PASSING, 1, 0.0, 0.5, (PASSING,)),))
    assert BoardView(net, position.state).scored(ending).score_to_move == -0.5


def test_a_net_is_asked_once_for_each_position() -> None:
    net = FakeBoardNet(GO, OPINION)
    agent = AlphaZeroAgent(AlphaZeroParams(seed=1), {"net": net})
    position = Position(GO)
    agent.choose(position, Limits(playouts=20))
    first = agent.report()
    scored = net.scored
    assert agent.report() == first
    agent.ownership(position)
    assert (net.asked, net.scored) == (1, scored)
    position.play(Player.BLACK, 12)
    agent.analyze(position, Limits(playouts=20))
    assert agent.report() is not None
    assert net.asked == 2


def test_a_look_elsewhere_changes_nothing_that_is_told_of_the_game() -> None:
    net = FakeBoardNet(GO, OPINION)
    agent = AlphaZeroAgent(AlphaZeroParams(seed=1), {"net": net})
    position = Position(GO)
    agent.choose(position, Limits(playouts=20))
    first = agent.report()
    elsewhere = position.copy()
    elsewhere.play(Player.BLACK, 12)
    assert agent.ownership(elsewhere) == OWNERS
    assert agent.report() == first


def test_other_games_have_no_board_to_judge() -> None:
    game = ConnectFour()
    view = BoardView(FakeNet(game).native(), game.new_state())
    assert view.opinion == BoardOpinion()
    agent = AlphaZeroAgent(AlphaZeroParams(seed=1), {"net": FakeNet(game).native()})
    assert agent.ownership(Position(game)) is None
    agent.choose(Position(game), Limits(playouts=8))
    report = agent.report()
    assert report is not None and report.score_to_move is None


# Passing


def answer_to_a_pass(opinion: BoardOpinion) -> Decision:
    """What Black, who has a line across the board, does where White has only passed."""
    position = Position(GO)
    for point in (12, 7, 17, 2):
        position.play(Player.BLACK, point)
        position.play(Player.WHITE, 25)
    agent = AlphaZeroAgent(AlphaZeroParams(seed=1), {"net": FakeBoardNet(GO, opinion)})
    return agent.choose(position, Limits(playouts=30))


def test_a_pass_is_answered_at_once_unless_the_net_doubts_that_all_is_settled() -> None:
    sure, doubtful = (answer_to_a_pass(BoardOpinion(9.0, [owner] * 25)) for owner in (1.0, -0.9))
    assert (sure.action, sure.playouts) == (25, 0)
    assert doubtful.playouts > 0


LOOSE = """
    . O O X .
    O . O X X
    O O O X .
    . x O X X
    x . O X .
"""
"""Black is half a point ahead as the board stands, and loses once the dead stones are off it."""
IN_ATARI = LOOSE.replace(". x O X X", "x x O X X")
"""The same, and Black has no other move than a pass."""
E3 = 14


def black_after_a_pass(drawing: str) -> tuple[AlphaZeroAgent, Position]:
    """Of the net's owners that of one point is in doubt, lest Black pass at once."""
    rules = CHINESE.model_copy(update={"komi": 0.5})
    start = draw(drawing, rules, Player.WHITE).state
    game = Go(GoOptions(size=SIZE, rules=rules))
    position = Position(game, start)
    position.play(Player.WHITE, 25)
    owners = [-1.0 if point == E3 else 0.0 for point in range(25)]
    net = FakeBoardNet(game, BoardOpinion(-5.0, owners), value=-0.5)
    return AlphaZeroAgent(AlphaZeroParams(seed=1), {"net": net}), position


def test_a_pass_that_wins_by_dead_stones_alone_is_not_looked_at() -> None:
    agent, position = black_after_a_pass(LOOSE)
    agent.analyze(position, Limits(playouts=60))
    report = agent.report()
    assert report is not None and report.value_to_move is not None
    assert {candidate.action for candidate in report.candidates} == {1, 5}
    assert report.value_to_move < 1
    decision = agent.choose(position, Limits(playouts=60))
    assert decision.action in (1, 5)
    assert sum(candidate.visits for candidate in decision.candidates) >= 59


def test_such_a_pass_is_looked_at_where_a_client_wants_nothing_else() -> None:
    agent, position = black_after_a_pass(LOOSE)
    limits = Limits(playouts=20).banning(Player.BLACK, range(25))
    agent.analyze(position, limits)
    report = agent.report()
    assert report is not None
    assert {candidate.action for candidate in report.candidates} == {25}
    decision = agent.choose(position, limits)
    assert {candidate.action for candidate in decision.candidates} == {25}


def test_such_a_pass_is_played_where_there_is_nothing_else() -> None:
    agent, position = black_after_a_pass(IN_ATARI)
    assert agent.choose(position, Limits(playouts=60)).action == 25


# Giving up

KOMI = 13
"""The plane that tells what is given to the player to move."""


def loser() -> FakeBoardNet:
    """Holds a game lost for whom the komi is against."""
    return FakeBoardNet(GO, OPINION, value=lambda planes: 0.99 if planes[0, 0, KOMI] > 0 else -0.99)


def hopeless(resign_below: float | None = -0.95) -> AlphaZeroAgent:
    params = AlphaZeroParams(seed=1, resign_below=resign_below, batch_size=1)
    return AlphaZeroAgent(params, {"net": loser()})


def board(handicap: int = 0) -> Position:
    start = GO.new_state()
    start.handicap = handicap
    return Position(GO, start)


def go_on(position: Position, moves: int) -> None:
    """Play points in the middle of those that are left."""
    for _ in range(moves):
        empty = position.state.legal_actions()
        position.play(position.to_move, empty[len(empty) // 2])


def resigned(agent: AlphaZeroAgent, position: Position, turns: int) -> list[bool]:
    """Whether it gave up at each of its next turns."""
    told = []
    for _ in range(turns):
        told.append(agent.choose(position, Limits(playouts=50)).action is None)
        go_on(position, 2)
    return told


@pytest.mark.parametrize(("handicap", "moves"), [(0, 6), (4, 10)])
def test_a_lost_game_is_given_up_after_a_while(handicap: int, moves: int) -> None:
    told = resigned(hopeless(), board(handicap), 7)
    assert told == [2 * turn >= moves for turn in range(7)] == sorted(told)


def test_one_bad_moment_is_not_enough() -> None:
    position = board()
    go_on(position, 10)
    assert resigned(hopeless(), position, 3) == [False, False, True]


def test_how_lost_one_game_was_does_not_end_the_next() -> None:
    agent, position = hopeless(), board()
    go_on(position, 10)
    assert resigned(agent, position, 3)[-1]
    agent.clear()
    position = board()
    go_on(position, 10)
    assert resigned(agent, position, 3) == [False, False, True]


def test_a_game_is_not_given_up_unless_it_is_asked_for() -> None:
    assert not any(resigned(hopeless(None), board(), 6))


def test_several_lost_games_at_a_time_are_given_up_each_after_a_while() -> None:
    """As a client of a server asks: for every move it sets the board up again."""
    agent, positions = hopeless(), [board(), board()]
    for point in (0, 1):
        positions[1].play(positions[1].to_move, point)
    for position in positions:
        go_on(position, 10)
    told = [[resigned(agent, position, 1)[0] for position in positions] for _ in range(3)]
    assert told == [[False, False], [False, False], [True, True]]


def test_who_takes_over_knows_how_lost_a_game_is() -> None:
    """As where games on boards of two sizes are played by turns, each by an agent of its own."""
    agent, position = hopeless(), board()
    go_on(position, 10)
    assert resigned(agent, position, 2) == [False, False]
    other = hopeless()
    other.take_over(agent)
    assert resigned(other, position, 1) == [True]


def test_to_ask_again_about_one_position_gives_up_no_sooner() -> None:
    agent, position = hopeless(), board()
    go_on(position, 10)
    for _ in range(4):
        assert agent.choose(position, Limits(playouts=50)).action is not None
    go_on(position, 2)
    assert resigned(agent, position, 2) == [False, True]
