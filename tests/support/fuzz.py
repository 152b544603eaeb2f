"""Random and mutated lines against the engine; `python -m tests.support.fuzz LINES [SEED]`.

Whatever a line holds, the engine gives one well-formed answer to a command and none to a blank
line, never fails inside, and changes nothing when it answers with `?`.
"""

import random
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from games.registry import GAMES
from gtpbot.gtp.commands.table import GROUPS
from gtpbot.gtp.engine import Engine
from gtpbot.gtp.journal import Journal
from gtpbot.gtp.live import LivePictures
from gtpbot.gtp.protocol import parse_line
from gtpbot.gtp.session import Session
from gtpbot.options import AgentChoice, make_game

COMMANDS = [name for group in GROUPS for name in group.handlers if name != "quit"]
GAME = Path(__file__).parents[1] / "data" / "games" / "five moves.sgf"
WRITES_FILES = "printsgf"
SESSION_LINES = 300
"""Lines before the session begins anew; now and then a session is long and its board full."""

VALUES: dict[str, Callable[[random.Random], str]] = {
    "c": lambda rng: rng.choice(["b", "w", "B", "w", "white", "black"]),
    "v": lambda rng: f"{rng.choice('abcdefg')}{rng.randrange(1, 8)}",
    "V": lambda rng: rng.choice(["pass", "A1", "D", "4", "t19", "j9", "i1", "a0", "aa1", "resign"]),
    "n": lambda rng: str(rng.randrange(1, 10)),
    "N": lambda rng: rng.choice(["-1", "0", "21", "26", "1e3", "7.5", "99999999999999999999"]),
    "k": lambda rng: f"{rng.randrange(-20, 20) / 2}",
    "g": lambda rng: rng.choice(["go", *GAMES]),
    "r": lambda rng: rng.choice(["japanese", "tromp-taylor", "aga", '{"ko":"SIMPLE"}', "{", "jp"]),
    "s": lambda rng: rng.choice(["dead", "alive", "seki", "black"]),
    "p": lambda rng: rng.choice(["seed", "seed=3", "pile=6", "size=5", "x=y", "=", "ponder"]),
}
"""What stands for a letter in a form."""

COMMON = [
    *["play b {v}", "play w {v}", "play {c} {v}", "genmove {c}", "genmove b", "genmove w"] * 3,
    "clear_board",
]
FORMS = [
    *COMMANDS,
    "known_command {s}",
    "play {c} {V}",
    "boardsize {n}",
    "boardsize {n} {n}",
    "boardsize {n}:{n}",
    "boardsize {N}",
    "rectangular_boardsize 7 6",
    "komi {k}",
    "komi {N}",
    "reg_genmove {c}",
    "gg-undo {n}",
    "gogui-play_sequence {c} {v} {c} {v} {c} {v}",
    "gogui-play_sequence b {v} w {v} b {V}",
    "gogui-setup {c} {v} {c} {v}",
    "gogui-setup_player {c}",
    *["set_free_handicap {v} {v} {v}", "place_free_handicap {n}"] * 4,
    *["fixed_handicap {n}"] * 8,
    "cgos-opponent_name {s}",
    "cgos-opponent_rating {n}",
    f"loadsgf {GAME} {{n}}",
    f"loadsgf {GAME}",
    "kata-set-rules {r}",
    "kgs-rules {r}",
    "time_settings {n} {n} {n}",
    "time_settings {N} {N} {n}",
    "kgs-time_settings byoyomi {n} {n} {n}",
    "kata-time_settings fischer {n} {N}",
    "time_left {c} {n} {n}",
    "time_left {c} {N} {N}",
    "final_status_list {s}",
    "lz-analyze {c} {n}",
    "kata-analyze {n} avoid {c} {v},{v} {n} ownership true",
    "kata-analyze {c} {N} allow {c} {v} {n} rootInfo true pvVisits true",
    "lz-genmove_analyze {c} {n} minmoves {n}",
    "kata-genmove_analyze {c} {n} maxmoves {n} {p} {n}",
    "kata-search_analyze {c} movesOwnership true avoid {c} {V} {n}",
    "cgos-genmove_analyze {c}",
    "kata-raw-nn {n}",
    "kata-get-param seed",
    "kata-set-param seed {n}",
    "kata-set-param {p} {n}",
    'kata-set-params {"seed": {n}}',
    "kata-set-params {r}",
    "kgs-genmove_cleanup {c}",
    "gtpbot-game {g}",
    "gtpbot-game {g} {p}",
    "gtpbot-agent random {p}",
    "gtpbot-param {p} {n}",
    "{c} {v} {n} {s}",
]


class QuietJournal(Journal):
    """Keeps complaints for a failed check to show."""

    def __init__(self) -> None:
        super().__init__()
        self.complaints: list[str] = []

    def complain(self, text: str) -> None:
        self.complaints = [*self.complaints[-5:], text]


def random_line(rng: random.Random) -> bytes:
    """A line that is good, nearly good, or garbage."""
    if rng.random() < 0.02:
        return rng.randbytes(rng.randrange(40)).replace(b"\n", b"")
    form = rng.choice(COMMON if rng.random() < 0.3 else FORMS)
    text = re.sub(r"\{(\w)\}", lambda match: VALUES[match[1]](rng), form)
    line = (f"{rng.randrange(100)} " if rng.random() < 0.3 else "").encode() + text.encode()
    return _mutated(rng, line) if rng.random() < 0.15 else line


def _mutated(rng: random.Random, line: bytes) -> bytes:
    """One to three bytes deleted, doubled or replaced."""
    out = bytearray(line)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(out) + 1)
        twice = bytes(out[at : at + 1]) * 2
        piece = rng.choice([b"", twice, rng.randbytes(1), b"\t", b"\0", b"#", b" "])
        out[at : at + 1] = piece.replace(b"\n", b"")
    return bytes(out)


def state_of(session: Session) -> tuple[Any, ...]:
    """All of a session that an error must leave as it was."""
    position = session.position
    return (
        session.game.spec,
        session.go.options,
        session.choice,
        position.state.hash,
        position.moves,
        position.start.hash,
        session.clocks[position.to_move].left,
    )


def check_line(line: bytes, session: Session) -> str:
    """Serve one line and check what it did; what was answered. Raises AssertionError."""
    answers: list[str] = []
    journal = QuietJournal()
    before = state_of(session)
    Engine(session, answers.append, journal).serve(line)
    command = parse_line(line)
    if command is None:
        assert answers == [], line
        return ""
    answer = "".join(answers)
    head, *rest = answer.removesuffix("\n\n").split("\n")
    assert answer.endswith("\n\n"), (line, answers)
    assert re.fullmatch(rf"[=?]{command.id}( .*)?", head), (line, answers)
    assert all(re.match(r"[^=?\s]| +\S", later) for later in rest), (line, answers)
    assert "internal error" not in head, (line, journal.complaints)
    if head.startswith("?"):
        assert state_of(session) == before, (line, head)
    return answer


def fuzz(lines: int, seed: int) -> Iterator[tuple[bytes, str]]:
    """Serve and check random lines; yields each with its answer. Raises AssertionError."""
    rng = random.Random(seed)
    for number in range(lines):
        if number % SESSION_LINES == 0:
            game = rng.choice(["go", *GAMES])
            size = {"size": 7} if game == "go" else {}
            session = Session(make_game(game, size), AgentChoice("random", {"seed": number}))
            session.live = LivePictures(write=lambda picture: None)
        line = random_line(rng)
        command = parse_line(line)
        if command and command.name == WRITES_FILES and command.arguments:
            continue
        answer = check_line(line, session)
        if session.thinker.agent.name != "random":  # the others think for a second
            session.change_agent(AgentChoice("random", {"seed": number}))
        session.finished = False
        yield line, answer


def main() -> None:
    """Run as many lines as the command line says, for hours if need be."""
    lines = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(2**32)
    print(f"seed {seed}", flush=True)
    for number, _ in enumerate(fuzz(lines, seed), 1):
        if number % 100_000 == 0:
            print(f"{number} lines", flush=True)


if __name__ == "__main__":
    main()
