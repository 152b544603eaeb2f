"""The errors of the rules: one small family under ValueError.

Each message holds the offending text, what was expected, and the position where that helps.
"""

from gtpcore import GameOverError, IllegalMoveError


class InvalidMoveError(ValueError):
    """The text is no move of this game: a bad vertex, a column off the board."""


__all__ = ["GameOverError", "IllegalMoveError", "InvalidMoveError"]
