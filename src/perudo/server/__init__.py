"""The hosting service: people, bots and built-in AIs at one table, and nothing lost.

A table's truth is its log in the database. ``room`` is the only writer of a table's log; what
anybody is told is made in ``views`` from what that viewer may know.
"""
