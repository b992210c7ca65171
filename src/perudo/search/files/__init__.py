"""File formats of learnt strategies."""
