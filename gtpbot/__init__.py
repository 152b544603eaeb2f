"""Floor 4: the protocol, the command line, and what is built on them."""

__version__ = "0.1.0"
