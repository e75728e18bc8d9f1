"""Several trainings by one program under torchrun, their command lines in one JSON list.

Starting processes costs more than a tiny network's training.
"""

import json
import sys

from model.training.__main__ import main

if __name__ == "__main__":
    sys.exit(max(main(words) for words in json.loads(sys.argv[1])))
