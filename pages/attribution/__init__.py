"""The parts of the Attribution page."""
