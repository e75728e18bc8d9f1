"""Commands on pictures: train the Vision Transformer and the convolutional network, and measure them."""

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
from .head_card import write_readable_card
from .head_study import study_classifier
from .map_study import read_drawings, study_maps
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
from .unlike_study import study_unlike
from .vision_card import card_markdown, evaluate_agreement, evaluate_recognizer, finish_recognizer

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
    heads_vision = commands.add_parser("heads-vision", help="the same for the classifier, over validation pictures")
    heads_vision.set_defaults(run=_study_classifier)
    heads_vision.add_argument("--model", type=Path, required=True, help="folder of the trained classifier")
    heads_vision.add_argument("--pictures", type=int, default=200, help="pictures used; default %(default)s")
    agreement_vision = commands.add_parser(
        "agreement-vision", help="which explanations of a Vision Transformer agree with leave-one-out"
    )
    agreement_vision.set_defaults(run=_measure_agreement)
    agreement_vision.add_argument("--model", type=Path, required=True, help="folder of the trained classifier")
    agreement_vision.add_argument("--pictures", type=int, default=50, help="pictures used; default %(default)s")
    maps_vision = commands.add_parser("maps-vision", help="how sharp its maps are, and how often they find the object")
    maps_vision.set_defaults(run=_study_maps)
    maps_vision.add_argument("--model", type=Path, required=True, help="folder of the trained classifier")
    maps_vision.add_argument("--drawn", type=Path, required=True, help="variants of `python -m tools.samples`")
    maps_vision.add_argument("--off-centre", type=Path, help="variants drawn with --off-centre")
    maps_vision.add_argument("--before", type=Path, help="folder of an earlier classifier to compare with")
    maps_vision.add_argument("--pictures", type=int, default=200, help="pictures used; default %(default)s")
    unlike_vision = commands.add_parser(
        "unlike-vision", help="measure how to tell pictures unlike the training pictures"
    )
    unlike_vision.set_defaults(run=_study_unlike)
    unlike_vision.add_argument("--model", type=Path, required=True, help="folder of the trained classifier")
    groups = {"choose": "by which scores are compared", "report": "by which nothing is chosen"}
    for name, purpose in groups.items():
        unlike_vision.add_argument(
            f"--{name}", action="append", default=[], metavar="NAME=FOLDER", help=f"pictures of other things, {purpose}"
        )
    measuring = (evaluate_vision, read_vision, heads_vision, agreement_vision, maps_vision, unlike_vision)
    for command in (vision, convolution, *measuring):
        command.add_argument("--data", type=Path, required=True, help="folder of parquet shards or of class folders")
        add_device_option(command)


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


def _check_heads(options: argparse.Namespace) -> None:
    if options.pictures < 1:
        raise ValueError(f"{options.pictures} pictures leave nothing to measure; give --pictures 1 or more.")
    if "widths" in read_json(options.model / "config.json"):
        raise ValueError("A convolutional network has no heads to measure; give the folder of a Vision Transformer.")


def _measure_agreement(options: argparse.Namespace) -> int:
    _check_heads(options)
    evaluate_agreement(options.model, read_images(options.data), options.pictures, options.device)
    return 0


def _study_maps(options: argparse.Namespace) -> int:
    _check_heads(options)
    drawn = read_drawings(options.drawn)
    off_centre = read_drawings(options.off_centre) if options.off_centre else None
    images = read_images(options.data)
    study_maps(options.model, images, drawn, options.before, options.pictures, options.device, off_centre)
    write_readable_card(options.model, card_markdown)
    return 0


def _study_unlike(options: argparse.Namespace) -> int:
    if "widths" in read_json(options.model / "config.json"):
        raise ValueError("A convolutional network has no CLS to measure; give the folder of a Vision Transformer.")
    chosen_by, reported = (_named_folders(getattr(options, name), name) for name in ("choose", "report"))
    if both := set(chosen_by) & set(reported):
        raise ValueError(f"--choose and --report both name {', '.join(sorted(both))}; give each group its own name.")
    study_unlike(options.model, read_images(options.data), chosen_by, reported, options.device)
    write_readable_card(options.model, card_markdown)
    return 0


def _named_folders(pairs: list[str], option: str) -> dict[str, Path]:
    """Parse NAME=FOLDER.

    Raises:
        ValueError: the message names the option.
    """
    folders = {}
    for pair in pairs:
        name, separator, folder = pair.partition("=")
        if not (name and separator and folder):
            raise ValueError(
                f"--{option} {pair} has no name or no folder; give NAME=FOLDER, such as photographs=photos."
            )
        folders[name] = Path(folder)
    return folders


def _study_classifier(options: argparse.Namespace) -> int:
    _check_heads(options)
    study_classifier(options.model, read_images(options.data), options.pictures, options.device)
    write_readable_card(options.model, card_markdown)
    return 0
