"""The engine that speaks GTP: lines in, answers out."""
