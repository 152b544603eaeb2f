"""Floor 3: neural nets and their training. Empty until the nets arrive."""
