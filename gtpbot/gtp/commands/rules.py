"""GoGui's `gogui-rules_` commands, by which this program rules a game other than Go."""

from dataclasses import replace

from games.base import Game, Player
from games.picture import vertices
from gtpbot.gtp.arguments import Arguments
from gtpbot.gtp.commands.group import Group, is_go
from gtpbot.gtp.gfx import gfx
from gtpbot.gtp.session import Session

NO_BOARD = "#402800"
"""The colour of the points that GoGui draws although they are not on the board."""


def game_id(session: Session, args: Arguments) -> str:
    """The name of the game."""
    return session.game.spec.title


def board_size(session: Session, args: Arguments) -> str:
    """The points a side of the square that GoGui draws: it cannot draw fewer rows than columns."""
    return f"{_side(session.game)}"


def board(session: Session, args: Arguments) -> str:
    """The cells, top row first: `X` Black, `O` White, `.` empty, `?` beyond the board."""
    side = _side(session.game)
    rows = session.game.board(session.position.state)
    square = [["?"] * side] * (side - len(rows)) + [row + ["?"] * (side - len(row)) for row in rows]
    return "\n".join(" ".join(row) for row in square)


def board_gfx(session: Session, args: Arguments) -> str:
    """How the board looks beyond its stones."""
    picture = session.game.picture(session.position.state)
    return gfx(replace(picture, colors={**picture.colors, NO_BOARD: _beyond(session.game)}))


def legal_moves(session: Session, args: Arguments) -> str:
    """The legal moves; none once the game is over."""
    state = session.position.state
    return " ".join(session.game.action_to_string(state, move) for move in state.legal_actions())


def side_to_move(session: Session, args: Arguments) -> str:
    """`black` or `white`."""
    return str(session.position.to_move).lower()


def final_result(session: Session, args: Arguments) -> str:
    """Who won, in words."""
    state = session.position.state
    if not state.is_terminal:
        return "The game is not over"
    if state.black_value == 0:
        return "Draw"
    return f"{Player.BLACK if state.black_value > 0 else Player.WHITE} wins"


def captured_count(session: Session, args: Arguments) -> str:
    """Captures by Black and by White: there are none in these games."""
    return "0 0"


def _side(game: Game) -> int:
    return max(game.spec.width, game.spec.height)


def _beyond(game: Game) -> list[str]:
    """The vertices of the square that are not on the board."""
    width, height, side = game.spec.width, game.spec.height, _side(game)
    points = [(column, row) for row in range(side) for column in range(side)]
    return vertices((column, row) for column, row in points if column >= width or row >= height)


GROUP = Group(
    {
        "gogui-rules_game_id": game_id,
        "gogui-rules_board_size": board_size,
        "gogui-rules_board": board,
        "gogui-rules_board_gfx": board_gfx,
        "gogui-rules_legal_moves": legal_moves,
        "gogui-rules_side_to_move": side_to_move,
        "gogui-rules_final_result": final_result,
        "gogui-rules_captured_count": captured_count,
    },
    serves=lambda game: not is_go(game),
)
