"""Measure every head of a network over many inputs: `python -m model.study`."""
