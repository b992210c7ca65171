"""The champion: its training, its experiments and its goals."""
