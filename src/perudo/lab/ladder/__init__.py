"""The ladder: every agent rated, and the levels chosen from it."""
