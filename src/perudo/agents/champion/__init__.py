"""The champion: the strongest player of Perudo."""
