"""Parts of the Vision page."""
