"""The tree search: exact counts on small trees, signatures, points of view, proofs."""

import json
import random
from collections import Counter
from math import log, sqrt
from pathlib import Path

import pytest

import gtpcore
from games.base import Player
from games.coin import Coin
from games.connect4 import ConnectFour
from games.go import Go, GoOptions
from games.position import Position
from games.registry import GAMES
from games.tictactoe import TicTacToe
from search.agent import Limits
from search.registry import AGENTS
from search.uct import UctAgent, UctParams
from tests.support.positions import after, random_connect_four

SIGNATURES = Path(__file__).parent.parent / "data" / "search_signatures.json"


def search_of(
    state: object, exploration: float = 0.7, seed: int = 1, expand_visits: int = 1
) -> gtpcore.Search:
    return gtpcore.Search(
        state,
        gtpcore.Evaluator(),
        gtpcore.Ucb1(exploration),
        seed=seed,
        expand_visits=expand_visits,
    )


def visits(search: gtpcore.Search) -> dict[int, int]:
    return {child.action: child.visits for child in search.children()}


# Small trees


class Fan:
    """One player's moves lead each along a single road to a known end, too far off to be proven.

    The second move and all that follow are forced, so every playout of a move has the same value.
    """

    LENGTH = 70

    def __init__(self, black_values: tuple[float, ...], moves: tuple[int, ...] = ()) -> None:
        self.black_values, self.moves = black_values, moves

    @property
    def num_actions(self) -> int:
        return len(self.black_values)

    @property
    def current_player(self) -> int:
        return len(self.moves) % 2

    @property
    def is_terminal(self) -> bool:
        return len(self.moves) == self.LENGTH

    @property
    def black_value(self) -> float:
        return self.black_values[self.moves[0]]

    @property
    def hash(self) -> int:
        return hash(self.moves)

    def clone(self) -> "Fan":
        return Fan(self.black_values, self.moves)

    def legal_actions(self) -> list[int]:
        if self.is_terminal:
            return []
        return list(range(self.num_actions)) if not self.moves else [0]

    def is_legal(self, action: int, /) -> bool:
        return action in self.legal_actions()

    def apply_action(self, action: int, /) -> None:
        self.moves += (action,)


def ucb1_by_hand(means: tuple[float, ...], exploration: float, playouts: int) -> list[int]:
    """The visits that UCB1 gives to arms of these constant means, from the formula alone."""

    counts = [1] * len(means)
    for total in range(len(means), playouts):
        scores = [
            mean + exploration * sqrt(log(total) / count)
            for mean, count in zip(means, counts, strict=True)
        ]
        counts[scores.index(max(scores))] += 1
    return counts


def test_ucb1_visits_two_moves_as_worked_out_by_hand() -> None:
    """A win against a loss, exploration 1. After one visit of each the scores are 1.83 and 0.83.
    The loss is tried again once sqrt(ln n / 1) > 1 + sqrt(ln n / (n - 1)): after n = 9 visits 1.48
    is not above 1.52, after n = 10 visits 1.517 is above 1.506.
    """
    search = search_of(Fan((1.0, -1.0)), exploration=1.0)
    for playouts, expected in ((2, (1, 1)), (3, (2, 1)), (10, (9, 1)), (11, (9, 2))):
        search.run(playouts - sum(visits(search).values()))
        assert tuple(visits(search)[action] for action in (0, 1)) == expected


@pytest.mark.parametrize("exploration", [0.0, 0.3, 1.0, 2.0])
def test_ucb1_keeps_to_its_formula(exploration: float) -> None:
    search = search_of(Fan((0.9, 0.3, -0.21, -1.0)), exploration)
    search.run(65)
    wanted = ucb1_by_hand((0.95, 0.65, 0.395, 0.0), exploration, 65)
    assert [visits(search)[action] for action in range(4)] == wanted


def test_values_of_moves_are_those_of_their_ends() -> None:
    search = search_of(Fan((0.5, -0.25, 1.0)))
    search.run(60)
    assert {c.action: c.value_to_move for c in search.children()} == {0: 0.5, 1: -0.25, 2: 1.0}


def test_children_are_made_at_the_visits_asked_for() -> None:
    sizes = []
    for expand_visits in (1, 5):
        search = search_of(gtpcore.TicTacToeState(), exploration=100.0, expand_visits=expand_visits)
        search.run(9 * expand_visits)
        sizes.append(search.num_nodes)
        search.run(9)
        sizes.append(search.num_nodes)
    root_and_children = 2 + 9
    assert sizes == [root_and_children, root_and_children + 9 * 8] * 2


# Signatures and seeds


@pytest.mark.parametrize("name", json.loads(SIGNATURES.read_text())["visits"])
def test_the_search_has_its_signature(name: str) -> None:
    """A change of a search's choices shows here, and must be one on purpose."""
    agent, game, playouts = name.split()
    assert (
        signature(agent, game, int(playouts)) == json.loads(SIGNATURES.read_text())["visits"][name]
    )


def signature(agent: str, game: str, playouts: int) -> dict[str, int]:
    """The visits of the moves at the root, by their vertices."""
    options = {"size": 9} if game == "go" else {}
    played = GAMES[game](GAMES[game].Options(**options))  # type: ignore[call-arg]
    made = AGENTS[agent](AGENTS[agent].Params(seed=1))
    position = Position(played)
    decision = made.choose(position, Limits(playouts=playouts))
    return {
        played.action_to_string(position.state, c.action): c.visits
        for c in decision.candidates
        if c.visits
    }


@pytest.mark.parametrize("agent", ["uct", "rave"])
def test_the_seed_alone_decides(agent: str) -> None:
    def counts(seed: int) -> list[tuple[int, int]]:
        made = AGENTS[agent](AGENTS[agent].Params(seed=seed))
        decision = made.choose(Position(Go(GoOptions(size=9))), Limits(playouts=500))
        return [(c.action, c.visits) for c in decision.candidates]

    assert counts(1) == counts(1) != counts(2)


@pytest.mark.parametrize("name", GAMES)
def test_every_playout_visits_a_move(name: str) -> None:
    search = search_of(GAMES[name]().new_state())
    done = sum(search.run(playouts).playouts for playouts in (1, 10, 300))
    assert sum(visits(search).values()) == done


# Points of view


def test_values_are_those_of_the_player_to_move() -> None:
    """Who is to move wins at once in the one position, and can only lose in the other."""
    for player in Player:
        lead = () if player is Player.BLACK else (6,)
        winning = after(ConnectFour(), *lead, 3, 0, 3, 0, 3, 1)
        losing = after(ConnectFour(), *lead, 2, 2, 3, 3, 4)
        assert winning.to_move == player != losing.to_move
        for position, sign in ((winning, 1), (losing, -1)):
            search = search_of(position.state)
            search.run(300)
            best = search.children()[0]
            assert sign * best.value_to_move > 0.5


@pytest.mark.parametrize("name", ["uct", "rave"])
def test_swapped_colours_mirror_the_values(name: str) -> None:
    """A board of Go won by one colour, and the same board with the colours swapped."""
    for player in Player:
        state = gtpcore.GoState(7, gtpcore.GoRules(komi=0.0))
        for point in (15, 16, 17, 23, 24, 25, 31, 32, 33):
            state.place(player, point)
        agent = AGENTS[name](AGENTS[name].Params(seed=1))
        for to_move, sign in ((player, 1), (player.opponent, -1)):
            state.resume(to_move)
            position = Position(Go(GoOptions(size=7, komi=0)), state)
            value = agent.choose(position, Limits(playouts=400)).value_to_move
            assert value is not None
            assert sign * value > 0.5


# Proofs


@pytest.mark.parametrize("pile", range(1, 34))
def test_what_is_proven_of_the_coin_game_is_right(pile: int) -> None:
    """Leave a multiple of three. Large piles are beyond random playouts, and not proven."""
    search = search_of(gtpcore.CoinState(pile, min(pile, 2)), seed=pile)
    search.run(30_000)
    surplus = pile % 3
    if search.root_proof or pile <= 24:
        assert search.root_proof == ("win" if surplus else "loss")
        assert not surplus or search.children()[0].action == surplus - 1


def test_a_draw_is_proven() -> None:
    """White must stop Black's row, after which all is forced; any other move loses."""
    position = after(TicTacToe(), 0, 4, 8, 1, 7)
    search = search_of(position.state)
    search.run(2000)
    best = search.children()[0]
    assert (search.root_proof, best.action, best.proof) == ("draw", 6, "draw")
    assert {c.proof for c in search.children() if c.action != 6} == {"loss"}


def test_a_finished_game_has_no_moves_but_a_proof() -> None:
    search = search_of(after(ConnectFour(), 3, 0, 3, 0, 3, 0, 3).state)
    search.run(10)
    assert (search.root_proof, search.children()) == ("loss", [])


def test_no_proof_rests_on_an_end_that_the_players_must_agree_on() -> None:
    """After two passes dead stones are removed: what the board shows decides nothing."""
    for remove_dead, proof in ((False, "win"), (True, "")):
        state = gtpcore.GoState(2, gtpcore.GoRules(komi=-0.5, remove_dead=remove_dead))
        state.apply_action(4)
        search = search_of(state)
        search.run(200)
        # White passes too, and loses by half a point; any stone may yet win.
        passing = next(c for c in search.children() if c.action == 4)
        assert passing.proof == ("loss" if proof else "")


def test_uct_looks_at_no_move_that_loses_at_once() -> None:
    """White has three discs on the ground, with D1 beside them."""
    position = after(ConnectFour(), 5, 0, 6, 1, 5, 2)
    for decisive, looked_at in ((True, {3}), (False, set(range(7)))):
        agent = UctAgent(UctParams(seed=1, decisive=decisive))
        candidates = agent.choose(position, Limits(playouts=100)).candidates
        assert {each.action for each in candidates} == looked_at


@pytest.mark.parametrize("threads", [1, 2])
def test_what_is_proven_by_decisive_moves_alone_is_right(threads: int) -> None:
    """Of positions some fifteen moves before the end, by the solver."""
    rng, solver, proofs = random.Random(1), gtpcore.ConnectFourSolver(), Counter[str]()
    for _ in range(200):
        state = random_connect_four(rng, rng.randrange(24, 36))
        search = gtpcore.Search(
            state,
            gtpcore.DecisivePlayouts(),
            gtpcore.Ucb1(0.7),
            threads=threads,
            transpositions=True,
            seed=1,
        )
        search.run(100_000)
        proofs[search.root_proof] += 1
        outcome = solver.solve(state)
        assert outcome is not None
        assert search.root_proof in ("", {1: "win", 0: "draw", -1: "loss"}[outcome])
    assert min(proofs[proof] for proof in ("win", "draw", "loss")) > 1


def test_an_evaluator_is_kept_from_other_games() -> None:
    with pytest.raises(ValueError, match="does not serve the game of: 21 coins"):
        gtpcore.Search(gtpcore.CoinState(), gtpcore.GoGuide(), gtpcore.Rave(0.0, 3000.0))
    with pytest.raises(ValueError, match="does not serve the game of: 21 coins"):
        gtpcore.GoGuide().mean_value(gtpcore.CoinState(), 1)


def test_uct_shares_positions_but_in_short_games() -> None:
    agent, told = UctAgent(UctParams()), UctAgent(UctParams(transpositions=True))
    assert [agent.shares(game) for game in (Coin(), ConnectFour(), TicTacToe())] == [1, 1, 0]
    assert told.shares(TicTacToe())
