"""Commands on pictures: train the Vision Transformer and the convolutional network, and score them."""

import argparse
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from model.data.images import read_images
from model.networks.convolution import ConvolutionalNetwork, ConvolutionConfig
from model.networks.vision import VisionConfig, VisionTransformer
from model.runtime.checkpoint import CheckpointError, load_weights, read_json
from model.runtime.processes import ProcessGroup

from .augment import Augmentation
from .continued_vision_training import pixels_before, read_earlier_vision_training, stages_after
from .distillation import Distillation, Teacher
from .optimizer import Recipe
from .reading_size import change_reading_size
from .recognition import RecognitionTask, Recognizer, Stages
from .run_options import (
    PreparedRun,
    add_device_option,
    add_options_of,
    add_run_options,
    check_out,
    from_options,
    run_training,
)
from .study_commands import PICTURE_STUDIES, add_studies
from .vision_card import evaluate_recognizer, finish_recognizer

STAGES = "48x60,64x35,96x20"
CONVOLUTION_STAGES = "64x40,96x50,128x30"
VISION_RECIPE = Recipe(
    batch_tokens=4096, warmup_steps=200, weight_decay=0.05, average_decay=0.998, matrix_learning_rate=2e-3
)
CONVOLUTION_RECIPE = replace(
    VISION_RECIPE,
    batch_tokens=3072,
    learning_rate=4e-3,
    matrix_learning_rate=6e-3,
    warmup_steps=100,
    schedule="cosine",
)
CONVOLUTION_VIEWS = Augmentation(operations=1, strength=0.3)
NETWORK_OPTIONS = ("patch_size", "d_model", "n_heads", "n_layers", "d_ff", "drop_path")


def add_picture_commands(commands: argparse._SubParsersAction) -> None:
    """Add the commands of this file."""
    vision = commands.add_parser("vision", help="train the picture classifier")
    vision.set_defaults(run=partial(_train_recognizer, sizes=VisionConfig, network=VisionTransformer))
    add_run_options(vision, VISION_RECIPE)
    _add_picture_options(vision, STAGES, Augmentation())
    add_options_of(vision, VisionConfig, NETWORK_OPTIONS)
    vision.add_argument("--teacher", type=Path, help="folder of a finished convolutional network to learn from")
    add_options_of(vision, Distillation())
    vision.add_argument(
        "--start-from", type=Path, help="folder of a finished classifier to train further, by the epochs of --stages"
    )
    convolution = commands.add_parser("convolution", help="train a convolutional network on the same pictures")
    convolution.set_defaults(run=partial(_train_recognizer, sizes=ConvolutionConfig, network=ConvolutionalNetwork))
    add_run_options(convolution, CONVOLUTION_RECIPE)
    _add_picture_options(convolution, CONVOLUTION_STAGES, CONVOLUTION_VIEWS)
    convolution.add_argument("--widths", type=int, nargs="+", default=ConvolutionConfig.widths, help="of the stages")
    add_options_of(convolution, ConvolutionConfig, ("blocks", "squeeze"))
    evaluate_vision = commands.add_parser("evaluate-vision", help="score a trained classifier and write its card")
    evaluate_vision.set_defaults(run=_evaluate_recognizer)
    evaluate_vision.add_argument("--model", type=Path, required=True, help="folder of the trained classifier")
    read_vision = commands.add_parser("read-vision", help="choose at which size a trained Vision Transformer reads")
    read_vision.set_defaults(run=_choose_reading_size)
    read_vision.add_argument("--model", type=Path, required=True, help="folder of the trained classifier")
    own = (vision, convolution, evaluate_vision, read_vision)
    for command in own:
        add_device_option(command)
    for command in (*own, *add_studies(commands, PICTURE_STUDIES)):
        command.add_argument("--data", type=Path, required=True, help="folder of parquet shards or of class folders")


def _add_picture_options(command: argparse.ArgumentParser, stages: str, how: Augmentation) -> None:
    """Add the options of every training run on pictures."""
    command.add_argument("--stages", default=stages, help="pixels x epochs, in order; default %(default)s")
    command.add_argument(
        "--held-back", type=int, default=1000, help="training pictures that epochs are chosen by; default %(default)s"
    )
    command.add_argument("--compiled", action="store_true", help="faster on a processor; needs a C++ compiler")
    add_options_of(command, how)


def _train_recognizer(
    options: argparse.Namespace,
    sizes: type[VisionConfig] | type[ConvolutionConfig],
    network: Callable[..., Recognizer],
) -> int:
    stages = Stages.parse(options.stages)
    how = from_options(Augmentation, options)
    check_out(options)
    images = read_images(options.data).hold_back(options.held_back)  # reports errors in the data before any work
    side = stages.final_size
    if options.resume and network is ConvolutionalNetwork:  # a finished run has chosen its reading size
        side = read_json(options.out / "config.json").get("image_size", side)
    config: VisionConfig | ConvolutionConfig = from_options(sizes, options, classes=images.classes, image_size=side)
    before = None
    if folder := getattr(options, "start_from", None):
        if folder.resolve() == options.out.resolve():
            raise CheckpointError("--start-from and --out are the same folder; give another --out.")
        before = read_earlier_vision_training(folder, images, stages)
        _check_network_options(options, before.config)
        config, stages = before.config, before.stages
    elif options.resume and (pixels := pixels_before(options.out)):  # a run that began with --start-from
        config = sizes.from_dict(read_json(options.out / "config.json"))
        stages = stages_after(pixels, stages)
    recipe = from_options(Recipe, options, epochs=stages.epochs)
    teacher = None
    if getattr(options, "teacher", None):
        teacher = Teacher.load(options.teacher, from_options(Distillation, options), images)

    def prepare(processes: ProcessGroup) -> PreparedRun:
        def task() -> RecognitionTask:
            untrained = network(config)
            if before:
                load_weights(untrained, before.tensors, str(options.start_from))
                if processes.leads:
                    before.write_to(options.out)
            return RecognitionTask(untrained, images, recipe, stages, how, teacher, options.compiled)

        return PreparedRun(config, task, before.start if before else None)

    return run_training(options, recipe, prepare, partial(finish_recognizer, options.out, images, recipe, teacher))


def _check_network_options(options: argparse.Namespace, config: VisionConfig) -> None:
    """Refuse an option for another network than the one to start from.

    Raises:
        ValueError: the message names the option.
    """
    for name in NETWORK_OPTIONS:
        value, has = getattr(options, name), getattr(config, name)
        if value not in (has, getattr(VisionConfig, name)):
            word = name.replace("_", "-")
            raise ValueError(f"The network to start from has --{word} {has} and keeps it; leave the option out.")


def _evaluate_recognizer(options: argparse.Namespace) -> int:
    read_json(options.model / "config.json")
    evaluate_recognizer(options.model, read_images(options.data), options.device)
    return 0


def _choose_reading_size(options: argparse.Namespace) -> int:
    if "widths" in read_json(options.model / "config.json"):
        raise ValueError(
            "A convolutional network's size was chosen with its card; give the folder of a Vision Transformer."
        )
    change_reading_size(options.model, read_images(options.data), options.device)
    return 0
