"""Heads ranked by what they do, for sentences and for pictures."""
