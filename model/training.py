"""Name the command that `python -m model.training` has become: `python -m training`; goes with the next version."""

import sys

if __name__ == "__main__":
    sys.exit(f"Training is a folder of its own now: python -m {' '.join(['training', *sys.argv[1:]])}")
