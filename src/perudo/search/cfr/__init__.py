"""Counterfactual regret minimisation (CFR), in several variants."""
