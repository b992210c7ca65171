"""Counterfactual regret minimisation, in several forms."""
