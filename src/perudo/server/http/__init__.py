"""The HTTP endpoints, one file per resource."""
