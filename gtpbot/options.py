"""The option table: one model feeds the command line, its help, and the configuration file.

An option, a game's option and an agent's parameter are all fields of pydantic models; `read` turns
text into one of these, and tells of a wrong key or value in words of its own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

import gtpcore
from games.base import Game
from games.connect4 import ConnectFour, ConnectFourOptions
from games.go import Go
from games.go_rules import Rules, preset_name
from games.registry import GAMES
from gtpbot import __version__
from gtpbot.text.words import quote, suggest
from search.agent import Agent, AgentParams, file_fields, net_fields
from search.registry import AGENTS
from search.tree_agent import available_cores

Model = TypeVar("Model", bound=BaseModel)

STRONG_AGENT = "alphazero"
"""Who plays where no agent is named: Go and Connect Four, on boards for which its nets ship."""
USUAL_AGENT = "uct"
"""Who plays all else; it has no equal in games as small as Tic Tac Toe."""
WEIGHTS_THAT_SHIP = ("rollout",)
"""Names of files of weights that are no nets."""


class OptionsError(ValueError):
    """A key that is unknown, or a value that does not fit it."""


def _option(default: Any, metavar: str, description: str, **bounds: Any) -> Any:
    """A field of `Options`; `metavar` stands for its value in the help."""
    return Field(default, description=description, json_schema_extra={"metavar": metavar}, **bounds)


class Options(BaseModel):
    """What a session begins with. None means: not said, so the default of whom it concerns."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    game: str = _option("go", "{" + ",".join(GAMES) + "}", "the game to begin with")
    agent: str | None = _option(
        None,
        "NAME",
        f"who chooses the moves; none: {STRONG_AGENT} in Go and in Connect Four as it is by "
        f"default, else {USUAL_AGENT}",
    )
    size: str | None = _option(None, "N", "Go: points a side, 2 to 25 (19)")
    komi: str | None = _option(
        None, "K", "Go: points for White, a multiple of 0.5; none: that of the rules"
    )
    rules: str | None = _option(None, "PRESET", "Go: a preset, or KataGo's JSON (chinese)")
    playouts: str | None = _option(None, "N", "the most playouts a move")
    seconds: str | None = _option(None, "S", "the most seconds a move")
    threads: str | None = _option(None, "T", "threads of the search")
    seed: str | None = _option(None, "N", "seed of all randomness, to repeat a game")
    net: str | None = _option(
        None, "FILE", "the agent's net: a .keras, .h5 or .onnx file, or the role of one that ships"
    )
    param: Mapping[str, str] = _option({}, "KEY=VALUE", "any parameter of the agent; repeatable")
    option: Mapping[str, str] = _option({}, "KEY=VALUE", "any option of the game; repeatable")
    lag: float = _option(
        0.2,
        "S",
        "seconds a move by which the client's clock may run longer than ours (0.2)",
        ge=0,
        le=60,
    )
    identity: str = _option(
        f"gtpbot/{__version__}",
        "NAME/VERSION",
        "the name and version to tell clients, of which some treat some programs in their own way",
    )
    record: Path | None = _option(
        None, "DIR", "where to keep the games played as SGF; a file if it ends with .sgf"
    )
    malkovich: bool = _option(
        False,
        "{true,false}",
        "tell on standard error what the agent thinks of each move, as gtp2ogs shows watchers "
        "(false)",
    )
    log: Path | None = _option(None, "FILE", "where to record all that is said, with times")

    @field_validator("identity")
    @classmethod
    def _check_identity(cls, value: str) -> str:
        name, slash, version = (part.strip() for part in value.partition("/"))
        if not (name and slash and version and value.isprintable()):
            raise ValueError(
                f"identity {quote(value)}: expected NAME/VERSION, as in Leela Zero/0.17"
            )
        return value

    @property
    def game_settings(self) -> dict[str, str]:
        """All that was said about the game."""
        return self._said("size", "komi", "rules") | dict(self.option)

    @property
    def agent_settings(self) -> dict[str, str]:
        """All that was said about the agent."""
        return self._said("playouts", "seconds", "threads", "seed", "net") | dict(self.param)

    def _said(self, *names: str) -> dict[str, str]:
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value is not None}


def metavar(option: str) -> str:
    """What stands for the value of an option in the help."""
    extra = Options.model_fields[option].json_schema_extra
    return str(extra["metavar"]) if isinstance(extra, dict) else option


def read(model: type[Model], settings: Mapping[str, Any], what: str) -> Model:
    """The `model` with the values that `settings` give as text; `none` is None where that fits.

    `what` names the model in messages. Raises OptionsError.
    """
    check_keys(model, settings, what)
    for key, value in settings.items():
        if isinstance(value, str) and not _is_text(value):
            raise OptionsError(f"{what}: {key} {quote(value)}: expected text in UTF-8")
    values = {key: _value(model, key, value) for key, value in settings.items()}
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise OptionsError(f"{what}: {_explain(error)}") from None


def check_keys(model: type[BaseModel], keys: Iterable[str], what: str) -> None:
    """Raise OptionsError, with the nearest known key, if one of `keys` is no field of `model`."""
    for key in keys:
        if key not in model.model_fields:
            raise OptionsError(f"{what} has no {quote(key)}: {suggest(key, model.model_fields)}")


def shown(value: Any) -> str:
    """A value as it is written in settings."""
    if isinstance(value, Rules):
        return preset_name(value) or value.to_kata_json()
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _is_text(value: str) -> bool:
    """False for what a command line has in another encoding, as names of files may be."""
    return not any("\ud800" <= letter <= "\udfff" for letter in value)


def _value(model: type[BaseModel], key: str, value: Any) -> Any:
    optional = type(None) in get_args(model.model_fields[key].annotation)
    return None if optional and value == "none" else value


def _explain(error: ValidationError) -> str:
    first = error.errors()[0]
    if first["type"] == "value_error":  # told in words of our own
        return first["msg"].removeprefix("Value error, ")
    expected = first["msg"].removeprefix("Input should be ").partition(", unable to parse")[0]
    if first["type"] == "bool_parsing":
        expected = "true or false"
    where = ".".join(str(part) for part in first["loc"])
    return f"{where} {quote(str(first['input']))}: expected {expected}"


def make_game(name: str, settings: Mapping[str, Any]) -> Game:
    """A game by its name, with options as text. Raises OptionsError."""
    game = _look_up("game", name, GAMES)
    return game(read(game.Options, settings, f"game {name}"))  # type: ignore[call-arg]


@dataclass(frozen=True)
class AgentChoice:
    """An agent as it was asked for: by name or not, with parameters as text."""

    name: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def make(self, game: Game, gathers: bool = False) -> Agent:
        """The agent for `game`. Raises OptionsError.

        With `gathers`, all agents that are handed its nets have positions valued in common batches.
        """
        agent = self._agent_for(game)
        if not agent.plays(game):
            able = ", ".join(name for name, other in AGENTS.items() if other.plays(game))
            what = f"{_not_played(agent, game)}: expected one of {able}"
            raise OptionsError(f"agent {agent.name} does not play {what}")
        self._check_known(agent, game)
        settings = _located(agent.Params, {**agent.defaults(game), **self.settings}, game)
        params = read(agent.Params, settings, f"agent {agent.name}")
        return agent(params, load_nets(params, game, gathers))

    def fitted(self, game: Game) -> "AgentChoice":
        """This choice, or the default agent where this one does not play `game`."""
        choice = AgentChoice(self.name if self._agent_for(game).plays(game) else None)
        return AgentChoice(choice.name, _known_to(choice._agent_for(game), self.settings))

    def changed(self, name: str, settings: Mapping[str, Any]) -> "AgentChoice":
        """Another agent, with the parameters of this one that it has too. Raises OptionsError."""
        kept = _known_to(_look_up("agent", name, AGENTS), self.settings)
        return AgentChoice(name, kept | dict(settings))

    def _check_known(self, agent: type[Agent], game: Game) -> None:
        """Raise OptionsError if the default agent lacks what others have: one must be named."""
        for key in self.settings:
            if self.name is not None or key in agent.Params.model_fields:
                continue
            able = [n for n, a in AGENTS.items() if a.plays(game) and key in a.Params.model_fields]
            if able:
                raise OptionsError(
                    f"agent {agent.name}, the default here, has no {quote(key)}: name one that has "
                    f"it by --agent: {', '.join(able)}"
                )

    def _agent_for(self, game: Game) -> type[Agent]:
        return _look_up("agent", self.name or default_agent(game), AGENTS)


def _not_played(agent: type[Agent], game: Game) -> str:
    """`game` for a message, with its unusual options if the agent plays it without them."""
    usual = type(game)()
    if not agent.plays(usual):
        return game.spec.title
    known = dict(usual.options)
    unusual = [f"{key}={shown(value)}" for key, value in game.options if value != known[key]]
    return f"{game.spec.title} with {' '.join(unusual)}"


def default_agent(game: Game) -> str:
    """Who plays where no agent is named."""
    usual_four = isinstance(game, ConnectFour) and game.options == ConnectFourOptions()
    return STRONG_AGENT if usual_four or isinstance(game, Go) else USUAL_AGENT


def load_nets(params: AgentParams, game: Game, gathers: bool) -> dict[str, gtpcore.Net]:
    """The nets that the parameters of an agent name, each file once. Raises OptionsError."""
    fields = net_fields(type(params))
    names = {key: _net_name(params, key) for key in fields if params.wants(key)}
    if not names:
        return {}
    from nets.files import load
    from nets.spec import NetError, NetSpec

    try:
        spec = NetSpec.of(game)
        loaded = {
            name: load(name, spec, {h for key in names if names[key] == name for h in fields[key]})
            for name in set(names.values())
        }
    except NetError as error:
        ways = "give --net FILE with one for this board, or another agent, such as uct"
        hint = "" if any(Path(name).suffix for name in names.values()) else f"; {ways}"
        raise OptionsError(f"{error}{hint}") from None
    cores = available_cores() if gathers else 0
    native = {name: net.native(gathers=cores) for name, net in loaded.items()}
    return {key: native[name] for key, name in names.items()}


def _net_name(params: AgentParams, key: str) -> str:
    """The net that a parameter names, or that of another parameter that it names."""
    name = str(getattr(params, key))
    return str(getattr(params, name)) if name in net_fields(type(params)) else name


def _located(
    model: type[AgentParams], settings: Mapping[str, Any], game: Game
) -> Mapping[str, Any]:
    """The settings with paths instead of the names of weights that ship. Raises OptionsError."""
    named = {key for key in file_fields(model) if settings.get(key) in WEIGHTS_THAT_SHIP}
    if not named:
        return settings
    from nets.files import find_weights
    from nets.spec import NetError

    try:
        paths = {key: find_weights(settings[key], game.spec.name) for key in named}
    except NetError as error:
        raise OptionsError(str(error)) from None
    return {**settings, **paths}


def _known_to(agent: type[Agent], settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if key in agent.Params.model_fields}


Entry = TypeVar("Entry")


def _look_up(what: str, name: str, table: Mapping[str, Entry]) -> Entry:
    if name not in table:
        raise OptionsError(f"unknown {what} {quote(name)}: {suggest(name, table)}")
    return table[name]
