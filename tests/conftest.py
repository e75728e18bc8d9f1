"""Settings that every test shares."""

from hypothesis import settings

settings.register_profile("atlas", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("atlas")
