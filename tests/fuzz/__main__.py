"""`python -m tests.fuzz`: run the whole campaign, print a table and write a JSON file; exit status 1 on failures.

A sentence, a picture or a checkpoint is identified by the seed and its number, so `--only picture --seed 1 --first 261
--cases 1` runs one again; a page by its address, which is printed; messages by the client that sends a hundred of them.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from pathlib import Path

from server import memory_budget
from tests.fuzz import campaign, protocol

MESSAGES = 10_500
KINDS = {
    "sentence": (campaign.sentences, 5000),
    "picture": (campaign.pictures, 5500),
    "checkpoint": (campaign.checkpoints, 400),
    "page": (campaign.pages, 500),
}
MAX_GROWTH = 90.0  # megabytes with cleared caches, which the allocator may retain; a leak grows with the cases
RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "fuzz.json"


def main() -> int:
    """Run the chosen kinds of cases; all of them by default."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", type=int, default=2026, help="default %(default)s")
    parser.add_argument(
        "--only", choices=[*KINDS, "message"], action="append", help="all kinds by default; may be given again"
    )
    parser.add_argument("--cases", type=int, help="of each kind; by default more than 10,000 altogether")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument(
        "--seconds",
        type=float,
        default=campaign.SECONDS,
        help="of processor time that a case may take at a stretch, default %(default)s; more on a busy machine",
    )
    parser.add_argument("--json", type=Path, default=RESULTS, help="default %(default)s")
    options = parser.parse_args()
    memory_budget.limit_malloc_arenas()  # as the server does; otherwise each thread's arena retains some memory
    results = []
    for name in options.only or [*KINDS, "message"]:

        def report(number: int, reason: str, name: str = name) -> None:
            print(f"{name} {options.first + number}, seed {options.seed}:\n{reason}", flush=True)

        results.append(_run(name, options, report))
        print(table_row(results[-1]), flush=True)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps([result.to_dict() for result in results], indent=2) + "\n", encoding="utf-8")
    return int(any(result.failures or result.grown > MAX_GROWTH for result in results))


def _run(name: str, options: argparse.Namespace, report: protocol.ReportFailure) -> campaign.CampaignResult:
    """Run the cases of one kind."""
    if name == "message":
        count = options.cases or MESSAGES
        return protocol.run(options.seed, count, report, options.seconds, options.first, settle=True)
    make, count = KINDS[name]
    cases = itertools.islice(make(options.seed), options.first, None)
    return campaign.run(name, cases, options.seed, options.cases or count, report, options.seconds)


def table_row(result: campaign.CampaignResult) -> str:
    """One result as a row of a Markdown table."""
    outcomes = ", ".join(f"{count:,} {name}" for name, count in sorted(result.outcomes.items()))
    return (
        f"| {result.name} | {result.seed} | {result.cases:,} | {outcomes} | {result.slowest:.2f} s | "
        f"{result.grown:+.0f} MB | {len(result.failures)} |"
    )


if __name__ == "__main__":
    sys.exit(main())
