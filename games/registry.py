"""Every game by its name on the command line. A new game is one line here."""

from games.base import Game
from games.coin import Coin
from games.go import Go

GAMES: dict[str, type[Game]] = {
    "go": Go,
    "coin": Coin,
}
