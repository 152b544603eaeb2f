"""The commands of GTP, in groups. A handler is a short function from a session and arguments."""
