"""Series of games: who moves first, who won, and that a game is the same wherever it is played."""

from dataclasses import replace
from itertools import count

import pytest

from games.base import Player
from gtpbot.measure.series import Match, Played, check, derived, play, play_here
from gtpbot.options import AgentChoice
from search.agent import Agent, AgentParams
from tests.support.agents import CallbackAgent

RANDOM = AgentChoice("random")
ALPHABETA = AgentChoice("alphabeta")
UCT = AgentChoice("uct", {"playouts": "20"})


def moves(games: list[Played]) -> list[tuple[int, tuple[int, ...], int]]:
    return [(game.game, game.moves, game.result) for game in sorted(games, key=lambda g: g.game)]


def test_in_turns_the_opponent_begins() -> None:
    games = list(play(Match("m", "coin", UCT, RANDOM), 1, range(4)))
    assert [game.ours for game in games] == [1, 0, 1, 0]
    for first, player in (("ours", Player.BLACK), ("theirs", Player.WHITE)):
        match = Match("m", "coin", UCT, RANDOM, "ours" if first == "ours" else "theirs")
        assert [game.ours for game in play(match, 1, range(2))] == [player, player]


def test_results_are_ours_with_either_colour() -> None:
    match = Match("m", "coin", ALPHABETA, RANDOM, "ours", {"pile": "20"})
    assert [game.result for game in play(match, 1, range(3))] == [1, 1, 1]
    turned = replace(match, ours=RANDOM, theirs=ALPHABETA, first="theirs")
    assert [game.result for game in play(turned, 1, range(3))] == [-1, -1, -1]
    drawn = Match("m", "tictactoe", ALPHABETA, ALPHABETA)
    assert [game.result for game in play(drawn, 1, range(2))] == [0, 0]


def test_our_moves_are_those_of_our_colour() -> None:
    for game in play(Match("m", "tictactoe", UCT, RANDOM), 1, range(2)):
        assert list(game.our_moves) == [a for i, a in enumerate(game.moves) if i % 2 == game.ours]


def test_the_time_is_that_of_our_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that each look at it moves on by a second."""
    monkeypatch.setattr("gtpbot.measure.series.time.perf_counter", count().__next__)
    for game in play(Match("m", "tictactoe", RANDOM, RANDOM), 1, range(2)):
        assert game.seconds == len(game.our_moves)


@pytest.mark.slow
def test_a_game_is_the_same_alone_and_in_any_process() -> None:
    match = Match("m", "connect4", UCT, UCT)
    whole = moves(list(play(match, 1, range(7))))
    assert moves(list(play(match, 1, [5]))) == whole[5:6]
    assert moves(list(play(match, 1, range(7), processes=2))) == whole
    assert len({game[1] for game in whole}) == 7
    assert moves(list(play(match, 2, range(7)))) != whole


def test_both_sides_vary_from_game_to_game() -> None:
    games = [*play(Match("m", "connect4", RANDOM, RANDOM), 1, range(20))]
    for ours in Player:
        assert len({game.moves[0] for game in games if game.ours == ours}) > 2


def test_who_resigns_has_lost() -> None:
    def make(choice: AgentChoice, *_: object) -> Agent:
        return Resigning() if choice.name == "uct" else RandomLike()

    match = Match("m", "tictactoe", UCT, RANDOM, "ours")
    (game,) = play_here(match, 1, [0], make)
    assert (game.result, game.moves) == (-1, ())
    (game,) = play_here(replace(match, ours=RANDOM, theirs=UCT), 1, [0], make)
    assert (game.result, game.moves) == (1, (0,))
    check(replace(match, ours=RANDOM, theirs=UCT), game)
    with pytest.raises(ValueError, match="result 0: expected 1, by the moves"):
        check(match, replace(game, result=0))


class Resigning(CallbackAgent):
    def __init__(self, *_: object) -> None:
        super().__init__(lambda *_: None)


class RandomLike(CallbackAgent):
    def __init__(self, *_: object) -> None:
        super().__init__(lambda position, *_: position.state.legal_actions()[0])


def test_every_agent_has_a_seed_of_its_own_in_every_game() -> None:
    seeds: list[int | None] = []

    class Seeded(RandomLike):
        def __init__(self, params: AgentParams, _: object = None) -> None:
            super().__init__()
            seeds.append(params.seed)

    for name in "ab":
        match = Match(name, "coin", RANDOM, RANDOM)
        list(play_here(match, 1, range(2), lambda *_: Seeded(AgentParams())))
    given = [seed for seed in seeds if seed is not None]
    assert len(given) == len(set(given)) == 8


def test_seeds_differ_by_everything() -> None:
    seeds = {derived(seed, name, n) for seed in (1, 2) for name in "ab" for n in range(10)}
    assert len(seeds) == 40
    assert derived(1, "a", 0) == derived(1, "a", 0)
