"""A game looked through by an agent: which moves were bad, and by how much."""
