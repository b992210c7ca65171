"""Search for any game: exact solvers for small rounds, and tree search for large ones."""
