"""Pictures in the graphics language of GoGui."""

from collections.abc import Iterator

from games.picture import Picture


def gfx(picture: Picture) -> str:
    """The picture, one command a line; what it leaves out is left as it is on the board."""
    return "\n".join(" ".join(words) for words in _commands(picture))


def _commands(picture: Picture) -> Iterator[list[str]]:
    for color, places in picture.colors.items():
        if places:
            yield ["COLOR", color, *places]
    for command, places in (
        ("MARK", picture.crosses),
        ("CIRCLE", picture.circles),
        ("SQUARE", picture.squares),
        ("TRIANGLE", picture.triangles),
    ):
        if places:
            yield [command, *places]
    for command, pairs in (
        ("INFLUENCE", [(place, f"{value:.2f}") for place, value in picture.values.items()]),
        ("VAR", picture.moves),
        ("LABEL", list(picture.labels.items())),
    ):
        if pairs:
            yield [command, *(word for pair in pairs for word in pair)]
    if picture.text:
        yield ["TEXT", picture.text]
