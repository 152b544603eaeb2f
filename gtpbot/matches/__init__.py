"""Matches between GTP engines: who plays whom, who wins, and how sure that is."""
