"""The ladder: ratings of all agents, and the levels chosen from them."""
