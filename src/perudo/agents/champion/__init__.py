"""The strongest player; ``champion`` is the agent."""
