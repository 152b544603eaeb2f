"""Finished games as lines of JSON, so that a killed match goes on."""

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from gtpbot.options import OptionsError

Kept = TypeVar("Kept")

BEGINNING = '{"game": '
"""Of every line of a file of results."""

UNREADABLE = (ValueError, RecursionError)
"""What text raises that is no JSON, or nested too deep."""


class ResultsFile:
    """Finished games, one line of JSON each; a line cut short by a kill is dropped.

    OptionsError is raised where the file is of another match, or no such file.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        """Open or create; `settings` are written beside each game."""
        self._path = path
        self.settings = dict(settings)
        """What the games have in common."""
        self.records: dict[int, dict[str, Any]] = {}
        """By the numbers of the games."""
        if path.exists():
            self._load()

    def games(self, kind: TypeAdapter[Kept], check: Callable[[Kept], None]) -> list[Kept]:
        """All games, as records of a kind; `check` raises ValueError for one of another match."""
        return [self._game(number, kind, check) for number in self.records]

    def _game(self, number: int, kind: TypeAdapter[Kept], check: Callable[[Kept], None]) -> Kept:
        try:
            game = kind.validate_json(json.dumps(self.records[number]), strict=True)
            check(game)
            return game
        except ValidationError as error:
            first = error.errors()[0]
            why = f"{'.'.join(map(str, first['loc'])) or 'game'}: {first['msg']}"
        except ValueError as error:
            why = str(error)
        told = f"game {number}, as it was kept: {why}"
        raise OptionsError(f"{self._path}, {told}; give another --out")

    def _load(self) -> None:
        """All lines are checked before any is changed: the file may be something else."""
        try:
            text = self._path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise OptionsError(f"{self._path}: expected games as lines of JSON: {error}") from None
        *whole, last = text.split("\n")
        lacks_end = _is_json(last)  # an editor took the end of the line, no kill
        for number, line in enumerate([*whole, last] if lacks_end else whole, 1):
            self._read(number, line)
        if lacks_end:
            self._end_line()
        elif last:
            self._check_cut(len(whole) + 1, last)
            self._drop_what_was_cut_short()

    def _read(self, number: int, line: str) -> None:
        try:
            record = json.loads(line)
            settings, game = dict(record["settings"]), int(record["game"])
        except (*UNREADABLE, TypeError, KeyError, OverflowError) as error:
            raise OptionsError(
                f"{self._path}, line {number}: no game: {error}; give another --out"
            ) from None
        self._check(number, settings)
        self.records[game] = record

    def _check_cut(self, number: int, text: str) -> None:
        """What a kill left of a line begins as all lines do."""
        if not (text.startswith(BEGINNING) or BEGINNING.startswith(text)):
            raise OptionsError(
                f"{self._path}, line {number}: no game: {text[:40]!r}: expected a line that begins "
                f"with {BEGINNING!r}; give another --out"
            )

    def _drop_what_was_cut_short(self) -> None:
        """In place, so that the lines before are never in danger."""
        with self._locked():
            os.truncate(self._path, self._path.read_bytes().rfind(b"\n") + 1)

    def _end_line(self) -> None:
        with self._locked(), self._path.open("a", encoding="utf-8") as file:
            file.write("\n")

    def _check(self, number: int, settings: Mapping[str, Any]) -> None:
        for key, expected in self.settings.items():
            if _in_order(settings.get(key)) != _in_order(expected):
                raise OptionsError(
                    f"{self._path}, line {number}: played with {key} {settings.get(key)!r}, "
                    f"not {expected!r}; give another --out"
                )

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Keep other runs from playing the same games meanwhile."""
        with self._locked():
            if ResultsFile(self._path, self.settings).records.keys() != self.records.keys():
                raise OptionsError(
                    f"{self._path}: another run has just written to it; give the same command again"
                )
            yield

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self._path.open("a", encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise OptionsError(
                    f"{self._path}: another run is writing to it; end that one, or give another "
                    "--out"
                ) from None
            yield

    def add(self, record: Mapping[str, Any]) -> None:
        """Write one game; its number is `record["game"]`. Raises OSError, which names the file."""
        line = {"game": record["game"], **record, "settings": self.settings}
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError as error:
            error.filename = str(self._path)  # a full disk does not say it
            raise
        self.records[line["game"]] = line


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except UNREADABLE:
        return False


def _in_order(setting: Any) -> Any:
    """A setting to compare: engines in another order play other games."""
    return list(setting.items()) if isinstance(setting, Mapping) else setting
