"""Agents in processes of their own: classes from files, and programs in any language."""
