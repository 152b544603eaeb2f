"""How a match stands, as tables of text."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from gtpbot.matches.elo import Tally, shown
from gtpbot.matches.ratings import Rating, ratings
from gtpbot.matches.sprt import Sprt
from gtpbot.matches.standings import Record, Standings
from gtpbot.text.tables import aligned

HEADER = (
    "engine", "games", "won", "drawn", "lost", "points", "as Black", "as White", "Elo (95 %)",
    "superior", "faults", "s/move",
)  # fmt: skip
MOST_FAULTS = 10
"""Faults that are told one by one."""
UNEVEN = 0.85
"""Share of the games won by one colour from which on openings are called uneven, and"""
LEAST_GAMES = 20
"""of how many at least."""


def table(standings: Standings) -> str:
    """All engines, the best one first."""
    elos = _elos(standings)
    order = sorted(standings.names, key=lambda name: elos[name][0], reverse=True)
    rows = [HEADER, *(_row(standings, name, elos[name][1]) for name in order)]
    return aligned(rows, "<" + ">" * (len(HEADER) - 1))


def _elos(standings: Standings) -> dict[str, tuple[float, str]]:
    """The Elo of each engine, as a number and with its error: the difference if there are two."""
    names = standings.names
    if len(names) == 2:
        tallies = [standings.of(name) for name in names]
        return {
            name: (tally.rate, shown(tally)) for name, tally in zip(names, tallies, strict=True)
        }
    return {
        name: (rating.elo, f"{rating.elo:+.0f} ± {rating.error:.0f}")
        for name, rating in rated(standings).items()
    }


def rated(standings: Standings) -> dict[str, Rating]:
    """The ratings of all engines, which are three or more."""
    names = standings.names
    tallies = {
        (i, j): standings.between(names[i], names[j]) for i, j in combinations(range(len(names)), 2)
    }
    # The first engine plays all others, so these connect the engines before all have played.
    played = {pair: tally for pair, tally in tallies.items() if tally.games or pair[0] == 0}
    return dict(zip(names, ratings(len(names), played), strict=True))


def _row(standings: Standings, name: str, elo: str) -> Sequence[str]:
    tally = standings.of(name)
    wins, draws, losses = tally.wins_draws_losses
    black, white = (standings.with_color(name, color) for color in ("black", "white"))
    return (
        name, str(tally.games), str(wins), str(draws), str(losses), _percent(tally),
        _percent(black), _percent(white), elo, f"{tally.superiority:.1%}",
        str(standings.faults(name)), f"{standings.seconds_a_move(name):.3g}",
    )  # fmt: skip


def _percent(tally: Tally) -> str:
    return f"{tally.rate:.1%}" if tally.games else "-"


def cross_table(standings: Standings) -> str:
    """Won, drawn and lost games of each engine against each other one."""
    names = standings.names
    rows = [("", *names)]
    for one in names:
        cells = ("" if one == other else _cell(standings.between(one, other)) for other in names)
        rows.append((one, *cells))
    return aligned(rows, "<" + ">" * len(names))


def _cell(tally: Tally) -> str:
    return "-".join(map(str, tally.wins_draws_losses)) if tally.games else "-"


def test_line(sprt: Sprt, standings: Standings) -> str:
    """How the test of the first engine against the second stands."""
    pairs = standings.between(*standings.names[:2]).pairs
    low, high = sprt.bounds
    verdict = sprt.verdict(pairs)
    accepted = {"H0": sprt.elo0, "H1": sprt.elo1}
    said = f"{verdict} accepted, {accepted[verdict]:g} Elo" if verdict else "undecided"
    return (
        f"SPRT of {sprt.elo0:g} against {sprt.elo1:g} Elo: {said}; log-likelihood ratio "
        f"{sprt.ratio(pairs):.2f} within {low:.2f} to {high:.2f}; "
        f"pairs of games with 0 to 2 points: {', '.join(map(str, pairs))}"
    )


def summary(standings: Standings, sprt: Sprt | None) -> str:
    """Everything that is known at the end."""
    parts = [table(standings)]
    if len(standings.names) > 2:
        parts.append(cross_table(standings))
    if sprt:
        parts.append(test_line(sprt, standings))
    if faults := list(_faults(standings.records)):
        parts.append("\n".join(faults))
    if repeated := _repeated(standings.records):
        were = "1 game was" if repeated == 1 else f"{repeated} games were"
        parts.append(
            f"{were} played before, move by move, which says nothing new: vary them by --openings "
            "or --random-moves"
        )
    parts += _uneven(standings.records)
    return "\n\n".join(parts)


def _repeated(records: Sequence[Record]) -> int:
    """How many games are the same as others between the same engines with the same colours."""
    played = [(game.black, game.white, game.moves) for game in records if not game.at_fault]
    return len(played) - len(set(played))


def _uneven(records: Sequence[Record]) -> Iterator[str]:
    """A word on openings that one colour nearly always wins, by which all engines look alike."""
    played = [game for game in records if not game.at_fault]
    wins = {
        "Black": sum(game.winner == game.black for game in played),
        "White": sum(game.winner == game.white for game in played),
    }
    color = max(wins, key=wins.__getitem__)
    if len(played) >= LEAST_GAMES and wins[color] >= UNEVEN * len(played):
        yield (
            f"{color} won {wins[color]} of {len(played)} games: openings so uneven say little of "
            "who is stronger; gtpbot openings makes even ones"
        )


def _faults(records: Sequence[Record]) -> Iterator[str]:
    faulty = [record for record in records if record.at_fault]
    for record in faulty[:MOST_FAULTS]:
        reason = _on_a_line(record.reason)
        yield f"game {record.game}: {record.at_fault} lost by {record.ending}: {reason}"
    if len(faulty) > MOST_FAULTS:
        yield f"and {len(faulty) - MOST_FAULTS} more"


def headline(standings: Standings, sprt: Sprt | None) -> str:
    """How the first engine does, on a line."""
    tally = standings.of(standings.names[0])
    scored = "-".join(map(str, tally.wins_draws_losses))
    line = f"{standings.names[0]} {scored}, {tally.rate:.1%}"
    if len(standings.names) > 2:
        return line
    line += f", Elo {shown(tally)}, superior {tally.superiority:.1%}"
    return f"{line}, log-likelihood ratio {sprt.ratio(tally.pairs):.2f}" if sprt else line


def told(record: Record) -> str:
    """One game and its end, on a line."""
    names = f"{record.black} - {record.white}"
    return f"game {record.game}: {names} {record.result}, {ended(record)}"


def ended(record: Record) -> str:
    """How one game ended, and why so."""
    return record.ending + (f" ({_on_a_line(record.reason)})" if record.reason else "")


def _on_a_line(text: str) -> str:
    """What an engine that died said on stderr is several lines, and may steer a terminal."""
    words = " ".join(text.split())
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in words)
