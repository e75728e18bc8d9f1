"""Train and evaluate the networks this project ships.

    python -m model.training translator --data fra-eng.zip --out assets/translator [--resume]
    python -m model.training recurrent --kind lstm-additive --data fra-eng.zip --out assets/recurrent/lstm-additive
    python -m model.training evaluate --data fra-eng.zip --model assets/translator
    python -m model.training agreement --data fra-eng.zip --model assets/translator
    python -m model.training heads --data fra-eng.zip --model assets/translator
    python -m model.training comparison --data fra-eng.zip --model assets/translator --recurrent assets/recurrent
    python -m model.training raw-attention --data fra-eng.zip --model assets/translator
    python -m model.training forgetting --data fra-eng.zip --recurrent assets/recurrent
    python -m model.training english --data fra-eng.zip --model assets/translator [--other Korean=kor-eng.zip]
    python -m model.training vision --data imagenette --out assets/vision [--resume]
    python -m model.training evaluate-vision --data imagenette --model assets/vision
    python -m model.training heads-vision --data imagenette --model assets/vision

All run unchanged under `torchrun --nproc-per-node N -m model.training ...`; --batch-tokens is for one process.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path

import torch
from torch import nn

from model.networks.config import PRESETS, TransformerConfig
from model.networks.recurrent import RecurrentNetwork
from model.networks.recurrent_config import VARIANTS, RecurrentConfig
from model.networks.transformer import Transformer
from model.networks.vision import VisionConfig, VisionTransformer
from model.recurrent_translator import TOKENIZER
from model.runtime.checkpoint import (
    CheckpointError,
    read_json,
    remove_leftovers,
    sha256_of,
    write_atomically,
    write_json,
)
from model.text.tokenizer import Tokenizer, train_tokenizer
from model.training.augment import Augmentation
from model.training.corpus import CorpusError, read_corpus
from model.training.images import read_images
from model.training.loop import CHECKPOINT, Start, Task, train
from model.training.optimizer import Recipe
from model.training.processes import ProcessGroup
from model.training.recognition import RecognitionTask, Stages
from model.training.studies import add_picture_study, add_text_studies
from model.training.translation import TranslationTask

STAGES = "48x60,64x35,96x20"
VISION_RECIPE = Recipe(
    batch_tokens=4096, warmup_steps=200, weight_decay=0.05, average_decay=0.998, matrix_learning_rate=2e-3
)
COMMANDS = (
    "translator", "recurrent", "evaluate", "agreement", "heads", "english", "comparison", "raw-attention",
    "forgetting", "vision", "evaluate-vision", "heads-vision",
)  # fmt: skip
RECURRENT_RECIPE = Recipe(
    epochs=3, batch_tokens=2000, learning_rate=2e-3, matrix_learning_rate=0, warmup_steps=200, average_decay=0.998
)
NETWORK_OPTIONS = ("patch_size", "d_model", "n_heads", "n_layers", "d_ff", "drop_path")


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line and run; user errors come out as one sentence and exit status 2."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except (CorpusError, CheckpointError, ValueError, OSError) as error:
        print(f"model.training: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m model.training", description=__doc__.split("\n\n")[0])
    commands = parser.add_subparsers(required=True, metavar="|".join(COMMANDS))
    translator = commands.add_parser("translator", help="train the English-French translator")
    translator.set_defaults(run=_train_translator)
    _add_run_options(translator, Recipe())
    translator.add_argument("--epochs", type=int, default=Recipe().epochs, help="default %(default)s")
    translator.add_argument("--preset", choices=sorted(PRESETS), default="small", help="sizes of the network")
    translator.add_argument("--vocabulary", type=int, help="tokens of the joint vocabulary; by default the preset's")
    translator.add_argument(
        "--start-from", type=Path, help="folder of a finished translator to train further; --epochs counts its own too"
    )
    translator.add_argument("--dropout", type=float, help="by default the preset's")
    recurrent = commands.add_parser("recurrent", help="train a recurrent network on the same sentences")
    recurrent.set_defaults(run=_train_recurrent)
    _add_run_options(recurrent, RECURRENT_RECIPE)
    recurrent.add_argument("--kind", choices=sorted(VARIANTS), required=True, help="which of the networks")
    recurrent.add_argument("--epochs", type=int, default=RECURRENT_RECIPE.epochs, help="default %(default)s")
    recurrent.add_argument("--tokenizer", type=Path, default=TOKENIZER, help="by default the shipped translator's")
    recurrent.add_argument("--dropout", type=float, help="by default the kind's")
    evaluate = commands.add_parser("evaluate", help="score a trained translator and write its card")
    evaluate.set_defaults(run=_evaluate_translator)
    evaluate.add_argument("--model", type=Path, required=True, help="folder of the trained translator")
    studies, english = add_text_studies(commands)
    text_commands = (translator, recurrent, evaluate, *studies)
    for command in (*text_commands, english):
        command.add_argument("--data", type=Path, required=True, help=".tsv, .txt, .tsv.gz or .zip of sentence pairs")
        command.add_argument("--heldout", type=int, default=2000, help="English sentences kept for evaluation")
    vision = commands.add_parser("vision", help="train the picture classifier")
    vision.set_defaults(run=_train_vision)
    _add_run_options(vision, VISION_RECIPE)
    vision.add_argument("--stages", default=STAGES, help="pixels x epochs, in order; default %(default)s")
    for field in (*fields(Augmentation), *(field for field in fields(VisionConfig) if field.name in NETWORK_OPTIONS)):
        name = "--" + field.name.replace("_", "-")
        vision.add_argument(name, type=type(field.default), default=field.default, help="default %(default)s")
    evaluate_vision = commands.add_parser("evaluate-vision", help="score a trained classifier and write its card")
    evaluate_vision.set_defaults(run=_evaluate_vision)
    evaluate_vision.add_argument("--model", type=Path, required=True, help="folder of the trained classifier")
    picture_commands = (vision, evaluate_vision, add_picture_study(commands))
    for command in picture_commands:
        command.add_argument("--data", type=Path, required=True, help="folder of parquet shards or of class folders")
    for command in (*text_commands, *picture_commands):
        command.add_argument("--device", default="auto", help="auto, cpu, cuda or mps")
    return parser


def _add_run_options(command: argparse.ArgumentParser, recipe: Recipe) -> None:
    """What every training run takes; the number of epochs is for the command itself to ask for."""
    command.add_argument("--out", type=Path, required=True, help="folder for checkpoint, metrics and weights")
    command.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    for field in fields(Recipe):
        if field.name != "epochs":
            default = getattr(recipe, field.name)
            name = "--" + field.name.replace("_", "-")
            command.add_argument(name, type=type(field.default), default=default, help="default %(default)s")


def _check_out(options: argparse.Namespace) -> None:
    """A run is either new or resumed, never both by accident."""
    if options.resume and not (options.out / CHECKPOINT).is_file():
        raise CheckpointError(
            "There is no {file} in {folder} to resume; leave --resume out to start.",
            file=CHECKPOINT,
            folder=options.out,
        )
    if options.resume and getattr(options, "start_from", None):
        raise CheckpointError("A run that began with --start-from goes on with --resume alone.")
    if not options.resume and (options.out / CHECKPOINT).is_file():
        raise CheckpointError(
            "{folder} holds a {file}; give --resume to go on, or another --out.", folder=options.out, file=CHECKPOINT
        )
    remove_leftovers(options.out)


def _taken(cls: type, options: argparse.Namespace, **given):
    """A dataclass filled from the options of the same names."""
    return cls(**{**{f.name: getattr(options, f.name) for f in fields(cls) if hasattr(options, f.name)}, **given})


@dataclass(frozen=True)
class Prepared:
    """A network's sizes, what makes it with its data once the seed is set, and where its run begins."""

    config: TransformerConfig | RecurrentConfig | VisionConfig
    task: Callable[[], Task]
    start: Start | None = None


def _train(
    options: argparse.Namespace,
    recipe: Recipe,
    prepare: Callable[[ProcessGroup], Prepared],
    finish: Callable[[nn.Module, torch.device], None],
) -> int:
    """What every training run does; `finish` gets the averaged network, in the leading process alone."""
    processes = ProcessGroup.join(options.device)
    try:
        prepared = prepare(processes)
        sizes = prepared.config.to_dict()
        if options.resume and read_json(options.out / "config.json") != sizes:
            raise CheckpointError("{folder} holds a network of other sizes; give the same options.", folder=options.out)
        torch.manual_seed(recipe.seed)
        task = prepared.task()
        if processes.leads:
            write_json(options.out / "config.json", sizes)
        averaged = train(task, recipe, options.out, processes, options.resume, prepared.start)
        if processes.leads:
            finish(averaged, processes.device)
        processes.wait()
    finally:
        processes.leave()
    return 0


def _train_translator(options: argparse.Namespace) -> int:
    corpus = read_corpus(options.data, options.heldout)  # everything wrong with the data is said before any work
    _check_out(options)
    recipe = _taken(Recipe, options)
    changes = {} if options.dropout is None else {"dropout": options.dropout}
    config = TransformerConfig.preset(options.preset, **changes)
    before = None
    if options.start_from:
        from model.training.further import earlier_training

        before = earlier_training(options.start_from, corpus, recipe)

    def prepare(processes: ProcessGroup) -> Prepared:
        if processes.leads and before:
            before.hand_over(options.out)
        elif processes.leads and not options.resume:
            wanted = config.vocabulary_size if options.vocabulary is None else options.vocabulary
            train_tokenizer((text for pair in corpus.train for text in pair), options.out / "tokenizer", wanted)
        processes.wait()
        tokenizer = Tokenizer(options.out / "tokenizer.model")
        sizes = before.config if before else replace(config, vocabulary_size=len(tokenizer))

        def task() -> TranslationTask:
            network = Transformer(sizes)
            if before:
                before.load_into(network)
            return TranslationTask(network, tokenizer, corpus, recipe)

        return Prepared(sizes, task, before.start if before else None)

    def finish(network: nn.Module, device: torch.device) -> None:
        from model.training.card import finish_translator

        finish_translator(options.out, network, corpus, recipe, device)

    return _train(options, recipe, prepare, finish)


def _train_recurrent(options: argparse.Namespace) -> int:
    corpus = read_corpus(options.data, options.heldout)
    _check_out(options)
    recipe = _taken(Recipe, options)
    tokenizer = Tokenizer(options.tokenizer)
    changes = {} if options.dropout is None else {"dropout": options.dropout}
    config = RecurrentConfig.preset(options.kind, vocabulary_size=len(tokenizer), **changes)

    def prepare(processes: ProcessGroup) -> Prepared:
        if processes.leads and sha256_of(options.tokenizer) != sha256_of(TOKENIZER):
            write_atomically(options.out / "tokenizer.model", options.tokenizer.read_bytes())
        return Prepared(config, lambda: TranslationTask(RecurrentNetwork(config), tokenizer, corpus, recipe))

    def finish(network: nn.Module, device: torch.device) -> None:
        from model.training.recurrent_card import finish_recurrent

        finish_recurrent(options.out, network, tokenizer, corpus, recipe, device)

    return _train(options, recipe, prepare, finish)


def _evaluate_translator(options: argparse.Namespace) -> int:
    from model.training.card import evaluate_translator
    from model.training.recurrent_card import evaluate_recurrent

    corpus = read_corpus(options.data, options.heldout)
    recurrent = "cell" in read_json(options.model / "config.json")
    (evaluate_recurrent if recurrent else evaluate_translator)(options.model, corpus, options.device)
    return 0


def _train_vision(options: argparse.Namespace) -> int:
    stages = Stages.parse(options.stages)
    recipe = _taken(Recipe, options, epochs=stages.epochs)
    how = _taken(Augmentation, options)
    _check_out(options)
    images = read_images(options.data)  # everything wrong with the data is said before any work
    config = _taken(VisionConfig, options, classes=images.classes, image_size=stages.final_size)

    def prepare(processes: ProcessGroup) -> Prepared:
        return Prepared(config, lambda: RecognitionTask(VisionTransformer(config), images, recipe, stages, how))

    def finish(network: nn.Module, device: torch.device) -> None:
        from model.training.vision_card import finish_vision

        finish_vision(options.out, network, images, recipe, device)

    return _train(options, recipe, prepare, finish)


def _evaluate_vision(options: argparse.Namespace) -> int:
    from model.training.vision_card import evaluate_vision

    read_json(options.model / "config.json")
    evaluate_vision(options.model, read_images(options.data), options.device)
    return 0


if __name__ == "__main__":
    sys.exit(main())
