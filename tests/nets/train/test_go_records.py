"""Games of Go: judged, kept in shards, and drawn as batches in which all is for who is to move."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games import go_status
from games.base import Player
from games.go_rules import CHINESE, TROMP_TAYLOR
from gtpcore import GoRules, GoState, go_planes
from nets.symmetry import go_symmetries
from nets.train.arrays import read_arrays, write_arrays
from nets.train.errors import RecordsError
from nets.train.go_games import (
    UNKNOWN,
    BrokenGameError,
    GoGame,
    Result,
    game_key,
    judge,
    replayed,
)
from nets.train.go_records import GoBatch, GoGames, ShardWriter, count_positions, shards_by_size
from tests.support.go_games import packed, random_game


def played(size: int, text: str, komi: float = 0.5) -> GoGame:
    """A game of points `row * size + column`, `p` for a pass."""
    moves = [size * size if word == "p" else int(word) for word in text.split()]
    unknown = np.full(len(moves), np.nan, np.float16)
    return replace(
        random_game(size, 1, 1),
        moves=np.array(moves, np.uint16),
        komi=komi,
        top_moves=np.zeros((len(moves), 0), np.uint16),
        top_probs=np.zeros((len(moves), 0), np.uint8),
        black_value=unknown,
        black_score=unknown,
    )


WALL = "2 3 7 8 12 13 17 18 22 23 p p"
"""On 5x5: Black's stones fill the third column, White's the fourth."""
OWNERS = [1, 1, 1, -1, -1]
"""Of each row."""


def test_a_finished_game_is_counted_by_area() -> None:
    outcome = judge(played(5, WALL))
    assert outcome.result == Result(1, 15 - 10 - 0.5)
    assert outcome.owner.tolist() == OWNERS * 5


def test_points_that_both_border_on_are_nobodys() -> None:
    state = GoState(3, TROMP_TAYLOR.with_komi(0.5))
    assert state.owners() == [0] * 9
    state.apply_action(0)
    assert state.owners() == [1] * 9
    state.apply_action(8)
    assert state.owners() == [1, *[0] * 7, -1]


@pytest.mark.parametrize("seed", range(5))
def test_owners_agree_with_the_count(seed: int) -> None:
    game = random_game(7, 90, seed)
    last, outcome = replayed(game), judge(game)
    assert sum(last.owners()) - game.komi == outcome.result.black_lead
    assert outcome.owner.sum() - game.komi == last.black_score(go_status.judge(last).dead)


def test_dead_stones_own_nothing_though_they_count() -> None:
    """A white stone on Black's side that nobody bothered to capture."""
    game = played(5, WALL.replace("p p", "5 p 11 10 p p"))
    outcome = judge(game)
    assert replayed(game).stone_at(10) == Player.WHITE
    assert outcome.owner.tolist() == OWNERS * 5
    assert outcome.result.black_lead < 4.5


def test_a_game_given_up_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes most of the time of an import, for an answer that is known."""
    monkeypatch.delattr(go_status, "judge")
    outcome = judge(replace(played(5, WALL), result=Result(-1, np.nan)))
    assert (outcome.owner == UNKNOWN).all()


def test_owners_of_a_game_given_up_or_with_dead_stones_are_unknown() -> None:
    for result in (Result(-1, np.nan), Result(1, 8.5)):
        outcome = judge(replace(played(5, WALL), result=result))
        assert outcome.result is result
        assert (outcome.owner == UNKNOWN).all()
    agreed = judge(replace(played(5, WALL), result=Result(1, 4.5)))
    assert agreed.owner.tolist() == OWNERS * 5


@pytest.mark.parametrize(
    ("game", "reason", "told"),
    [
        (played(3, "4 4"), "illegal move", "move 2"),
        (played(3, "4 10"), "illegal move", "move 2"),
        (played(3, "4 p p 0"), "moves after the end", "move 4"),
        (played(3, ""), "no moves", "made-up game"),
        (replace(played(3, "4"), size=26), "odd size or komi", "size 26"),
        (played(3, "4", komi=0.25), "odd size or komi", "multiple of one half"),
        (replace(played(3, "4"), result=Result(1, np.inf)), "no result", "infinite"),
    ],
)
def test_a_broken_game_is_told_with_its_reason(game: GoGame, reason: str, told: str) -> None:
    with pytest.raises(BrokenGameError, match=told) as found:
        judge(game)
    assert found.value.reason == reason


@pytest.mark.parametrize(
    "labels",
    [
        {"top_moves": np.full((4, 12), 26, np.uint16)},
        {"top_probs": np.zeros((4, 12), np.uint8)},
        {"top_probs": np.ones((4, 11), np.uint8)},
        {"top_moves": np.zeros((4, 13), np.uint16), "top_probs": np.ones((4, 13), np.uint8)},
        {"black_value": np.full(4, 1.5, np.float16)},
        {"black_value": np.zeros((4, 1), np.float16)},
        {"black_score": np.zeros(3, np.float16)},
        {"black_score": np.full(4, np.inf, np.float16)},
    ],
)
def test_wrong_labels_are_told(labels: dict[str, Any]) -> None:
    with pytest.raises(BrokenGameError) as found:
        judge(replace(random_game(5, 4, 1), **labels))
    assert found.value.reason == "wrong labels"


def test_a_shard_holds_what_was_put_in(tmp_path: Path) -> None:
    games = packed([random_game(5, 20, seed) for seed in range(4)])
    games.save(tmp_path / "05-00000.npz")
    loaded = GoGames.load(tmp_path / "05-00000.npz")
    assert loaded.size == 5
    assert loaded.rules.to_kata_json() == TROMP_TAYLOR.to_kata_json()
    for name, array in vars(games).items():
        if isinstance(array, np.ndarray):
            assert np.array_equal(getattr(loaded, name), array), name
    assert count_positions([tmp_path / "05-00000.npz"]) == [len(games)] == [80]


def test_shards_are_of_one_kind_and_about_as_long_as_asked(tmp_path: Path) -> None:
    writer = ShardWriter(tmp_path, 50)
    kinds = [random_game(5, 20, seed) for seed in range(7)]
    kinds.insert(2, random_game(4, 10, 1))
    kinds.insert(5, replace(random_game(5, 20, 9), rules=CHINESE))
    kinds.insert(6, random_game(5, 20, 10, labels=0))
    for game in kinds:
        writer.add(game, judge(game))
    writer.close()
    shards = shards_by_size(tmp_path)
    assert {size: len(paths) for size, paths in shards.items()} == {4: 1, 5: 5}
    assert sorted(count_positions(shards[5])) == [20, 20, 20, 60, 60]


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("start", np.array([0, 8, 8, 24])),
        ("start", np.array([0, 8, 16, 23])),
        ("moves", np.full(24, 26, np.uint16)),
        ("moves", np.zeros(24)),
        ("winner", np.full(3, 2, np.int8)),
        ("komi", np.full(3, np.nan, np.float32)),
        ("owner", np.zeros((3, 24), np.int8)),
        ("owner", np.full((3, 25), 7, np.int8)),
        ("size", np.array(1, np.uint8)),
        ("rules", np.array("whist")),
        ("value", np.zeros(24)),
        ("komi", np.zeros((3, 1), np.float32)),
        ("komi", np.zeros((), np.float32)),
        ("moves", np.zeros((24, 1), np.uint16)),
        ("top_moves", np.zeros((), np.uint16)),
        ("size", np.array(np.inf)),
    ],
)
def test_a_damaged_shard_is_named(name: str, array: Any, tmp_path: Path) -> None:
    path = tmp_path / "05-00000.npz"
    packed([random_game(5, 8, seed) for seed in range(3)]).save(path)
    write_arrays(path, {**read_arrays(path), name: array})
    with pytest.raises(RecordsError, match=r"05-00000\.npz: expected a shard of games of Go"):
        GoGames.load(path)


def test_a_shard_cut_short_is_named(tmp_path: Path) -> None:
    path = tmp_path / "05-00000.npz"
    packed([random_game(5, 8, 1)]).save(path)
    path.write_bytes(path.read_bytes()[:-50])
    for read in (GoGames.load, lambda path: count_positions([path])):
        with pytest.raises(RecordsError, match=r"05-00000\.npz: expected a shard .* --again"):
            read(path)


def test_a_shard_whose_moves_are_broken_is_told_when_it_is_drawn_from() -> None:
    games = packed([random_game(5, 8, 1)])
    games.moves[:] = 0
    with pytest.raises(RecordsError, match="game 0 of a shard"):
        games.batch(np.array([7]))


def test_a_batch_is_seen_by_who_is_to_move() -> None:
    games = packed([random_game(5, 9, seed) for seed in (1, 2)])
    batch = games.batch(np.arange(18))
    for index in range(18):
        game, ply = divmod(index, 9)
        sign = 1 if ply % 2 == 0 else -1
        assert np.array_equal(batch.planes[index], games.state(game, ply).planes())
        assert batch.value[index] == sign * games.black_value[index]
        assert batch.score[index] == sign * games.black_score[index]
        assert np.array_equal(batch.ownership[index].ravel(), sign * games.owner[game])
        assert batch.policy[index].argmax() == games.top_moves[index, 0]
    assert np.allclose(batch.policy.sum(axis=1), 1)
    assert batch.has_score.all()
    assert batch.has_ownership.all()


def test_without_labels_the_move_played_and_the_result_are_learned() -> None:
    given_up = replace(played(5, "4 1"), result=Result(-1, np.nan))
    batch = packed([played(5, WALL), given_up]).batch(np.array([0, 1, 12, 13]))
    assert batch.policy.argmax(axis=1).tolist() == [2, 3, 4, 1]
    assert batch.value.tolist() == [1, -1, -1, 1]
    assert batch.score.tolist() == [4.5, -4.5, 0, 0]
    assert batch.has_score.tolist() == batch.has_ownership.tolist() == [1, 1, 0, 0]
    assert batch.ownership[0].tolist() == [OWNERS] * 5
    assert not batch.ownership[2:].any()


def image(game: GoGame, number: int) -> GoGame:
    """A game as it looks in one of the eight symmetries."""
    moved = np.argsort(go_symmetries(game.size)[number].actions).astype(np.uint16)
    return replace(game, moves=moved[game.moves], top_moves=moved[game.top_moves])


@pytest.mark.parametrize("number", range(8))
def test_symmetries_agree_between_planes_policy_and_ownership(number: int) -> None:
    game = random_game(5, 30, 3)
    there = packed([game]).batch(np.arange(30), np.full(30, number, np.uint8))
    moved = packed([image(game, number)]).batch(np.arange(30))
    for name in GoBatch.__dataclass_fields__:
        assert np.array_equal(getattr(there, name), getattr(moved, name)), name


def test_planes_of_many_are_those_of_each_position_in_its_own_image() -> None:
    games = packed([random_game(7, 40, seed) for seed in range(3)])
    index = np.random.default_rng(4).permutation(len(games))
    images = (index % 8).astype(np.uint8)
    seen = games.batch(index, images).planes
    for place, number, planes in zip(index, images, seen, strict=True):
        game = int(np.searchsorted(games.start, place, side="right")) - 1
        straight = games.state(game, int(place - games.start[game])).planes()
        assert np.array_equal(go_symmetries(7)[number].planes(straight[None])[0], planes)


@pytest.mark.parametrize(
    "change",
    [
        {"plies": [41]},
        {"first": [-1]},
        {"plies": [-1]},
        {"turned": [0, 0]},
        {"turned": [8]},
        {"rules": []},
    ],
)
def test_planes_of_no_position_are_refused(change: dict[str, Any]) -> None:
    places: dict[str, Any] = {"rules": [GoRules()], "first": [0], "plies": [40], "turned": [0]}
    kinds = {"first": np.int64, "plies": np.int64, "turned": np.uint8}
    moves = random_game(5, 40, 1).moves
    given: dict[str, Any] = {
        name: np.array(each, kinds[name]) if name in kinds else each
        for name, each in {**places, **change}.items()
    }
    with pytest.raises(
        ValueError, match=r"as many of each|position 0: (its moves are not there|symmetry 8)"
    ):
        go_planes(5, moves=moves, **given)


def test_images_of_a_game_have_one_key_and_other_games_have_others() -> None:
    games = [random_game(5, 30, seed) for seed in range(20)]
    assert len({game_key(5, game.moves) for game in games}) == 20
    assert len({game_key(5, image(games[0], number).moves) for number in range(8)}) == 1
