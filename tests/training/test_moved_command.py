"""The command of former versions names the one that trains now."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_former_command_names_the_new_one_with_its_arguments():
    command = [sys.executable, "-m", "model.training", "doubt", "--data", "pairs.zip"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr == "Training is a folder of its own now: python -m training doubt --data pairs.zip\n"
