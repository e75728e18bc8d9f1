"""Train and evaluate the networks this project ships.

    python -m training translator --data fra-eng.zip --out assets/translator [--resume]
    python -m training recurrent --kind lstm-additive --data fra-eng.zip --out assets/recurrent/lstm-additive
    python -m training language --data fra-eng.zip --out assets/language
    python -m training positions --kind rotary --seed 0 --data fra-eng.zip --out rotary-0
    python -m training evaluate --data fra-eng.zip --model assets/translator
    python -m training agreement --data fra-eng.zip --model assets/translator
    python -m training heads --data fra-eng.zip --model assets/translator
    python -m training comparison --data fra-eng.zip --model assets/translator --recurrent assets/recurrent
    python -m training one-stack --data fra-eng.zip --model assets/language
    python -m training raw-attention --data fra-eng.zip --model assets/translator
    python -m training forgetting --data fra-eng.zip --recurrent assets/recurrent
    python -m training english --data fra-eng.zip --model assets/translator [--other Korean=kor-eng.zip]
    python -m training vision --data imagenette --out assets/vision [--resume]
    python -m training convolution --data imagenette --out assets/convolution [--resume]
    python -m training evaluate-vision --data imagenette --model assets/vision
    python -m training read-vision --data imagenette --model assets/vision
    python -m training heads-vision --data imagenette --model assets/vision
    python -m training agreement-vision --data imagenette --model assets/vision
    python -m training maps-vision --data imagenette --model assets/vision --drawn variants
    python -m training unlike-vision --data imagenette --model assets/vision --report photographs=folder

All also run under `torchrun --nproc-per-node N -m training ...`; --batch-tokens is for one process.
"""

import argparse
import sys

from model.data.corpus import CorpusError
from model.runtime import interrupts
from model.runtime.checkpoint import CheckpointError

from .picture_commands import add_picture_commands
from .study_commands import add_cards_command
from .text_commands import add_text_commands


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line and run; user errors are printed as one sentence, with exit status 2, Ctrl+C with 130."""
    interrupts.raise_interrupts()
    try:
        options = _parser().parse_args(arguments)
        return options.run(options)
    except KeyboardInterrupt:
        return interrupts.report_interrupt("training")
    except (CorpusError, CheckpointError, ValueError, OSError) as error:
        print(f"training: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__.split("\n\n")[0])
    commands = parser.add_subparsers(required=True)
    add_text_commands(commands)
    add_picture_commands(commands)
    add_cards_command(commands)
    commands.metavar = "|".join(commands.choices)
    return parser


if __name__ == "__main__":
    sys.exit(main())
