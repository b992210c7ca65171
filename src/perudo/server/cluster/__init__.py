"""The cluster: several server processes that share a database."""
