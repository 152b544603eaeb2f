"""KataGo's analysis protocol: many positions at once, as JSON."""
