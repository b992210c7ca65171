"""Tournaments: schedule, play, storage, ranking and report."""
