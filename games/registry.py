"""Every game by its name on the command line. A new game is one line here."""

from games.base import Game
from games.coin import Coin
from games.connect4 import ConnectFour
from games.go import Go
from games.tictactoe import TicTacToe

GAMES: dict[str, type[Game]] = {
    "go": Go,
    "connect4": ConnectFour,
    "tictactoe": TicTacToe,
    "coin": Coin,
}
