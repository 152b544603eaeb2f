"""What people see in a terminal, and games that they play there."""
