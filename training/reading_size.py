"""Choose the picture size of a finished Vision Transformer."""

from pathlib import Path

from model.data.images import LabelledImages
from model.networks.vision import VisionTransformer
from model.runtime.checkpoint import load_weights, write_json
from model.runtime.device import choose_device

from .card import write_weights
from .continued_vision_training import read_earlier_vision_training
from .recognition import Stages
from .vision_card import calibrate, choose_reading_size, evaluate_recognizer, validation_card


def change_reading_size(folder: Path, images: LabelledImages, device: str = "auto") -> dict:
    """Choose the picture size of the network in `folder`, fit the temperature at it, and rewrite weights and card.

    Both on the pictures that were held back from its training; see `choose_reading_size`. Nothing is trained.

    Raises:
        CheckpointError: the folder cannot be read.
        ValueError: it was trained on other pictures or held none back, or its size was chosen before.
    """
    card = validation_card(folder, images)
    trained, held_back = card["training"]["stages"][-1][0], card["data"].get("held_back", 0)
    if "reading" in card["training"]:
        raise ValueError("The size at which it reads was chosen before, and the positions it learned are gone.")
    if not held_back:
        raise ValueError("No pictures were held back from its training, by which a size could be chosen.")
    images = images.hold_back(held_back)
    earlier = read_earlier_vision_training(folder, images, Stages(((trained, 1),)))
    network = VisionTransformer(earlier.config)
    load_weights(network, earlier.tensors, str(folder))
    place = choose_device(device)
    network.to(place)
    reading = choose_reading_size(network, trained, images.held_back, place)
    write_json(folder / "config.json", network.config.to_dict())
    card["calibration"] = calibrate(network, images.held_back, place)
    card |= write_weights(folder, network)
    card["training"]["reading"] = reading
    write_json(folder / "card.json", card)
    return evaluate_recognizer(folder, images, device)
