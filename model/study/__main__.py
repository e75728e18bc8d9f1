"""Measure what every head of a network does over many inputs: its patterns, entropy, distance and ablation effect.

    python -m model.study translator sentences.txt --out study
    python -m model.study vision pictures --out study
    python -m model.study path/or/hub-id texts.parquet --out study --kind decoder
    python -m model.study translator pairs.tsv --out study --causal head_output

Started again, it resumes; under `torchrun --nproc-per-node N -m model.study ...`, also on several hosts that share the
folder, it gives the same numbers.
"""

import argparse
import sys
from datetime import timedelta
from pathlib import Path

from ..hub.errors import OpenError
from ..hub.loading import DTYPES
from ..hub.tasks import TABLES
from ..open_model import SPREAD
from ..runtime import interrupts
from ..runtime.checkpoint import CheckpointError
from ..runtime.processes import ProcessGroup
from ..tracing.kinds import KINDS
from .causal_pairs import CAUSAL_SITES, run_causal_study
from .networks import open_studied_model
from .pair_measurements import METHODS
from .run import run_study
from .study_data import StudyError, check_packages, read_inputs

PATIENCE = timedelta(days=30)  # hosts of different speed get as many inputs each


def main(arguments: list[str] | None = None, program: str = "model.study") -> int:
    """Parse the command line and run; user errors are printed as one sentence, with exit status 2, Ctrl+C with 130.

    Args:
        arguments: those of the command line by default.
        program: the module's name in messages.
    """
    interrupts.raise_interrupts()
    try:
        options = _parser(program).parse_args(arguments)
        check_packages()
        return _run(options)
    except KeyboardInterrupt:
        return interrupts.report_interrupt(program)
    except (StudyError, OpenError, CheckpointError, ValueError, OSError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2


def _run(options: argparse.Namespace) -> int:
    if options.inputs is not None and options.inputs < 1:
        raise StudyError(f"{options.inputs} inputs leave nothing to measure; give --inputs 1 or more.")
    inputs = read_inputs(options.texts).part(options.inputs)
    spread = options.device == SPREAD
    processes = ProcessGroup.join("cpu" if spread else options.device, PATIENCE)
    try:
        if options.memory is not None and not spread:
            raise StudyError("Only spread weights can be limited; add --device spread.")
        if spread and processes.world_size > 1:
            raise StudyError("A spread model takes all devices; start it in one process.")
        device = SPREAD if spread else str(processes.device)
        memory = None if options.memory is None else int(options.memory * 1e9)
        studied = open_studied_model(
            options.model,
            device,
            task=options.task,
            dtype=options.dtype,
            memory=memory,
            download=options.download,
        )
        if options.causal is not None:
            if processes.world_size > 1:
                raise StudyError("A causal method runs in one process; start it without torchrun.")
            run_causal_study(
                studied, inputs, options.out, options.causal, part=options.part, direction=options.direction
            )
            return 0
        run_study(
            studied,
            inputs,
            options.out,
            processes,
            kinds=options.kind,
            ablates=not options.no_ablation,
            replacement=options.replacement,
        )
    finally:
        processes.leave()
    return 0


def _parser(program: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m {program}", description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "model",
        help="translator, language, vision, lstm-additive, lstm-dot, a folder, or an id of the hub",
    )
    parser.add_argument(
        "texts", type=Path, help=".txt of lines, .tsv of pairs, .parquet, or a folder of pictures or of .parquet files"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for shards and results, which all hosts see")
    parser.add_argument("--kind", action="append", choices=sorted(KINDS), help="only this attention; may be repeated")
    parser.add_argument("--inputs", type=int, help="at most so many, spread evenly over all")
    parser.add_argument("--no-ablation", action="store_true", help="leave out the effects, which take most of the time")
    parser.add_argument(
        "--replacement",
        default="zero",
        choices=("zero", "mean"),
        help="what ablated heads are replaced by: zero, or their means over these inputs",
    )
    parser.add_argument(
        "--causal",
        choices=(*CAUSAL_SITES, *METHODS),
        metavar="METHOD",
        help=f"measure pairs of a clean and a corrupt text instead: {', '.join(METHODS)}, or by patching one of "
        f"{', '.join(CAUSAL_SITES)}",
    )
    parser.add_argument("--part", help="of a site: encoder, decoder, cross, ...; by default the first that has it")
    parser.add_argument(
        "--direction",
        choices=("denoising", "noising"),
        help="of patching; by default denoising, of path_patch noising",
    )
    parser.add_argument(
        "--device",
        default="auto",
        help="auto, cpu, cuda or mps; spread lays a checkpoint over all devices (accelerate)",
    )
    parser.add_argument(
        "--memory",
        type=float,
        metavar="GB",
        help="of memory for the weights of a spread checkpoint; the rest stays on disk",
    )
    parser.add_argument("--dtype", default="auto", choices=("auto", *DTYPES), help="precision of an opened checkpoint")
    parser.add_argument("--task", choices=sorted(TABLES), help="what a checkpoint does, where its files do not say")
    parser.add_argument("--download", action="store_true", help="let an id be fetched from the hub")
    return parser


if __name__ == "__main__":
    sys.exit(main())
