"""What a model card says of the command that made a net."""

from gtpbot.train import _recorded


def test_a_card_names_files_and_no_folders_of_one_machine() -> None:
    words = ["go", "--work", "/home/me/w", "--param", "settle.net=/home/me/w/settle.keras",
             "--param", "alphazero.net=~/n.keras", "--param", "settle.rate=0.005"]  # fmt: skip
    assert list(_recorded(words)) == [
        *["go", "--work", "w", "--param", "settle.net=settle.keras"],
        *["--param", "alphazero.net=n.keras", "--param", "settle.rate=0.005"],
    ]
