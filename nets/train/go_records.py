"""Whole games of Go in shards on disk, of which positions are drawn as batches for a net.

Games are kept, not planes: a position takes some forty bytes, and what a net sees is written by
replaying its game when a batch is drawn. A shard holds games of one size under one set of rules,
`SIZE-NUMBER.npz`, each complete or not there at all.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.go_rules import Rules, parse_rules
from gtpcore import GoState, go_planes
from nets.symmetry import go_symmetries
from nets.train.arrays import UNREADABLE, read_arrays, write_arrays
from nets.train.errors import RecordsError
from nets.train.go_games import UNKNOWN, GoGame, Outcome, label_problem

LABELS = ("moves", "top_moves", "top_probs", "black_value", "black_score")
"""What has a row a position."""
DTYPES = {
    "komi": np.float32, "start": np.int64, "moves": np.uint16, "top_moves": np.uint16,
    "top_probs": np.uint8, "black_value": np.float16, "black_score": np.float16,
    "winner": np.int8, "black_lead": np.float32, "owner": np.int8,
}  # fmt: skip
"""Of every array of GoGames."""
Kind = tuple[int, str, int]
"""Of games that a shard can hold together: board size, rules, likeliest moves of a label."""
FIRST = 0.25
"""Added to the likeliest move, in 1/255, which so stays it where rounding made two alike."""
ADVICE = "remove it and begin again, or, if a stage made it, give that with --again"
"""Where a shard is damaged: one that is missing from a stage that is done is not made again."""


@dataclass(frozen=True)
class GoBatch:
    """B positions of one board size, ready for a net; everything for the player to move."""

    planes: NDArray[np.float32]
    """[B, H, W, C]"""
    policy: NDArray[np.float32]
    """[B, H * W + 1]: how good moves are to be chosen, the pass last; rows sum to 1."""
    value: NDArray[np.float32]
    """[B]: the expected result, from -1 to 1."""
    score: NDArray[np.float32]
    """[B]: the expected lead in points, komi included; 0 where it is not known."""
    ownership: NDArray[np.float32]
    """[B, H, W]: who had each point in the end, 1 the player to move; 0 where it is not known."""
    has_score: NDArray[np.float32]
    """[B]: 1 where the score is known, else 0."""
    has_ownership: NDArray[np.float32]
    """[B]: 1 where the ownership is known, else 0."""

    @staticmethod
    def join(parts: Sequence["GoBatch"]) -> "GoBatch":
        """All positions of at least one part, in order."""
        return GoBatch(
            *(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(GoBatch))
        )


@dataclass(frozen=True)
class GoGames:
    """G games with P positions in all; position k of a game is the one before its k-th move."""

    size: int
    rules: Rules
    """With any komi: each game has its own."""
    komi: NDArray[np.float32]
    """[G]"""
    start: NDArray[np.int64]
    """[G + 1]: game g holds positions start[g] to start[g + 1]."""
    moves: NDArray[np.uint16]
    """[P], and the labels, as in GoGame."""
    top_moves: NDArray[np.uint16]
    """[P, K]"""
    top_probs: NDArray[np.uint8]
    """[P, K]"""
    black_value: NDArray[np.float16]
    """[P]"""
    black_score: NDArray[np.float16]
    """[P]"""
    winner: NDArray[np.int8]
    """[G], and the two that follow, as in Outcome."""
    black_lead: NDArray[np.float32]
    """[G]"""
    owner: NDArray[np.int8]
    """[G, size * size]"""

    @classmethod
    def pack(cls, games: Sequence[tuple[GoGame, Outcome]]) -> "GoGames":
        """Games of one size, under the same rules, with as many likeliest moves."""
        whole = [game for game, _ in games]
        results = [outcome.result for _, outcome in games]
        return cls(
            size=whole[0].size,
            rules=whole[0].rules,
            komi=np.array([game.komi for game in whole], np.float32),
            start=np.cumsum([0, *(len(game.moves) for game in whole)]),
            winner=np.array([result.winner for result in results], np.int8),
            black_lead=np.array([result.black_lead for result in results], np.float32),
            owner=np.stack([outcome.owner for _, outcome in games]),
            **{name: np.concatenate([getattr(game, name) for game in whole]) for name in LABELS},
        )._checked()

    @classmethod
    def join(cls, parts: Sequence["GoGames"]) -> "list[GoGames]":
        """All games of some shards, those of a kind in one: positions are drawn faster from few."""
        kinds: dict[Kind, list[GoGames]] = {}
        for part in parts:
            kinds.setdefault(part.kind, []).append(part)
        return [cls._joined(each) for each in kinds.values()]

    @classmethod
    def _joined(cls, parts: Sequence["GoGames"]) -> "GoGames":
        ends = np.cumsum([0, *map(len, parts)])
        starts = [part.start[:-1] + end for part, end in zip(parts, ends, strict=False)]
        alike = [name for name in DTYPES if name != "start"]
        return cls(
            size=parts[0].size,
            rules=parts[0].rules,
            start=np.concatenate([*starts, ends[-1:]]),
            **{name: np.concatenate([getattr(part, name) for part in parts]) for name in alike},
        )

    @property
    def kind(self) -> Kind:
        """What games in a shard have in common: their size, their rules, and how many labels."""
        return self.size, self.rules.to_kata_json(), self.top_moves.shape[1]

    def __len__(self) -> int:
        """How many positions there are."""
        return len(self.moves)

    def batch(self, index: NDArray[np.intp], turned: NDArray[np.uint8] | None = None) -> GoBatch:
        """Some positions, by their numbers; each in a symmetric image, by that one's number."""
        game = np.searchsorted(self.start, index, side="right") - 1
        ply = index - self.start[game]
        to_move = np.where(ply % 2 == 0, 1, -1).astype(np.float32)
        turned = np.zeros(len(index), np.uint8) if turned is None else turned
        before = np.stack([image.actions for image in go_symmetries(self.size)])[turned]
        value, score = self._value(index, game), self._score(index, game)
        owner = self.owner[game].astype(np.float32)
        owner[owner == UNKNOWN] = 0
        owner = np.take_along_axis(owner, before[:, :-1], axis=1)
        return GoBatch(
            planes=self._planes(game, ply, turned),
            policy=np.take_along_axis(self.policy(index), before, axis=1),
            value=value * to_move,
            score=np.nan_to_num(score) * to_move,
            ownership=(owner * to_move[:, None]).reshape(-1, self.size, self.size),
            has_score=np.isfinite(score).astype(np.float32),
            has_ownership=(self.owner[game, 0] != UNKNOWN).astype(np.float32),
        )

    def state(self, game: int, ply: int) -> GoState:
        """The position of a game after `ply` moves. Raises RecordsError if its moves are broken."""
        state = GoState(self.size, self.rules.with_komi(float(self.komi[game])))
        first = self.start[game]
        try:
            for move in self.moves[first : first + ply].tolist():
                state.apply_action(move)
        except ValueError as error:
            raise RecordsError(f"game {game} of a shard: {error}; import the games anew") from None
        return state

    def _planes(
        self, game: NDArray[np.intp], ply: NDArray[np.intp], turned: NDArray[np.uint8]
    ) -> NDArray[np.float32]:
        komis = self.komi[game].tolist()
        rules = {komi: self.rules.with_komi(komi) for komi in komis}
        each = [rules[komi] for komi in komis]
        try:
            return go_planes(self.size, each, self.moves, self.start[game], ply, turned)
        except ValueError:
            for place in zip(game, ply, strict=True):
                self.state(*place)  # which names the game
            raise

    def policy(self, index: NDArray[np.intp]) -> NDArray[np.float32]:
        """[B, size * size + 1]: how likely labels take each move to be at some positions."""
        policy = np.zeros((len(index), self.size**2 + 1), np.float32)
        rows = np.arange(len(index))
        if self.top_moves.shape[1] == 0:
            policy[rows, self.moves[index]] = 1
            return policy
        probs = self.top_probs[index].astype(np.float32)
        probs[:, 0] += FIRST
        np.add.at(policy, (rows[:, None], self.top_moves[index]), probs)
        policy /= policy.sum(axis=1, keepdims=True)
        return policy

    def _value(self, index: NDArray[np.intp], game: NDArray[np.intp]) -> NDArray[np.float32]:
        """Black's, labelled or else what the game came to."""
        value = self.black_value[index].astype(np.float32)
        return np.where(np.isnan(value), self.winner[game], value).astype(np.float32)

    def _score(self, index: NDArray[np.intp], game: NDArray[np.intp]) -> NDArray[np.float32]:
        """Black's likewise; NaN where neither is known."""
        score = self.black_score[index].astype(np.float32)
        return np.where(np.isnan(score), self.black_lead[game], score).astype(np.float32)

    def save(self, path: Path) -> None:
        """Write a shard, whole or not at all."""
        arrays = {f.name: getattr(self, f.name) for f in fields(self)}
        arrays["size"] = np.array(self.size, np.uint8)
        arrays["rules"] = np.array(self.rules.to_kata_json())
        write_arrays(path, arrays)

    @classmethod
    def load(cls, path: Path) -> "GoGames":
        """Read a shard. Raises RecordsError."""
        try:
            arrays: dict[str, Any] = read_arrays(path)
            size, rules = int(arrays.pop("size")), parse_rules(str(arrays.pop("rules")))
            return cls(size, rules, **arrays)._checked()
        except UNREADABLE as error:
            raise RecordsError(
                f"{path}: expected a shard of games of Go: {error}; {ADVICE}"
            ) from None

    def _checked(self) -> "GoGames":
        problem = self._problem()
        if problem:
            raise RecordsError(problem)
        return self

    def _problem(self) -> str | None:
        """What is wrong; None if nothing is."""
        if not 2 <= self.size <= 25:
            return f"size {self.size}: expected 2 to 25"
        games, positions, area = self.komi.size, self.moves.size, self.size**2
        labels = self.top_moves.shape[-1] if self.top_moves.ndim == 2 else 0
        shapes = {
            "komi": (games,), "start": (games + 1,),
            "moves": (positions,), "top_moves": (positions, labels),
            "black_value": (positions,), "black_score": (positions,),
            "winner": (games,), "black_lead": (games,), "owner": (games, area),
        }  # fmt: skip
        for name, dtype in DTYPES.items():
            if getattr(self, name).dtype != dtype:
                return f"{name} of {getattr(self, name).dtype}: expected {np.dtype(dtype)}"
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape:
                return f"{name} of shape {getattr(self, name).shape}: expected {shape}"
        if self.start[0] != 0 or self.start[-1] != positions or (np.diff(self.start) < 1).any():
            return f"start: expected numbers that rise from 0 to {positions}"
        if (self.moves > area).any():
            return f"a move that is off a board of {self.size}x{self.size}"
        if not (np.isin(self.winner, (-1, 0, 1)).all() and np.isfinite(self.komi).all()):
            return "a winner or a komi that is none"
        if not np.isin(self.owner, (-1, 0, 1, UNKNOWN)).all():
            return "an owner who is none"
        return label_problem(
            self.size, self.top_moves, self.top_probs, self.black_value, self.black_score
        )


@dataclass
class ShardWriter:
    """Fills a folder with shards of about so many positions each."""

    folder: Path
    positions: int
    _open: dict[Kind, list[tuple[GoGame, Outcome]]] = field(default_factory=dict)
    _positions: Counter[Kind] = field(default_factory=Counter)
    """In games that are not in a shard yet."""
    _written: int = 0

    def add(self, game: GoGame, outcome: Outcome) -> None:
        """Keep a game, and write a shard if it is full."""
        kind = (game.size, game.rules.to_kata_json(), game.top_moves.shape[1])
        self._open.setdefault(kind, []).append((game, outcome))
        self._positions[kind] += len(game.moves)
        if self._positions[kind] >= self.positions:
            self._write(self._open.pop(kind))
            del self._positions[kind]

    def close(self) -> None:
        """Write what is left."""
        for games in self._open.values():
            self._write(games)
        self._open.clear()

    def _write(self, games: Sequence[tuple[GoGame, Outcome]]) -> None:
        path = self.folder / f"{games[0][0].size:02}-{self._written:05}.npz"
        GoGames.pack(games).save(path)
        self._written += 1


def shards_by_size(folder: Path) -> dict[int, list[Path]]:
    """The shards in a folder by their board sizes, in order; none if there is no folder."""
    shards: dict[int, list[Path]] = {}
    for path in sorted(folder.glob("[0-9][0-9]-*.npz")):
        shards.setdefault(int(path.name[:2]), []).append(path)
    return shards


def count_positions(shards: Iterable[Path]) -> list[int]:
    """How many positions each shard has, without reading the rest of it. Raises RecordsError."""
    return [int(_start(path)[-1]) for path in shards]


def count_games(shards: Iterable[Path]) -> list[int]:
    """How many games each shard has, likewise."""
    return [len(_start(path)) - 1 for path in shards]


def _start(path: Path) -> NDArray[np.int64]:
    try:
        start = read_arrays(path, "start")["start"].astype(np.int64, casting="safe")
        if start.ndim != 1 or not len(start):
            raise ValueError(f"start of shape {start.shape}")
        return start
    except UNREADABLE as error:
        raise RecordsError(f"{path}: expected a shard of games of Go: {error}; {ADVICE}") from None
