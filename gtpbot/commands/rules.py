"""GoGui's `gogui-rules_` commands, by which this program rules a game other than Go."""

from games.base import Game, Player
from games.go import Go
from gtpbot.arguments import Arguments
from gtpbot.commands.group import Group
from gtpbot.session import Session


def game_id(session: Session, args: Arguments) -> str:
    """The name of the game."""
    return session.game.spec.title


def board_size(session: Session, args: Arguments) -> str:
    """Columns and rows, or only columns if the board is square."""
    width, height = session.game.spec.width, session.game.spec.height
    return f"{width}" if width == height else f"{width} {height}"


def board(session: Session, args: Arguments) -> str:
    """The cells, top row first: `X` Black, `O` White, `.` empty."""
    rows = session.game.board(session.position.state)
    return "\n".join(" ".join(row) for row in rows)


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


def is_ruled(game: Game) -> bool:
    """True for games whose rules the controller must ask for."""
    return not isinstance(game, Go)


GROUP = Group(
    {
        "gogui-rules_game_id": game_id,
        "gogui-rules_board_size": board_size,
        "gogui-rules_board": board,
        "gogui-rules_legal_moves": legal_moves,
        "gogui-rules_side_to_move": side_to_move,
        "gogui-rules_final_result": final_result,
        "gogui-rules_captured_count": captured_count,
    },
    serves=is_ruled,
)
