"""The queries of KataGo's analysis protocol: a line of JSON becomes a Query, and that positions.

A query names a game by its moves and asks about some of its positions. What is wrong with one is
told by a QueryError, which knows the field.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

import gtpcore
from games.base import Game, Player
from games.errors import GameOverError, IllegalMoveError, InvalidMoveError
from games.go import Go, GoOptions
from games.go_rules import KATA_BONUS, Rules
from games.handicap import take_for_handicap
from games.position import Position
from gtpbot.options import OptionsError, read
from gtpbot.report.named_moves import NamedMoves, leaves_nothing
from gtpbot.text.words import quote
from search.agent import Ban

LONGEST_ID = 1000
VIEWS = {"B": "BLACK", "W": "WHITE"} | {view: view for view in ("BLACK", "WHITE", "SIDETOMOVE")}
"""Whose chances are told, by each name that KataGo knows for it, in capitals."""
PLAYERS = {"B": "B", "BLACK": "B", "W": "W", "WHITE": "W"}
"""The letter of a player, by each name that KataGo knows, in capitals."""


class QueryError(ValueError):
    """A query that cannot be served."""

    def __init__(self, text: str, field: str | None = None) -> None:
        """`field` is the one at fault, if it is one."""
        super().__init__(text)
        self.field = field


def _letter(value: object) -> object:
    return PLAYERS.get(value.upper(), value) if isinstance(value, str) else value


def _view(value: object) -> object:
    return VIEWS.get(value.upper(), value) if isinstance(value, str) else value


Letter: TypeAlias = Annotated[Literal["B", "W"], BeforeValidator(_letter)]
Stone: TypeAlias = tuple[Letter, str]
View: TypeAlias = Annotated[Literal["BLACK", "WHITE", "SIDETOMOVE"], BeforeValidator(_view)]


class _Object(BaseModel):
    model_config = ConfigDict(frozen=True, alias_generator=to_camel, extra="ignore")


class Restriction(_Object):
    """Moves to leave out, or to look at alone."""

    player: Letter
    moves: tuple[str, ...]
    until_depth: int = Field(ge=0)


class Overrides(_Object):
    """Settings of one query."""

    report_analysis_winrates_as: View = "BLACK"
    max_time: float | None = Field(None, gt=0)
    max_visits: int | None = Field(None, ge=1)
    max_playouts: int | None = Field(None, ge=1)


class Query(_Object):
    """What a client wants to know of a game."""

    id: str = Field(max_length=LONGEST_ID)
    moves: tuple[Stone, ...] = ()
    initial_stones: tuple[Stone, ...] = ()
    initial_player: Letter | None = None
    rules: str | dict[str, Any] | None = None
    komi: float | None = None
    white_handicap_bonus: Literal["0", "N", "N-1"] | None = None
    board_x_size: int | None = None
    board_y_size: int | None = None
    analyze_turns: tuple[int, ...] | None = None
    max_visits: int | None = Field(None, ge=1)
    priority: int = 0
    priorities: tuple[int, ...] | None = None
    include_ownership: bool = False
    include_ownership_stdev: bool = False
    include_moves_ownership: bool = False
    include_moves_ownership_stdev: bool = False
    include_policy: bool = False
    include_pv_visits: bool = Field(False, alias="includePVVisits")
    analysis_pv_len: int | None = Field(None, alias="analysisPVLen", ge=1)
    avoid_moves: tuple[Restriction, ...] = ()
    allow_moves: tuple[Restriction, ...] = ()
    report_during_search_every: float | None = Field(None, gt=0)
    first_report_during_search_after: float | None = Field(None, gt=0)
    override_settings: Overrides = Overrides()

    @property
    def turns(self) -> tuple[int, ...]:
        """How many moves lead to each position that is asked about; each once."""
        return tuple(dict.fromkeys(self.asked))

    def priority_of(self, turn: int) -> int:
        """That of the position after so many moves; the last one given, if several are."""
        if self.priorities is None:
            return self.priority
        return dict(zip(self.asked, self.priorities, strict=True))[turn]

    @property
    def asked(self) -> tuple[int, ...]:
        """The same as they were asked for, one perhaps more than once."""
        return (len(self.moves),) if self.analyze_turns is None else self.analyze_turns


def interpret_query(said: Mapping[str, Any]) -> Query:
    """The query in an object of JSON. Raises QueryError."""
    try:
        query = Query.model_validate(said)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        problem = first["msg"][:1].lower() + first["msg"][1:]
        text = f"{where} {quote(str(first['input']))}: {problem}"
        raise QueryError(text, str(first["loc"][0])) from None
    if query.priorities is not None and len(query.priorities) != len(query.asked):
        raise QueryError(f"priorities: expected {len(query.asked)}, one a turn", "priorities")
    if len({each.player for each in query.allow_moves}) < len(query.allow_moves):
        raise QueryError("allowMoves: expected one for each player at most", "allowMoves")
    for turn in query.turns:
        if not 0 <= turn <= len(query.moves):
            raise QueryError(
                f"turn {turn}: expected 0 to {len(query.moves)}, the number of moves",
                "analyzeTurns",
            )
    return query


def unknown_fields(said: Mapping[str, Any]) -> Iterator[str]:
    """Fields of a query that nobody heeds, `overrideSettings.wideRootNoise` for one."""
    yield from (key for key in said if key not in _aliases(Query))
    settings = said.get("overrideSettings")
    if isinstance(settings, dict):
        yield from (f"overrideSettings.{k}" for k in settings if k not in _aliases(Overrides))


def _aliases(model: type[BaseModel]) -> set[str]:
    return {str(field.alias) for field in model.model_fields.values()}


def game_of(query: Query, usual: Game) -> Game:
    """The game of a query, where `usual` says which game it is. Raises QueryError."""
    size = (query.board_x_size, query.board_y_size)
    if isinstance(usual, Go):
        return _go(query, usual, size)
    expected = (usual.spec.width, usual.spec.height)
    if size != (None, None) and size != expected:
        raise QueryError(
            f"{usual.spec.title} is played on {expected[0]}x{expected[1]}: found {size}",
            "boardXSize",
        )
    return usual


def _go(query: Query, usual: Go, size: tuple[int | None, int | None]) -> Go:
    if size[0] != size[1]:
        raise QueryError(f"board {size[0]}x{size[1]}: expected a square one", "boardYSize")
    rules = query.rules if isinstance(query.rules, str | None) else json.dumps(query.rules)
    said = {"size": size[0], "rules": rules, "komi": query.komi}
    changes = {key: value for key, value in said.items() if value is not None}
    try:
        options = read(GoOptions, dict(usual.options) | changes, "query")
    except OptionsError as error:
        raise QueryError(str(error), _field_in(str(error))) from None
    return Go(options.model_copy(update={"rules": _with_bonus(options.rules, query)}))


def _with_bonus(rules: Rules, query: Query) -> Rules:
    """The rules with the points for handicap stones that a query names beside them, if it does."""
    bonuses = {kata: ours for ours, kata in KATA_BONUS.items()}
    said = query.white_handicap_bonus
    return rules.model_copy(update={"handicap_bonus": bonuses[said]} if said else {})


def _field_in(message: str) -> str | None:
    """The field that a message of `read` begins with."""
    word = message.removeprefix("query: ").partition(" ")[0]
    return {"size": "boardXSize", "komi": "komi", "rules": "rules"}.get(word, "rules")


def positions(query: Query, game: Game) -> dict[int, Position]:
    """The position of each turn asked about, by turn. Raises QueryError."""
    longest = game.spec.max_length
    if len(query.moves) > longest:  # each keeps all positions before it: memory for their square
        raise QueryError(f"{len(query.moves)} moves: expected {longest} at most", "moves")
    position, wanted = Position(game, _start(query, game)), frozenset(query.turns)
    found = {0: position.copy()}
    for number, (letter, text) in enumerate(query.moves):
        try:
            action = game.string_to_action(position.state, text)
            position.play(_player(letter), action)
            take_for_handicap(position)
        except (InvalidMoveError, IllegalMoveError, GameOverError) as error:
            raise QueryError(
                f"Illegal move {number}: {letter} {quote(text)}: {error}", "moves"
            ) from None
        if number + 1 in wanted:
            found[number + 1] = position.copy()
    return {turn: _going_on(found[turn]) for turn in query.turns}


def _start(query: Query, game: Game) -> gtpcore.GoState | None:
    """The state before the first move; None if that is the first of the game."""
    if not isinstance(game, Go):
        _refuse_setup(query, game)
        return None
    start = game.new_state()
    for letter, text in query.initial_stones:
        try:
            start.place(_player(letter), game.string_to_action(start, text))
        except ValueError as error:
            raise QueryError(f"{letter} {quote(text)}: {error}", "initialStones") from None
    letters = [letter for letter, _ in query.initial_stones]
    is_handicap = len(letters) > 1 and set(letters) == {"B"}
    start.handicap = len(letters) if is_handicap else 0
    begins = query.initial_player or (query.moves[0][0] if query.moves else None)
    start.resume(_player(begins or ("W" if is_handicap else "B")))
    return start


def _refuse_setup(query: Query, game: Game) -> None:
    """Raise QueryError for a first position that `game` has not."""
    title = game.spec.title
    if query.initial_stones:
        raise QueryError(f"no stones can be set up in {title}", "initialStones")
    if query.initial_player == "W":
        raise QueryError(
            f"initialPlayer 'W': expected 'B', for Black moves first in {title}", "initialPlayer"
        )


def _going_on(position: Position) -> Position:
    """In Go, a game that two passes ended is looked at as if it went on."""
    if position.game.spec.any_player_may_move:
        return position.facing(position.to_move)
    return position


def _player(letter: str) -> Player:
    return Player.BLACK if letter == "B" else Player.WHITE


def bans(query: Query, position: Position) -> tuple[Ban, ...]:
    """The moves that must not be looked at. Raises QueryError if that is all there are."""
    found: list[Ban] = []
    for field, said, banned in (
        ("avoidMoves", query.avoid_moves, NamedMoves.avoided),
        ("allowMoves", query.allow_moves, NamedMoves.allowed),
    ):
        for one in said:
            moves = NamedMoves(_player(one.player), one.moves, one.until_depth)
            try:
                found += banned(moves, position)
            except InvalidMoveError as error:
                raise QueryError(str(error), field) from None
    if leaves_nothing(position, found):
        field = "allowMoves" if query.allow_moves else "avoidMoves"
        raise QueryError("no move is left to analyze", field)
    return tuple(found)
