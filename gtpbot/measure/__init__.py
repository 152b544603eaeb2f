"""How fast this program is, how often it errs, and what a textbook found."""
