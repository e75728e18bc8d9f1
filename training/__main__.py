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
from dataclasses import replace
from functools import partial
from pathlib import Path

from model.data.corpus import CorpusError, read_split
from model.networks.config import PRESETS, TransformerConfig
from model.networks.recurrent import RecurrentNetwork
from model.networks.recurrent_config import VARIANTS, RecurrentConfig
from model.networks.transformer import Transformer
from model.recurrent_translator import TOKENIZER
from model.runtime import interrupts
from model.runtime.checkpoint import CheckpointError, load_weights, read_json, sha256_of, write_atomically
from model.runtime.processes import ProcessGroup
from model.text.tokenizer import Tokenizer, train_tokenizer

from .card import evaluate_translator, finish_translator
from .card_rewriting import add_cards_command
from .continued_training import read_earlier_training
from .language_card import evaluate_language
from .language_commands import add_language_command
from .optimizer import Recipe
from .picture_commands import add_picture_commands
from .position_commands import add_position_studies
from .position_networks import add_positions_command
from .positions_card import evaluate_positions
from .recurrent_card import evaluate_recurrent, finish_recurrent
from .run_options import (
    PreparedRun,
    add_device_option,
    add_run_options,
    add_split_options,
    check_out,
    from_options,
    read_split_of,
    run_training,
)
from .split_card import DECODINGS
from .study_commands import add_text_studies
from .translation import TranslationTask

RECURRENT_RECIPE = Recipe(
    epochs=3, batch_tokens=2000, learning_rate=2e-3, matrix_learning_rate=0, warmup_steps=200, average_decay=0.998
)


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
    translator = commands.add_parser("translator", help="train the English-French translator")
    translator.set_defaults(run=_train_translator)
    add_run_options(translator, Recipe())
    translator.add_argument("--epochs", type=int, default=Recipe().epochs, help="default %(default)s")
    translator.add_argument("--preset", choices=sorted(PRESETS), default="small", help="sizes of the network")
    translator.add_argument("--vocabulary", type=int, help="tokens of the joint vocabulary; by default the preset's")
    translator.add_argument(
        "--start-from", type=Path, help="folder of a finished translator to train further; --epochs counts its own too"
    )
    translator.add_argument("--dropout", type=float, help="by default the preset's")
    recurrent = commands.add_parser("recurrent", help="train a recurrent network on the same sentences")
    recurrent.set_defaults(run=_train_recurrent)
    add_run_options(recurrent, RECURRENT_RECIPE)
    recurrent.add_argument("--kind", choices=sorted(VARIANTS), required=True, help="which of the networks")
    recurrent.add_argument("--epochs", type=int, default=RECURRENT_RECIPE.epochs, help="default %(default)s")
    recurrent.add_argument("--tokenizer", type=Path, default=TOKENIZER, help="by default the shipped translator's")
    recurrent.add_argument("--dropout", type=float, help="by default the kind's")
    evaluate = commands.add_parser("evaluate", help="score a trained translator and write its card")
    evaluate.set_defaults(run=_evaluate_translator)
    evaluate.add_argument("--model", type=Path, required=True, help="folder of the trained translator")
    evaluate.add_argument(
        "--decoding",
        choices=tuple(DECODINGS),
        action="append",
        help="run only this one, and leave the scores of others as they are; by default all",
    )
    studies, english = add_text_studies(commands)
    language, positions = add_language_command(commands), add_positions_command(commands)
    text_commands = (translator, recurrent, language, positions, evaluate, *studies, *add_position_studies(commands))
    for command in (*text_commands, english):
        command.add_argument("--data", type=Path, required=True, help=".tsv, .txt, .tsv.gz or .zip of sentence pairs")
        command.add_argument("--heldout", type=int, default=2000, help="English sentences held out for evaluation")
    for command in (translator, recurrent, language, positions):
        add_split_options(command)
    for command in text_commands:
        add_device_option(command)
    add_picture_commands(commands)
    add_cards_command(commands)
    commands.metavar = "|".join(commands.choices)
    return parser


def _train_translator(options: argparse.Namespace) -> int:
    corpus = read_split_of(options)  # reports errors in the data before any work
    check_out(options)
    recipe = from_options(Recipe, options)
    changes = {} if options.dropout is None else {"dropout": options.dropout}
    config = TransformerConfig.preset(options.preset, **changes)
    before = read_earlier_training(options.start_from, corpus, recipe) if options.start_from else None

    def prepare(processes: ProcessGroup) -> PreparedRun:
        if processes.leads and before:
            before.write_to(options.out)
        elif processes.leads and not options.resume:
            size = config.vocabulary_size if options.vocabulary is None else options.vocabulary
            train_tokenizer((text for pair in corpus.train for text in pair), options.out / "tokenizer", size)
        processes.wait()
        tokenizer = Tokenizer(options.out / "tokenizer.model")
        sizes = before.config if before else replace(config, vocabulary_size=len(tokenizer))

        def task() -> TranslationTask:
            network = Transformer(sizes)
            if before:
                load_weights(network, before.tensors, "the earlier run")
            return TranslationTask(network, tokenizer, corpus, recipe)

        return PreparedRun(sizes, task, before.start if before else None)

    return run_training(options, recipe, prepare, partial(finish_translator, options.out, corpus, recipe))


def _train_recurrent(options: argparse.Namespace) -> int:
    corpus = read_split_of(options)
    check_out(options)
    recipe = from_options(Recipe, options)
    tokenizer = Tokenizer(options.tokenizer)
    changes = {} if options.dropout is None else {"dropout": options.dropout}
    config = RecurrentConfig.preset(options.kind, vocabulary_size=len(tokenizer), **changes)

    def prepare(processes: ProcessGroup) -> PreparedRun:
        if processes.leads and sha256_of(options.tokenizer) != sha256_of(TOKENIZER):
            write_atomically(options.out / "tokenizer.model", options.tokenizer.read_bytes())
        return PreparedRun(config, lambda: TranslationTask(RecurrentNetwork(config), tokenizer, corpus, recipe))

    return run_training(options, recipe, prepare, partial(finish_recurrent, options.out, tokenizer, corpus, recipe))


def _evaluate_translator(options: argparse.Namespace) -> int:
    sizes = read_json(options.model / "config.json")
    evaluate = evaluate_recurrent if "cell" in sizes else evaluate_translator
    if "n_layers" in sizes:
        evaluate = evaluate_language
    data = read_json(options.model / "card.json")["data"]
    if "longest_tokens" in data:
        evaluate = evaluate_positions
    split = data.get("split", {})  # older networks have test sentences only
    same = options.heldout == split.get("test_sentences")
    corpus = read_split(options.data, options.heldout, split["validation_sentences"] if same else 0)
    evaluate(options.model, corpus, options.device, options.decoding or tuple(DECODINGS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
