"""The champion, the strongest agent."""
