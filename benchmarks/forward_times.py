"""Times of one forward pass of all five networks, which the page *Before the Transformer* shows before it measures.

python -m benchmarks.forward_times            # writes assets/recurrent/forward_times.json
"""

from __future__ import annotations

import argparse
from pathlib import Path

from model import RecurrentTranslator, Translator
from model.lessons.forward_times import FILE, forward_times
from model.networks.recurrent_config import VARIANTS
from model.recurrent_translator import SHIPPED
from model.runtime.checkpoint import write_json

ROUNDS = 41


def main() -> None:
    """Measure on this machine and write the file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.forward_times", description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", type=Path, default=SHIPPED / FILE, help="default %(default)s")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda or mps")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="default %(default)s")
    options = parser.parse_args()
    loaded = {"transformer": Translator.load(device=options.device)}
    loaded |= {name: RecurrentTranslator.load(name, options.device) for name in VARIANTS}
    result = forward_times(loaded, rounds=options.rounds)
    write_json(options.out, result.to_dict())
    for name, times in result.networks.items():
        print(f"{name}: {', '.join(f'{time:.3g}' for time in times.lowest)} ms at {result.lengths} tokens")


if __name__ == "__main__":
    main()
