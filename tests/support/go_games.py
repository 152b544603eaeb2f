"""Small made-up games of Go, and files of them."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.go_rules import TROMP_TAYLOR
from gtpcore import GoState
from nets.train.go_games import GoGame, judge
from nets.train.go_records import GoGames


def random_moves(size: int, length: int, seed: int) -> list[int]:
    """Legal moves from the empty board, with a pass only where nothing else is left."""
    rng = random.Random(seed)
    state = GoState(size, TROMP_TAYLOR.with_komi(7))
    moves: list[int] = []
    while len(moves) < length and not state.is_terminal:
        legal = state.legal_actions()
        moves.append(rng.choice(legal[:-1] or legal))
        state.apply_action(moves[-1])
    return moves


def random_game(size: int, length: int, seed: int, labels: int = 12) -> GoGame:
    """A game with labels made up, the move played first among the `labels` likeliest."""
    moves = np.array(random_moves(size, length, seed), np.uint16)
    rng = np.random.default_rng(seed)
    others = np.stack([rng.permutation(size * size + 1) for _ in moves])[:, :labels]
    probs = -np.sort(-rng.integers(1, 200, (len(moves), labels)), axis=1)
    return GoGame(
        source=f"made-up game {seed}",
        size=size,
        rules=TROMP_TAYLOR,
        komi=float(rng.integers(-4, 15)) / 2,
        moves=moves,
        top_moves=others.astype(np.uint16),
        top_probs=probs.astype(np.uint8),
        black_value=rng.uniform(-1, 1, len(moves)).astype(np.float16),
        black_score=rng.uniform(-9, 9, len(moves)).astype(np.float16),
        result=None,
    )


def packed(games: Sequence[GoGame]) -> GoGames:
    """Judged, as in a shard."""
    return GoGames.pack([(game, judge(game)) for game in games])


def labelled_arrays(games: Sequence[GoGame]) -> dict[str, NDArray[Any]]:
    """What a file of labelled games holds."""
    whole = packed(games)
    return {
        "size": np.array(whole.size, np.uint8),
        "komi": whole.komi,
        "start": whole.start,
        "moves": whole.moves,
        "top_moves": whole.top_moves,
        "top_probs": whole.top_probs,
        "value": whole.black_value,
        "score": whole.black_score,
    }


def write_labelled(path: Path, games: Sequence[GoGame], **changed: NDArray[Any]) -> None:
    """A file of labelled games, with some arrays changed."""
    np.savez(path, **{**labelled_arrays(games), **changed})  # type: ignore[arg-type]


def write_sgf_file(
    path: Path, moves: Sequence[str], result: str, size: int = 5, **root: str
) -> None:
    """An SGF file of the moves, two letters each or empty for a pass; Black begins."""
    header = {"GM": "1", "SZ": str(size), "KM": "0.5", "RE": result, **root}
    played = "".join(f";{'BW'[i % 2]}[{move}]" for i, move in enumerate(moves))
    facts = "".join(f"{key}[{value}]" for key, value in header.items() if value)
    path.write_text(f"(;{facts}{played})")
