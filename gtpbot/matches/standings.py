"""How a match stands, from the records of its games."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from games.base import Player
from gtpbot.engines.referee import GameResult
from gtpbot.matches.elo import Block, Tally, joined
from gtpbot.matches.schedule import Fixture

COLORS = {Player.BLACK: "black", Player.WHITE: "white"}


@dataclass(frozen=True)
class Record:
    """A finished game as it is kept, a line of JSON."""

    game: int
    """Its number."""
    opening: int
    """The number of the opening, which two games of each pairing share."""
    black: str
    """The name of the engine."""
    white: str
    result: str
    """As SGF has it."""
    winner: str | None
    """The name of the engine; None if the game was drawn."""
    ending: str
    reason: str
    at_fault: str | None
    """The engine that lost by crashing, hanging, an illegal move and the like."""
    seconds: Mapping[str, float]
    """What the moves of `black` and of `white` took."""
    given: int
    """How many of the moves were the opening."""
    moves: str
    """As GTP writes them, with spaces between; the opening first."""

    @property
    def moves_of(self) -> Mapping[str, int]:
        """How many moves `black` and `white` chose, or gave up at; not those of the opening."""
        count, given = len(self.moves.split()), self.given
        chosen = {"black": (count + 1) // 2 - (given + 1) // 2, "white": count // 2 - given // 2}
        if self.ending == "resignation":
            chosen["white" if self.winner == self.black else "black"] += 1
        return chosen

    def __post_init__(self) -> None:
        """Raise ValueError if somebody else won or failed, or for times that are none."""
        players = (self.black, self.white, None)
        if self.winner not in players or self.at_fault not in players:
            raise ValueError(f"winner {self.winner!r}: expected {self.black!r} or {self.white!r}")
        if not all(0 <= spent < math.inf for spent in self.seconds.values()):
            raise ValueError(f"seconds {dict(self.seconds)}: expected numbers from 0 on")

    def points(self, name: str) -> float:
        """What an engine that played it scored: 1, 0.5 or 0."""
        return 0.5 if self.winner is None else float(self.winner == name)


def check_fixture(record: Record, fixture: Fixture, names: Sequence[str]) -> None:
    """Raise ValueError unless it is that game of a match between engines of these names."""
    expected = names[fixture.black], names[fixture.white], fixture.opening
    if (record.black, record.white, record.opening) != expected:
        black, white, opening = expected
        raise ValueError(
            f"{record.black} against {record.white} from opening {record.opening}: expected "
            f"{black} against {white} from opening {opening}"
        )


def record_of(fixture: Fixture, names: Sequence[str], result: GameResult) -> Record:
    """A game that was just played."""
    players = {Player.BLACK: names[fixture.black], Player.WHITE: names[fixture.white]}
    winner, at_fault = result.winner, result.at_fault
    return Record(
        game=fixture.number,
        opening=fixture.opening,
        black=players[Player.BLACK],
        white=players[Player.WHITE],
        result=result.result,
        winner=None if winner is None else players[winner],
        ending=result.ending,
        reason=result.reason,
        at_fault=None if at_fault is None else players[at_fault],
        seconds={COLORS[player]: round(spent, 3) for player, spent in result.seconds.items()},
        given=result.given,
        moves=" ".join(result.moves),
    )


class Standings:
    """Who scored how much against whom."""

    def __init__(self, names: Sequence[str], records: Iterable[Record] = ()) -> None:
        """`names` are those of all engines."""
        self.names = names
        self.records: list[Record] = []
        # Told after each game, so not counted anew: thousands of games would cost millions.
        self._blocks: dict[tuple[tuple[str, str], int], Block] = {}
        self._between: defaultdict[tuple[str, str], Counter[Block]] = defaultdict(Counter)
        self._with_color: defaultdict[tuple[str, str], Counter[Block]] = defaultdict(Counter)
        self._faults: Counter[str | None] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._moves: Counter[str] = Counter()
        for record in records:
            self.add(record)

    def add(self, record: Record) -> None:
        """Another game is over."""
        self.records.append(record)
        self._faults[record.at_fault] += 1
        moves = record.moves_of
        for color, one, other in (
            ("black", record.black, record.white),
            ("white", record.white, record.black),
        ):
            points = record.points(one)
            self._add_to_block((one, other), record.opening, points)
            self._with_color[one, color][(points,)] += 1
            self._seconds[one] += record.seconds.get(color, 0.0)
            self._moves[one] += moves[color]

    def _add_to_block(self, pairing: tuple[str, str], opening: int, points: float) -> None:
        before = self._blocks.get((pairing, opening), ())
        block = self._blocks[pairing, opening] = (*before, points)
        blocks = self._between[pairing]
        if before:
            blocks[before] -= 1
        blocks[block] += 1

    def between(self, one: str, other: str) -> Tally:
        """What `one` scored against `other`."""
        return Tally(+self._between[one, other])

    def of(self, name: str) -> Tally:
        """What an engine scored against all others."""
        return joined(self.between(name, other) for other in self.names if other != name)

    def with_color(self, name: str, color: str) -> Tally:
        """What an engine scored as `black` or `white`; each game by itself."""
        return Tally(self._with_color[name, color])

    def faults(self, name: str) -> int:
        """The games that an engine lost by a fault."""
        return self._faults[name]

    def seconds_a_move(self, name: str) -> float:
        """What a move of an engine took on average."""
        moves = self._moves[name]
        return self._seconds[name] / moves if moves else 0.0
