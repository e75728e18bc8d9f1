"""Times of the next token with a key-value cache and without, which *Decoding* shows before it measures.

python -m benchmarks.cache_times            # writes assets/language/cache_times.json
"""

from __future__ import annotations

import argparse
from pathlib import Path

from model.language_model import SHIPPED, LanguageModel
from model.lessons.cache_times import FILE, cache_times
from model.runtime.checkpoint import write_json

ROUNDS = 41


def main() -> None:
    """Measure on this machine and write the file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cache_times", description=__doc__.split("\n\n")[0])
    parser.add_argument("--model", type=Path, default=SHIPPED, help="folder of the network; default %(default)s")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda or mps")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="default %(default)s")
    options = parser.parse_args()
    model = LanguageModel.load(options.model, options.device)
    result = cache_times(model, rounds=options.rounds)
    write_json(options.model / FILE, result.to_dict())
    for name in ("cached", "uncached"):
        print(f"{name}: {', '.join(f'{time:.3g}' for time in getattr(result, name))} ms at {result.lengths} tokens")


if __name__ == "__main__":
    main()
