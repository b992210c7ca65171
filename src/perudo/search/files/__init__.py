"""Files of learnt strategies."""
