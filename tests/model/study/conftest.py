"""The opened tiny models of the tests of `model.hub`."""

from tests.model.hub.conftest import opened  # noqa: F401
