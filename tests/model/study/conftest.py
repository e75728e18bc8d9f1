"""Opened tiny models, as the tests of `model.hub` have them."""

from tests.model.hub.conftest import opened  # noqa: F401
