"""README.md and docs: what they show is what happens, and tables are those of the program."""

import doctest
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest
from pydantic import BaseModel

from games.go import Go, GoOptions
from games.go_rules import PRESETS
from games.registry import GAMES
from gtpbot.options import Options, metavar, shown
from gtpbot.people.person import WORDS
from search.board_net import LARGE, MEDIUM
from search.registry import AGENTS

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
OPTIONS_PAGE = ROOT / "docs" / "options.md"
AGENTS_PAGE = ROOT / "docs" / "agents.md"
RECORDS_PAGE = ROOT / "docs" / "records.md"


def table(*rows: tuple[str, ...]) -> str:
    """Rows of Markdown, the first of them the header."""
    header, *body = rows
    lines = [header, ("---",) * len(header), *body]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def option_table() -> str:
    rows = [
        (f"`--{name} {metavar(name)}`", field.description or "")
        for name, field in Options.model_fields.items()
    ]
    return table(("option", "meaning"), *rows)


def field_table(what: str, whose: str, models: Mapping[str, type[BaseModel]]) -> str:
    """A row for each field; those that several models share, with one default, are told once."""
    owners: dict[tuple[str, str, str], list[str]] = {}
    for name, model in models.items():
        for key, field in model.model_fields.items():
            row = (f"`{key}`", f"`{shown(field.default)}`", field.description or "")
            owners.setdefault(row, []).append(f"`{name}`")
    rows = [
        (key, ", ".join(names), default, text) for (key, default, text), names in owners.items()
    ]
    return table((what, whose, "default", "meaning"), *rows)


def game_table() -> str:
    return field_table("option", "game", {name: game.Options for name, game in GAMES.items()})


def rules_table() -> str:
    rows = [
        (
            f"`{name}`",
            f"{rules.ko} {'ko' if rules.ko == 'simple' else 'superko'}",
            rules.scoring,
            "legal" if rules.suicide else "illegal",
            "removed" if rules.remove_dead else "count",
            f"{rules.komi:g}",
        )
        for name, rules in PRESETS.items()
    ]
    return table(("preset", "repetition", "scoring", "suicide", "dead stones", "komi"), *rows)


def parameter_table() -> str:
    return field_table(
        "parameter", "agents", {name: agent.Params for name, agent in AGENTS.items()}
    )


def defaults_in_go() -> str:
    """Those that differ from the table of all parameters."""
    owners: dict[tuple[str, str], list[str]] = {}
    for name, agent in AGENTS.items():
        larger = {n: agent.defaults(Go(GoOptions(size=n))) for n in (MEDIUM, LARGE)}
        for key, value in agent.defaults(Go(GoOptions(size=MEDIUM - 1))).items():
            text = f"`{shown(value)}`"
            for size, defaults in larger.items():
                if defaults[key] != value:
                    text += f"; from {size}x{size} on `{shown(defaults[key])}`"
            owners.setdefault((f"`{key}`", text), []).append(f"`{name}`")
    rows = [(key, ", ".join(names), default) for (key, default), names in owners.items()]
    return table(("parameter", "agents", "default in Go"), *rows)


@pytest.mark.parametrize(
    ("make", "page"),
    [
        (option_table, OPTIONS_PAGE),
        (game_table, OPTIONS_PAGE),
        (rules_table, OPTIONS_PAGE),
        (parameter_table, AGENTS_PAGE),
        (defaults_in_go, AGENTS_PAGE),
    ],
)
def test_tables_are_those_of_the_program(make: object, page: Path) -> None:
    assert callable(make)
    expected = make()
    assert f"\n{expected}\n\n" in f"{page.read_text()}\n", f"{page.name} should have\n{expected}"


def test_words_that_parameters_take_are_told() -> None:
    untold = [
        (name, key, word)
        for name, agent in AGENTS.items()
        for key, field in agent.Params.model_fields.items()
        for word in (get_args(field.annotation) if get_origin(field.annotation) is Literal else ())
        if not re.search(rf"\b{word}\b", field.description or "")
    ]
    assert untold == []


def test_nothing_is_left_out() -> None:
    text = README.read_text()
    names: Iterable[str] = [*GAMES, *AGENTS, *PRESETS]
    assert [name for name in names if f"`{name}`" not in text] == []


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the installed program for its `bin/gtpbot`."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gtpbot").symlink_to(Path(sys.executable).with_name("gtpbot"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("checkout")
@pytest.mark.parametrize("page", [README, RECORDS_PAGE], ids=lambda page: page.stem)
def test_commands_print_what_is_shown(page: Path) -> None:
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
            run = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=30)
            assert (run.stdout.rstrip("\n"), run.stderr) == (expected.rstrip("\n"), "")


@pytest.mark.usefixtures("checkout")
def test_python_examples_do_what_is_shown() -> None:
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize(
    "page", [README, *sorted((ROOT / "docs").glob("*.md"))], ids=lambda p: p.name
)
def test_links_lead_somewhere(page: Path) -> None:
    places = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text())
    assert [place for place in places if not (page.parent / place).exists()] == []


def test_every_word_of_play_is_told() -> None:
    page = RECORDS_PAGE.read_text()
    assert [word for word in WORDS if not re.search(rf"`{word}[` ]", page)] == []
