"""Play a game in the terminal: `gtpbot play GAME`.

You move by typing a move such as D4; `help` lists what else can be said. Ctrl-C and Ctrl-D leave.
Standard input may be a pipe too, with a move or a word a line.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from games.base import Player
from games.handicap import fixed_handicap
from games.registry import GAMES
from gtpbot.choosing import AGENT_OPTIONS, GAME_OPTIONS, add_options, chosen_agent, read_options
from gtpbot.gtp.arguments import interpret_int
from gtpbot.gtp.protocol import GtpError
from gtpbot.gtp.recorder import Recorder
from gtpbot.gtp.session import Session
from gtpbot.options import OptionsError, make_game
from gtpbot.people.person import Play, PlayError
from gtpbot.text.stdout import UnwritableError
from gtpbot.text.terminal import Terminal
from gtpbot.verb_parser import VerbParser

HANDICAP_KOMI = "0.5"
"""Where none is told: the stones are the whole advantage, and the half leaves no draw."""
COLOURS = {
    "black": frozenset([Player.BLACK]),
    "white": frozenset([Player.WHITE]),
    "both": frozenset(Player),
    "none": frozenset[Player](),
}


def main(arguments: Sequence[str]) -> int:
    """Play until the person leaves; the exit status. Raises OptionsError and UnwritableError."""
    options = _parser().read(arguments)
    if sys.stdin is None or sys.stdout is None:
        raise OptionsError("play: expected standard input and output, found one of them closed")
    terminal = Terminal(sys.stdout, options.ascii, False if options.no_colours else None)
    play = _begin(options, terminal)
    try:
        _converse(play, terminal)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # by which nobody looks any more
            raise UnwritableError(f"cannot show the game: {error.strerror}") from None
    return 0


def _converse(play: Play, terminal: Terminal) -> None:
    """Play until the person leaves. Raises OSError, at Ctrl-C too, if nothing can be shown."""
    try:
        terminal.say(_introduction(play))
        play.answer()
        for line in _lines(play, terminal):
            try:
                play.obey(line)
            except PlayError as error:
                terminal.say(f"{error}")
            if play.is_left:
                break
    except KeyboardInterrupt:
        terminal.say()
        raise


def _lines(play: Play, terminal: Terminal) -> Iterator[str]:
    """What the person says; a prompt is shown to a terminal alone."""
    if not play.people:
        return
    # A terminal too may send what is no UTF-8, as where something is pasted.
    sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
    if not sys.stdin.isatty():
        yield from sys.stdin
        return
    import readline  # noqa: F401 - lets `input` edit lines

    while True:
        try:
            yield input(play.prompt)
        except EOFError:
            terminal.say()
            return


def _begin(options: argparse.Namespace, terminal: Terminal) -> Play:
    """The game as the options have it. Raises OptionsError."""
    settings = read_options(options, GAME_OPTIONS).game_settings
    if options.handicap:
        if options.game != "go":
            raise OptionsError(f"--handicap {options.handicap}: there is none but in Go")
        settings = {"komi": HANDICAP_KOMI, **settings}
    game = make_game(options.game, settings)
    session = Session(game, chosen_agent(read_options(options, AGENT_OPTIONS)))
    if options.handicap:
        _place_handicap(session, options.handicap)
    session.get_ready()
    people = COLOURS[options.colour]
    names = dict.fromkeys(people, options.name)
    return Play(session, people, terminal, Recorder(options.record, names))


def _place_handicap(session: Session, stones: str) -> None:
    try:
        points = fixed_handicap(session.game.spec.width, interpret_int(stones))
    except GtpError as error:
        raise OptionsError(f"--handicap: {error.reason}") from None
    except ValueError as error:
        raise OptionsError(f"--handicap: {error}") from None
    session.place_handicap(points)


def _introduction(play: Play) -> str:
    agent = play.session.thinker.agent.name
    if len(play.people) == 1:
        (player,) = play.people
        who = f"you are {player}, gtpbot ({agent}) is {player.opponent}"
    else:
        who = "two people" if play.people else f"gtpbot ({agent}) against itself"
    told = f"{play.session.game.described}: {who}."
    return f"{told} Say `help` for help." if play.people else told


def _parser() -> VerbParser:
    parser = VerbParser("play", __doc__)
    add = parser.add_argument
    add("game", nargs="?", choices=GAMES, default="go", help="the game (go)")
    add("--colour", "--color", choices=COLOURS, default="black", help="yours (black); the agent "
        "plays the others")  # fmt: skip
    add("--handicap", metavar="N", help="Go: stones on the fixed points for Black; "
        f"komi is {HANDICAP_KOMI} then, unless --komi tells another")  # fmt: skip
    add("--record", type=Path, metavar="DIR", help="where to keep the games as SGF; a file if it "
        "ends with .sgf")  # fmt: skip
    add("--name", default="human", metavar="NAME", help="yours, for the records (human)")
    add("--ascii", action="store_true", help="draw the board with X, O and .")
    add("--no-colours", "--no-colors", action="store_true", help="and draw it without colours")
    add_options(parser, (*GAME_OPTIONS, *AGENT_OPTIONS))
    return parser
