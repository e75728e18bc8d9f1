"""A translator trained from start to end by the program itself, once for all tests that look at the result."""

import fcntl
import os
import shutil

import pytest

from tests.model.training.programs import run_here, toy_training

EPOCHS = 2


@pytest.fixture(scope="session")
def trained(data_file, tmp_path_factory):
    """The folder of a finished training run of two epochs. Tests that change it copy it first.

    Test processes that run beside each other share one: whoever comes first trains, the others wait.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    out = folder / "trained"
    with (folder / "trained.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (out / "card.md").exists():  # the last file that is written
            shutil.rmtree(out, ignore_errors=True)
            run_here(*toy_training(data_file, out, epochs=EPOCHS))
    return out
