"""The `rave` agent: it sees captures, life and death, and when a game is over."""

import pytest

import gtpcore
from games.base import Player
from games.go import Go, GoOptions
from games.go_status import judge
from games.position import Position
from games.tictactoe import TicTacToe
from gtpbot.gtp.scoring import black_margin
from nets.files import find_weights
from search.agent import Candidate, Decision, Limits
from search.go_passing import with_care
from search.rave import RaveAgent, RaveParams
from search.tree_agent import Effort
from tests.support.drawing import SETTLED, draw, position_of

RULES = ("chinese", "japanese", "tromp-taylor")
each_rules = pytest.mark.parametrize("rules", RULES)


def drawn(
    drawing: str, to_move: Player, rules: str = "chinese", komi: float = 0.5
) -> tuple[Position, dict[str, int]]:
    """The position of a drawing, and its points by their letters."""
    return position_of(drawing, rules, komi, to_move), draw(drawing).names


def chosen(position: Position, playouts: int = 3000, seed: int = 1) -> int | None:
    agent = RaveAgent(RaveParams(seed=seed, resign_below=None))
    return agent.choose(position, Limits(playouts=playouts)).action


CAPTURE = """
    . . . . . . . . .
    . . . . . . . . .
    . . X X X X . . .
    . X O O O O X . .
    . . X O O O X . .
    . . X X X a . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""
"""White's big chain has one liberty left."""


@pytest.mark.parametrize("to_move", Player)
def test_a_big_chain_in_atari_is_captured_or_saved(to_move: Player) -> None:
    position, names = drawn(CAPTURE, to_move)
    assert chosen(position) == names["a"]


VITAL_POINT = """
    . X X X . X X X .
    X X X X X X X X X
    X X X X X X X X X
    X X X X X X X X X
    X X X X X X X X X
    O O O O O X X X X
    . a . O O X X X X
    O O O O O X X X X
    X X X X X X X X X
"""
"""Three points in a row, all that White has: the middle one is two eyes or none."""


@pytest.mark.parametrize("to_move", Player)
def test_the_vital_point_of_three_in_a_row_is_taken(to_move: Player) -> None:
    """The komi makes the group decide the game."""
    position, names = drawn(VITAL_POINT, to_move, komi=65.5)
    assert chosen(position) == names["a"]


def test_only_go_is_played() -> None:
    assert RaveAgent.plays(Go())
    assert not RaveAgent.plays(TicTacToe())


SURE = """
    . X . X O . O . O
    X X X X O O O O O
    X X X X O O O O O
    X X X X X O O O O
    X X . X X O O O O
    X . X X X O O O O
    X X X X X O O O O
    X X X X O O O O O
    X X X X O O O O O
"""


@each_rules
@pytest.mark.parametrize("to_move", Player)
def test_who_is_ahead_passes_when_all_is_settled(rules: str, to_move: Player) -> None:
    position, _ = drawn(SETTLED, to_move, rules, komi=-9.5 if to_move is Player.BLACK else 0)
    assert chosen(position) == 81


@pytest.mark.parametrize("to_move", Player)
def test_own_territory_is_not_filled_where_that_costs_points(to_move: Player) -> None:
    """Who is behind passes too."""
    position, _ = drawn(SETTLED, to_move, "japanese", komi=0 if to_move is Player.BLACK else -30)
    assert chosen(position) == 81


LAST_POINT = """
    . X X a O O . . O
    X O O O O O . O .
    X X X X X O . O X
    X X X X X X O X X
    X . . X X O O O O
    X . . X X O O O .
    X . . X X X O O O
    . X . O X X O . O
    O O O . . X X O .
"""
"""At a White threatens three stones, which Black must save in its own territory."""


@pytest.mark.parametrize("is_after_pass", [False, True])
def test_who_is_behind_by_a_point_of_territory_takes_it(is_after_pass: bool) -> None:
    """Though whose each point will be is settled, also for an agent whose net knows better."""
    to_move = Player.BLACK if is_after_pass else Player.WHITE
    position, names = drawn(LAST_POINT, to_move, "japanese", komi=4.5)
    if is_after_pass:
        position.play(Player.BLACK, 81)
    assert chosen(position) == names["a"]
    knows = Decision(names["a"], 1.0)
    decision = with_care(position, frozenset(), lambda: knows, lambda _: None)
    assert decision.action == names["a"]


@each_rules
@pytest.mark.parametrize("to_move", Player)
def test_who_is_behind_passes_too_when_nothing_can_change(rules: str, to_move: Player) -> None:
    position, _ = drawn(SURE, to_move, rules, komi=20 if to_move is Player.BLACK else -20)
    assert chosen(position) == 81


DEAD = """
    . X . X O . O . O
    X X X X O O O O O
    X X X X O O O O O
    X X X X X O O O O
    X O a X X O O O O
    X X X X X O O O O
    X X X X X O O O O
    X X X X O O O O O
    X X X X O O O O O
"""


@pytest.mark.parametrize("rules", RULES)
def test_dead_stones_are_captured_if_the_rules_leave_them_and_the_game_hangs_on_them(
    rules: str,
) -> None:
    position, names = drawn(DEAD, Player.BLACK, rules, komi=-2)
    assert chosen(position) == (names["a"] if rules == "tromp-taylor" else 81)


SEKI = """
    . X . X O . O . O
    X X X X O O O O O
    X X X X O O O O O
    X X X X O O O O O
    X X X X O O O O O
    X X X X O O O O O
    X X O O X O O O O
    X X O a X O O O O
    X X O b X O O O O
"""
"""Whoever plays at a or b loses there: both sides leave it alone."""


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(("to_move", "komi"), [(Player.BLACK, -20), (Player.WHITE, 6.5)])
def test_seki_is_left_alone_by_who_is_ahead(rules: str, to_move: Player, komi: float) -> None:
    position, names = drawn(SEKI, to_move, rules, komi)
    agent = RaveAgent(RaveParams(seed=1))
    decision = agent.choose(position, Limits(playouts=2000))
    if decision.action in names.values():
        assert decision.value_to_move == 1, "a seki was broken that was needed"
    else:
        assert decision.action == 81


EYES_IN_SEKI = """
    . X . O . X . X O
    X X O O O X X X O
    O O O X O O O O O
    X X X a X X X X X
    . . . X . . . . .
    . . . . . . . . .
    X X X X X X X X X
    O O O O O O O O O
    . . O . O . O . .
"""
"""Black has 12 points more than White, and two eyes in a seki, which are none."""


@pytest.mark.parametrize(("komi", "passes"), [(11.5, True), (13, False), (14.5, False)])
def test_a_pass_that_loses_for_eyes_in_a_seki_gives_way(komi: float, passes: bool) -> None:
    position, names = drawn(EYES_IN_SEKI, Player.BLACK, "japanese", komi)
    moves = tuple(Candidate(action, 1, 0.0, 0.0, (action,)) for action in (81, names["a"]))
    decision = with_care(
        position, frozenset(), lambda: Decision(81, 0.0, candidates=moves), lambda _: None
    )
    assert decision.action == (81 if passes else names["a"])
    assert (black_margin(position.game, position.state) > 0) == passes


@each_rules
def test_games_end_with_a_board_that_can_be_counted(rules: str) -> None:
    """Both play few playouts; no dead stone is in doubt at the end, nor is any game endless."""
    for seed in range(2):
        position = Position(Go(GoOptions(size=7, rules=rules)))
        agents = [RaveAgent(RaveParams(seed=seed, resign_below=None)) for _ in Player]
        while not position.state.is_terminal:
            decision = agents[position.to_move].choose(position, Limits(playouts=100))
            assert decision.action is not None
            position.play(position.to_move, decision.action)
            assert len(position.moves) < 150
        state = position.state
        assert min(map(abs, state.ownership(300, seed=1))) > 0.3  # type: ignore[attr-defined]
        assert judge(state).seki == []  # type: ignore[arg-type]


def test_a_pass_that_ends_the_game_won_is_played() -> None:
    """All stones count as they lie by these rules; much is open."""
    drawing = """
        . . . . .
        . X . X .
        . . X . .
        . O . O .
        . . . . .
    """
    position, _ = drawn(drawing, Player.WHITE, "tromp-taylor", komi=-0.5)
    position.play(Player.WHITE, 25)
    assert chosen(position, playouts=50) == 25


@pytest.mark.parametrize(("exploration", "least"), [(0.2, 1), (100.0, 35)])
def test_who_is_to_explore_looks_at_every_move(exploration: float, least: int) -> None:
    """Of 26; without exploration it is nine of them."""
    rule = gtpcore.Rave(exploration, 3000.0)
    search = gtpcore.Search(gtpcore.GoState(5), gtpcore.GoGuide(), rule, seed=1)
    search.run(1000)
    assert min(child.visits for child in search.children()) >= least


@pytest.mark.parametrize(
    ("drawing", "to_move", "komi", "value"),
    [(SETTLED, Player.BLACK, -9.5, 1.0), (SURE, Player.BLACK, 20, -1.0)],
)
def test_a_pass_without_a_search_is_told_for_what_it_is_worth(
    drawing: str, to_move: Player, komi: float, value: float
) -> None:
    position, _ = drawn(drawing, to_move, komi=komi)
    agent = RaveAgent(RaveParams(seed=1))
    for played in (None, 81):  # by then the second pass wins, as it ends the game
        if played:
            position, _ = drawn(drawing, to_move.opponent, "tromp-taylor", komi)
            position.play(to_move.opponent, played)
        decision = agent.choose(position, Limits(playouts=10))
        report = agent.report_of(position)
        assert (decision.action, decision.value_to_move, decision.playouts) == (81, value, 0)
        assert report is not None and report.value_to_move == value
        assert [(each.action, each.value_to_move) for each in report.candidates] == [(81, value)]
    agent.analyze(position, Limits(playouts=10))
    report = agent.report()
    assert report is not None and report.playouts > 0
    agent.choose(position, Limits(playouts=10))
    agent.clear()
    assert agent.report() is None


def test_what_comes_before_the_search_takes_of_the_time_of_the_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By a clock that only the look at what is settled moves on, and the making of the tree."""
    now, given = [0.0], []

    class Watched(RaveAgent):
        def rule(self) -> gtpcore.Rave:
            now[0] += 1
            return super().rule()

        def explore(
            self, search: gtpcore.Search, playouts: int | None, seconds: float | None
        ) -> Effort:
            given.append(seconds)
            return super().explore(search, 10, None)

    def slowly(_: Position) -> None:
        now[0] += 2

    monkeypatch.setattr("search.rave.time.monotonic", lambda: now[0])
    monkeypatch.setattr("search.go_passing.outlook", slowly)
    agent = Watched(RaveParams(seed=1, seconds=9))
    for limits in (Limits(seconds=5), Limits()):
        agent.choose(Position(Go(GoOptions(size=5))), limits)
    assert given == [2.0, 6.0]


ROLLOUT = {"rollout": find_weights("rollout", "go")}


@pytest.mark.parametrize(
    ("usual", "changed"),
    [
        ({}, {"exploration": 0.5}),
        ({}, {"equivalence": 30}),
        ({}, {"atari_rate": 0}),
        ({}, {"pattern_rate": 0}),
        ({}, {"prior_weight": 0}),
        ({}, {"expand_visits": 1}),
        (ROLLOUT, {"prior_weight": 0}),
        (ROLLOUT, {"temperature": 100}),
        (ROLLOUT, {"rollout": None}),
    ],
    ids=lambda params: "-".join(params),
)
def test_each_parameter_of_the_search_counts(
    usual: dict[str, object], changed: dict[str, object]
) -> None:
    def visits(params: dict[str, object]) -> dict[int, int]:
        agent = RaveAgent(RaveParams.model_validate({"seed": 1, **params}))
        decision = agent.choose(Position(Go(GoOptions(size=5))), Limits(playouts=400))
        return {each.action: each.visits for each in decision.candidates}

    assert visits(usual) == visits(usual) != visits({**usual, **changed})
