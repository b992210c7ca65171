"""Finished games: records, ratings, reviews and retries."""
