"""Positions of Go as they are drawn: each once an epoch, few in memory, always the same."""

from collections.abc import Sequence
from pathlib import Path
from weakref import ReferenceType, ref

import numpy as np
import pytest

from nets.train.errors import RecordsError
from nets.train.go_games import judge
from nets.train.go_records import GoBatch, GoGames, ShardWriter, shards_by_size
from nets.train.go_stream import CYCLE, Stream, Turns, read_shares, shares_of
from tests.support.go_games import random_game


@pytest.fixture
def shards(tmp_path: Path) -> list[Path]:
    """Five shards of sixteen positions."""
    writer = ShardWriter(tmp_path, 16)
    for seed in range(10):
        game = random_game(5, 8, seed)
        writer.add(game, judge(game))
    writer.close()
    return shards_by_size(tmp_path)[5]


def stream(shards: list[Path], seed: int = 1) -> Stream:
    return Stream(shards, batch=8, window=2, seed=seed)


def seen(batch: GoBatch) -> list[float]:
    """The scores, by which the positions are told apart."""
    scores: list[float] = np.abs(batch.score).tolist()
    return scores


def test_each_position_comes_once_an_epoch_in_a_new_order(shards: list[Path]) -> None:
    drawn = stream(shards)
    assert drawn.epoch == 10
    epochs = [[seen(drawn.draw(n)) for n in range(first, first + 10)] for first in (0, 10)]
    known = sorted(np.abs(np.concatenate([GoGames.load(path).black_score for path in shards])))
    for epoch in epochs:
        assert np.allclose(sorted(np.concatenate(epoch)), known)
    assert epochs[0] != epochs[1]


def test_a_window_has_a_new_order_each_epoch(shards: list[Path]) -> None:
    alone = Stream(shards, batch=8, window=5, seed=1)
    one, other = (seen(alone.draw(number)) for number in (0, alone.epoch))
    assert sorted(one) != sorted(other)


def test_a_batch_depends_on_its_number_and_the_seed_alone(shards: list[Path]) -> None:
    straight = [seen(stream(shards).draw(number)) for number in range(25)]
    one = stream(shards)
    for number in (7, 24, 3, 3, 11, 0):
        assert seen(one.draw(number)) == straight[number]
    assert seen(stream(shards, seed=2).draw(0)) != straight[0]


def test_labels_reach_back_as_far_as_asked(shards: list[Path]) -> None:
    plain, reaching = Stream(shards, 8, 2, seed=1), Stream(shards, 8, 2, seed=1, trace=0.8)
    one, other = plain.draw(3), reaching.draw(3)
    assert (one.planes == other.planes).all()
    assert (one.policy == other.policy).all()
    assert (one.value != other.value).any()


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The shards read so far; none is read while the games of another window are in memory."""
    read: list[Path] = []
    windows: list[ReferenceType[GoGames]] = []
    load, join = GoGames.load, GoGames.join

    def loaded(path: Path) -> GoGames:
        assert not any(window() for window in windows)
        read.append(path)
        return load(path)

    def joined(parts: Sequence[GoGames]) -> list[GoGames]:
        games = join(parts)
        windows.extend(map(ref, games))
        return games

    monkeypatch.setattr(GoGames, "load", loaded)
    monkeypatch.setattr(GoGames, "join", joined)
    return read


def test_no_more_than_a_window_is_in_memory(shards: list[Path], loads: list[Path]) -> None:
    drawn = stream(shards)
    for number in range(drawn.epoch):
        drawn.draw(number)
    assert sorted(loads) == shards
    drawn.draw(0)
    assert len(loads) <= len(shards) + 2


def test_what_is_in_memory_is_not_read_again(shards: list[Path], loads: list[Path]) -> None:
    drawn = Stream(shards, batch=8, window=len(shards), seed=1)
    for number in range(2 * drawn.epoch):
        drawn.draw(number)
    assert sorted(loads) == shards


def test_a_window_smaller_than_a_batch_gives_what_it_has(shards: list[Path]) -> None:
    few = Stream(shards[:1], batch=100, window=2, seed=1)
    assert few.epoch == 1
    assert len(few.draw(0).value) == len(few.draw(1).value) == 16


def test_sizes_have_their_shares_in_every_cycle_and_no_batch_is_left_out() -> None:
    turns = Turns({9: 3, 13: 1, 19: 6}, seed=1)
    drawn = [turns.turn(number) for number in range(3 * CYCLE)]
    for cycle in range(3):
        sizes = [size for size, _ in drawn[cycle * CYCLE : (cycle + 1) * CYCLE]]
        assert [sizes.count(size) for size in (9, 13, 19)] == [30, 10, 60]
    for size in (9, 13, 19):
        places = [place for other, place in drawn if other == size]
        assert places == list(range(len(places)))
    assert [size for size, _ in drawn[:CYCLE]] != [size for size, _ in drawn[CYCLE : 2 * CYCLE]]


def test_every_size_is_taught_however_small_its_share() -> None:
    turns = Turns({9: 1000, 13: 1, 19: 1}, seed=1)
    sizes = [turns.turn(number)[0] for number in range(CYCLE)]
    assert [sizes.count(size) for size in (9, 13, 19)] == [98, 1, 1]


def test_shares_are_those_asked_or_those_of_the_positions(shards: list[Path]) -> None:
    assert shares_of({5: shards, 7: shards[:1]}, {}) == {5: 80, 7: 16}
    assert shares_of({5: shards, 7: shards}, {7: 2.0}) == {7: 2}
    with pytest.raises(RecordsError, match="no games of size 9: there are those of 5"):
        shares_of({5: shards}, {9: 1.0})
    with pytest.raises(RecordsError, match="'9:1,9:3': expected each size once"):
        read_shares("9:1,9:3")
