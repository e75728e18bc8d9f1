"""The browser side as it is built from web/: components, and the scripts of every page."""
