"""What every head of a network does over many inputs: `python -m model.study`."""
