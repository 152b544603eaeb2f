"""Files of known counts: `tests/data/*.perft`, one game each.

`game` and `option` lines say which game; a line of three numbers says, for a number of moves, how
many sequences of so many legal moves there are and how many of them end the game; `games` and
`histories` are the sums of those columns. `positions` counts the different positions of a game.
"""

from dataclasses import dataclass, field
from pathlib import Path

import gtpcore
from games.base import Game, State, after
from games.registry import GAMES


@dataclass
class PerftFile:
    """What one file says."""

    game: Game
    depths: dict[int, tuple[int, int]] = field(default_factory=dict)
    """(sequences, those that end the game) by number of moves."""
    totals: dict[str, int] = field(default_factory=dict)
    """`games`, `histories` and `positions`, where given."""


def read_perft(path: Path) -> PerftFile:
    """The counts in a file."""
    lines = [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]
    name = next(words[1] for words in lines if words[0] == "game")
    options = {words[1]: int(words[2]) for words in lines if words[0] == "option"}
    chosen = GAMES[name].Options.model_validate(options)
    found = PerftFile(GAMES[name](chosen))  # type: ignore[call-arg]
    for words in lines:
        if words[0].isdigit():
            found.depths[int(words[0])] = int(words[1]), int(words[2])
        elif words[0] not in ("game", "option"):
            found.totals[words[0]] = int(words[1])
    return found


def split(game: Game, state: State, depth: int) -> str:
    """The position and the counts below each of its moves: where to look for a wrong rule."""
    lines = [game.render(state)]
    for action in state.legal_actions() if depth else ():
        counts = gtpcore.perft(after(state, action), depth - 1)
        lines.append(f"{game.action_to_string(state, action)}: {counts}")
    return "\n".join(lines)


def count_positions(start: State) -> int:
    """How many different positions the moves from `start` lead to, itself included."""
    seen = {start.hash}
    todo = [start]
    while todo:
        state = todo.pop()
        for follower in (after(state, action) for action in state.legal_actions()):
            if follower.hash not in seen:
                seen.add(follower.hash)
                todo.append(follower)
    return len(seen)
