"""Guests, accounts, bots and moderation."""
