"""Floor 2: the agents, which choose moves."""
