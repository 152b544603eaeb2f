"""How the nets are made: from expert moves to self-play, one stage after the other."""
