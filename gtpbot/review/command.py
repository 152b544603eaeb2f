"""Look through a game: `gtpbot review FILE.sgf`.

Every position of the main line is given to an agent. What it thinks goes into a file of its own:
Black's winrate and a comment at each move, the best lines as variations, marks at bad moves. The
largest mistakes are printed, and the winrates drawn as a curve, PNG and SVG. A review that was
ended, by Ctrl-C or otherwise, goes on where it was when the same command is given again.
"""

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from games.go import Go
from games.sgf import SgfError, read_bytes
from games.sgf_tree import GameTree, Step, parse_tree
from games.whole_files import write_whole
from gtpbot.choosing import AGENT_OPTIONS, RULES_OPTIONS, add_options, chosen_agent, read_options
from gtpbot.options import OptionsError, make_game
from gtpbot.report.pictures import UNDATED
from gtpbot.review.annotations import Moment, Review
from gtpbot.review.assessment import Assessment, Notebook, assess_all
from gtpbot.review.winrate_curve import draw_curve
from gtpbot.text.stdout import tell
from gtpbot.text.tables import aligned
from gtpbot.text.terminal import Bar
from gtpbot.verb_parser import VerbParser, check_least, check_place
from search.agent import Agent


def main(arguments: Sequence[str]) -> int:
    """Review a game; the exit status. Raises OptionsError."""
    options = _parser().read(arguments)
    out: Path = options.out or options.file.parent / f"{options.file.stem}-review.sgf"
    pictures = [] if options.no_curve else [out.with_suffix(ending) for ending in UNDATED]
    _check(options, out, pictures)
    try:
        data = read_bytes(options.file)
        tree = parse_tree(data, str(options.file), _otherwise(options))
        steps = _steps(tree)
        agent = chosen_agent(read_options(options, AGENT_OPTIONS)).make(tree.game)
        settings = f"{tree.game.options} {agent.name} {agent.params} {options.lines}"
        heading = f"{hashlib.sha256(data).hexdigest()} {settings}"
        notebook = Notebook(_notes_of(out), heading)
        review = _work(tree, steps, agent, options.lines, notebook)
        told = _finish(review, agent, out, pictures, options.worst)
        notebook.path.unlink()
    except SgfError as error:
        raise OptionsError(str(error)) from None
    except OSError as error:
        raise OptionsError(f"cannot write the review: {error}") from None
    tell(told)
    return 0


def _check(options: argparse.Namespace, out: Path, pictures: Sequence[Path]) -> None:
    """Refuse, before hours of work, what cannot be done after them. Raises OptionsError."""
    check_least(options, {"lines": 1, "worst": 0})
    if out.suffix.lower() != ".sgf":
        raise OptionsError(f"--out {str(out)!r}: expected the name of a file that ends with .sgf")
    check_place("--out", out)
    is_begun = _notes_of(out).exists()
    for path in [] if options.force or is_begun else [out, *pictures]:
        if path.exists():
            raise OptionsError(f"{path} is there already: give --out FILE.sgf, or --force")


def _notes_of(out: Path) -> Path:
    """Where work on a review is kept until all of it is written."""
    return out.with_name(f"{out.name}.part")


def _otherwise(options: argparse.Namespace) -> Go:
    game = make_game("go", read_options(options, RULES_OPTIONS).game_settings)
    assert isinstance(game, Go)
    return game


def _steps(tree: GameTree) -> list[Step]:
    """The main line. Raises OptionsError if it has no moves, SgfError if it has illegal ones."""
    steps = list(tree.line())
    if not any(step.move for step in steps):
        raise OptionsError(f"{tree.source}: there is no move in it to review")
    return steps


def _work(
    tree: GameTree, steps: Sequence[Step], agent: Agent, lines: int, notebook: Notebook
) -> Review:
    """Assess the game, as far as the notebook has not got yet."""

    def tell(done: int, assessment: Assessment) -> None:
        known = assessment.percent is not None
        bar.tell(done, f"Black {assessment.percent:.0f} %" if known else "no winrate")

    try:
        with Bar("review", len(steps), len(notebook.done)) as bar:
            return Review(tree, steps, assess_all(steps, agent, lines, notebook, tell))
    except KeyboardInterrupt:
        done = f"{len(notebook.done)} of {len(steps)} positions are in {notebook.path}"
        print(f"gtpbot: {done}; the same command goes on", file=sys.stderr)
        raise


def _finish(review: Review, agent: Agent, out: Path, pictures: Sequence[Path], most: int) -> str:
    """Write the files; what is to be told, the mistakes first."""
    review.annotate(f"gtpbot ({agent.name})")
    write_whole(out, review.tree.text() + "\n")
    told = [f"{_title(review.tree)}; {agent.name}, {_how_long(agent)} a position"]
    worst, points = review.worst(most), review.curve()
    has_curve = len(points) > 1
    if not has_curve:  # the last position of a game that was played out is known without an agent
        told.append(f"agent {agent.name} has no opinion of who wins: no mistakes, no curve")
    elif most:
        told.append(_table(worst) if worst else "no move lost a percent or more")
    for path in pictures:
        if has_curve:
            draw_curve(points, worst, _title(review.tree), path)
        else:
            path.unlink(missing_ok=True)  # of a review before
    written = [out, *(pictures if has_curve else [])]
    return "\n".join([*told, "written: " + ", ".join(map(str, written))])


def _title(tree: GameTree) -> str:
    colours = {"PB": "Black", "PW": "White"}
    names = [tree.fact(key) or colour for key, colour in colours.items()]
    result = tree.fact("RE")
    return f"{tree.game.described}: {' - '.join(names)}" + (f", {result}" if result else "")


def _how_long(agent: Agent) -> str:
    limits = agent.usual_limits()
    told = [f"{limits.playouts:,} playouts"] if limits.playouts else []
    return " or ".join([*told, *([f"{limits.seconds:g} s"] if limits.seconds else [])])


def _table(worst: Sequence[Moment]) -> str:
    """The mistakes in aligned columns, with a heading."""
    rows = [("move", "by", "played", "won before", "after", "lost", "better")]
    rows += [
        (
            str(moment.number),
            str(moment.player),
            moment.vertex,
            f"{moment.before:.1f} %",
            f"{moment.after:.1f} %",
            f"{moment.loss:.1f} %",
            moment.better,
        )
        for moment in worst
    ]
    return aligned(rows, "><<>>><")


def _parser() -> VerbParser:
    parser = VerbParser("review", __doc__)
    add = parser.add_argument
    add("file", type=Path, metavar="FILE.sgf", help="the game; its main line is reviewed")
    add("--out", type=Path, metavar="FILE.sgf", help="the reviewed game (FILE-review.sgf); the "
        "curve lies beside it")  # fmt: skip
    add("--force", action="store_true", help="write over files that are there, the game's own too")
    add("--lines", type=int, default=1, metavar="N", help="best lines at each move (1)")
    add(
        "--worst",
        type=int,
        default=5,
        metavar="N",
        help="mistakes to print, and to mark on the curve (5)",
    )
    add("--no-curve", action="store_true", help="draw no curve")
    add_options(parser, AGENT_OPTIONS)
    add_options(
        parser.add_argument_group("where the file of a game of Go tells none"), RULES_OPTIONS
    )
    return parser
