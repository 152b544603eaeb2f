"""What nets learn from, and how they do: games recorded, labelled, played against itself."""
