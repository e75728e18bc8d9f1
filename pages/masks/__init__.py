"""The parts of the Masks page."""
