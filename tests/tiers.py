"""Marks for single parameters of a test; `CONTRIBUTING.md` lists the tiers."""

from __future__ import annotations

import pytest


def nightly(*values: object, id: str | None = None):
    """A parameter set that `make nightly` runs and `make test` leaves out."""
    return pytest.param(*values, marks=pytest.mark.nightly, id=id)
