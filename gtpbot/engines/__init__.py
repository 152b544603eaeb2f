"""Other programs: engines as subprocesses, and a game between two of them."""
