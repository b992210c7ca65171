"""Schemas of WebSocket messages and HTTP bodies."""
