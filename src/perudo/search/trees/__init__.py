"""Trees and graphs of a round, and their sizes."""
