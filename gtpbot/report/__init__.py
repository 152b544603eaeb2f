"""What an agent thinks of a position, as numbers, words, pictures and lines for clients."""
