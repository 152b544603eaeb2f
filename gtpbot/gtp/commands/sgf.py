"""Games in SGF files."""

from pathlib import Path

from games.position import Position
from games.sgf import SgfError, read_sgf, write_sgf
from games.sgf_tree import read_tree
from gtpbot.gtp.arguments import Arguments, interpret_int, syntax_error
from gtpbot.gtp.commands.group import Group, is_go
from gtpbot.gtp.protocol import GtpError
from gtpbot.gtp.session import Session
from gtpbot.text.words import quote


def loadsgf(session: Session, args: Arguments) -> None:
    """FILE [N]: the position before move N, or the last; the game's options too if it has any."""
    file, _, last = args.text.rpartition(" ")
    if not (file and last.isdigit()):
        file, last = args.text, ""
    if not file:
        raise syntax_error("no argument: expected a file")
    moves = _moves_before(last) if last else None
    try:
        session.go_on_from(_read(session, file.strip(), moves))
    except SgfError as error:
        raise GtpError("cannot load file", error) from None


def printsgf(session: Session, args: Arguments) -> str | None:
    """[FILE]: the game as SGF, as the answer or into a file."""
    text = write_sgf(session.position)
    if args.text in ("", "-"):
        return text
    try:
        Path(args.text).write_text(text + "\n", encoding="utf-8")
    except (OSError, ValueError) as error:
        raise GtpError("cannot save file", f"{quote(args.text)}: {error}") from None
    return None


def _read(session: Session, file: str, moves: int | None) -> Position:
    """The position in a file of the game in play. Raises SgfError."""
    if is_go(session.game):
        return read_sgf(file).position(session.go, moves)
    tree, wanted = read_tree(file, session.go), session.game.spec
    if tree.game.spec.name != wanted.name:
        raise SgfError(f"{file!r}: a game of {tree.game.spec.title}: expected {wanted.title}")
    return tree.final_position(moves)


def _moves_before(number: str) -> int:
    count = interpret_int(number)
    if count < 1:
        raise syntax_error(f"move number {count}: expected 1 or more")
    return count - 1


GROUP = Group({"loadsgf": loadsgf, "printsgf": printsgf})
