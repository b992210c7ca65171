"""The hosting service, where people, bots and built-in AIs play at one table.

The log in the database is the authority on a table. Only ``room`` writes a table's log, and
``views`` reduces events to the information that each viewer may have.
"""
