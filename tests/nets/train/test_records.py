"""Records on disk and in memory, and the split between what is taught and what is tested."""

from pathlib import Path

import numpy as np
import pytest

import gtpcore
from games.base import after
from nets.symmetry import SYMMETRIES
from nets.train.errors import RecordsError
from nets.train.keys import held_out, position_keys
from nets.train.lockstep import opened, planes_of
from nets.train.records import Records, distinct, read_folder, shard_path
from nets.train.supervised import turned

STARTS = {
    "coin": gtpcore.CoinState,
    "tictactoe": gtpcore.TicTacToeState,
    "connect4": gtpcore.ConnectFourState,
}


def positions(game: str, count: int = 200) -> Records:
    """Random positions, with policies and values that tell them apart."""
    rng = np.random.default_rng(7)
    states = opened(STARTS[game], count, 8, rng)
    policy = rng.dirichlet(np.ones(states[0].num_actions), count)
    return Records.pack(planes_of(states), policy, rng.uniform(-1, 1, count))


def equal(one: Records, other: Records) -> bool:
    pairs = [(getattr(one, name), getattr(other, name)) for name in ("bits", "policy", "value")]
    return one.shape == other.shape and all(np.array_equal(*pair) for pair in pairs)


@pytest.mark.parametrize("game", STARTS)
def test_what_is_packed_comes_out_as_it_went_in(game: str) -> None:
    states = opened(STARTS[game], 50, 8, np.random.default_rng(3))
    policy = np.eye(states[0].num_actions)[[0] * 50]
    batch = Records.pack(planes_of(states), policy, np.linspace(-1, 1, 50)).batch()
    assert np.array_equal(batch.planes, planes_of(states))
    assert np.array_equal(batch.policy, policy)
    assert np.allclose(batch.value, np.linspace(-1, 1, 50), atol=1e-3)


def test_a_folder_holds_all_its_shards_in_order(tmp_path: Path) -> None:
    records = positions("connect4")
    for number, part in enumerate((slice(0, 50), slice(50, 200))):
        records[np.arange(200)[part]].save(shard_path(tmp_path, number))
    assert equal(read_folder(tmp_path), records)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["00000.npz", "00001.npz"]


def test_a_damaged_shard_is_named(tmp_path: Path) -> None:
    path = shard_path(tmp_path, 0)
    positions("coin").save(path)
    whole = path.read_bytes()
    encrypted = whole.index(b"PK\x01\x02") + 8
    for damaged in (whole[:-100], whole[:encrypted] + b"\x01" + whole[encrypted + 1 :]):
        path.write_bytes(damaged)
        with pytest.raises(RecordsError, match=r"00000\.npz: expected a shard .* --again"):
            read_folder(tmp_path)


def test_a_folder_without_shards_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RecordsError, match="expected shards of records, found none"):
        read_folder(tmp_path)


def test_records_are_checked() -> None:
    planes, policy = np.zeros((2, 3, 3, 2)), np.full((2, 9), 1 / 9)
    with pytest.raises(RecordsError, match=r"expected \[N, H, W, C\] of 0 and 1"):
        Records.pack(planes + 0.5, policy, [0, 0])
    with pytest.raises(RecordsError, match="probabilities that sum to 1"):
        Records.pack(planes, policy * 2, [0, 0])
    with pytest.raises(RecordsError, match="from -1 to 1"):
        Records.pack(planes, policy, [0, 1.5])
    with pytest.raises(RecordsError, match="from -1 to 1"):
        Records.pack(planes, policy, [0, np.nan])
    with pytest.raises(RecordsError, match=r"expected \[2, A\] and \[2\]"):
        Records.pack(planes, policy, [0])
    with pytest.raises(RecordsError, match="expected those of one game"):
        Records.join([positions("coin"), positions("tictactoe")])


@pytest.mark.parametrize("game", STARTS)
def test_all_images_of_a_position_have_its_key(game: str) -> None:
    cells = positions(game).batch().planes
    keys = position_keys(game, cells)
    for symmetry in SYMMETRIES[game]:
        assert np.array_equal(position_keys(game, symmetry.planes(cells)), keys)


def test_different_positions_have_different_keys() -> None:
    """The 765 positions of Tic Tac Toe that no symmetry maps onto another, less finished ones."""
    from nets.train.experts import every_position

    cells = planes_of(list(every_position(gtpcore.TicTacToeState())))
    assert len(cells) == 4520
    assert len(np.unique(position_keys("tictactoe", cells))) == 627


def test_a_move_goes_where_the_board_goes() -> None:
    """Playing a move and turning the board is turning the board and playing the turned move."""
    for game, start in STARTS.items():
        for symmetry in SYMMETRIES[game]:
            for action in range(start().num_actions):
                state = start()
                state.apply_action(action)
                policy = np.eye(state.num_actions)[[action]]
                turned = start()
                turned.apply_action(int(symmetry.policy(policy).argmax()))
                assert np.array_equal(symmetry.planes(planes_of([state])), planes_of([turned]))


@pytest.mark.parametrize("game", ["tictactoe", "connect4"])
def test_moves_to_learn_are_turned_with_their_positions(game: str) -> None:
    """Here those that led to the position, so that each tells where the other is."""
    states = [after(STARTS[game](), action) for action in range(STARTS[game]().num_actions)]
    planes = planes_of(states)
    records = Records.pack(planes, np.eye(len(states)), np.zeros(len(states)))
    batch = records.batch(np.repeat(np.arange(len(states)), 20))
    image = turned(batch, game, np.random.default_rng(1))
    assert not np.array_equal(image.planes, batch.planes)
    assert np.array_equal(image.planes, planes[image.policy.argmax(axis=1)])


@pytest.mark.parametrize("game", STARTS)
def test_taught_and_tested_positions_stay_apart_with_their_images(game: str) -> None:
    records = distinct(positions(game), game)
    train, test = records.split(game, 0.3)
    assert len(train) + len(test) == len(records)
    assert 0.1 < len(test) / len(records) < 0.6
    taught = {cells.tobytes() for cells in train.batch().planes}
    for symmetry in SYMMETRIES[game]:
        images = symmetry.planes(test.batch().planes)
        assert not taught & {np.ascontiguousarray(cells).tobytes() for cells in images}


def test_shares_of_nothing_and_of_nearly_all() -> None:
    keys = positions("connect4").keys("connect4")
    assert not held_out(keys, 0).any()
    assert held_out(keys, 1).all()


def test_positions_count_once() -> None:
    records = positions("tictactoe")
    single = distinct(records, "tictactoe")
    keys = single.keys("tictactoe")
    assert len(np.unique(keys)) == len(keys) < len(records)
