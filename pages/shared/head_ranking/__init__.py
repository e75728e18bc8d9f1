"""Rank heads by the effect of ablating them, for sentences and for pictures."""
