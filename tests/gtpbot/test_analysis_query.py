"""Queries of KataGo's analysis protocol, and the positions that they ask about."""

from games.go import Go, GoOptions
from gtpbot.analysis.query import Query, positions


def test_the_turns_of_a_long_game_are_not_listed_for_each_move() -> None:
    """Or a query takes the square of its moves, in which the next one is not even read."""
    listed = []

    class Counted(Query):
        @property
        def turns(self) -> tuple[int, ...]:
            listed.append(self.id)
            return super().turns

    moves = tuple(("BW"[turn % 2], f"{'ABCDEFGHJ'[turn]}1") for turn in range(9))
    query = Counted.model_validate({"id": "q", "moves": moves, "analyzeTurns": range(10)})
    found = positions(query, Go(GoOptions(size=9)))
    assert [len(position.moves) for position in found.values()] == list(range(10))
    assert len(listed) <= 2
