"""Text for people: words, tables, a terminal, standard output."""
