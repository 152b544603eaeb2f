"""Pictures of figures, PNG or SVG: the same figures give the same file, and names stay as they are.

Players of Go often have names in Chinese, Japanese or Korean letters, and some have dollars, which
matplotlib would take for formulas: give whatever holds a name `parse_math=False`.
"""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from games.whole_files import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CJK_FONTS = (
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Noto Sans CJK KR",
    "WenQuanYi Zen Hei",
    "IPAGothic",
    "Hiragino Sans",
    "PingFang SC",
    "Apple SD Gothic Neo",
    "Yu Gothic",
    "Microsoft YaHei",
    "Malgun Gothic",
)
"""Fonts of Linux, macOS and Windows with Chinese, Japanese and Korean letters."""

UNDATED: Mapping[str, Mapping[str, None]] = {".png": {"Software": None}, ".svg": {"Date": None}}
"""The kinds of pictures, each with what is left out of it: when and by what it was made."""


@contextmanager
def lettering() -> Iterator[None]:
    """Figures drawn and saved within have all letters that a font has, and boxes for others."""
    from matplotlib import rc_context

    settings = {"svg.hashsalt": "gtpbot", "svg.fonttype": "none", "font.family": _fonts()}
    with rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        yield


def save(figure: "Figure", path: Path) -> None:
    """Write a figure, of the kind that `path` ends in, whole or not at all. Raises OSError."""
    kind = path.suffix.lower()
    with replacing(path) as unfinished:
        figure.savefig(unfinished, format=kind.removeprefix("."), metadata=UNDATED[kind])


def _fonts() -> list[str]:
    """Those to take letters from, in turns."""
    from matplotlib.font_manager import fontManager

    known = {font.name for font in fontManager.ttflist}
    return ["DejaVu Sans", *(name for name in CJK_FONTS if name in known)]
