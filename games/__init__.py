"""Floor 1: the Python face of each game."""
