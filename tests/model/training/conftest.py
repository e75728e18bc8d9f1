"""A translator trained from start to end by the program itself, once for all tests that look at the result."""

import pytest

from tests.model.training.programs import run, toy_training

EPOCHS = 2


@pytest.fixture(scope="session")
def trained(data_file, tmp_path_factory):
    """The folder of a finished training run of two epochs. Tests that change it copy it first."""
    out = tmp_path_factory.mktemp("trained") / "translator"
    run(*toy_training(data_file, out, epochs=EPOCHS))
    return out
