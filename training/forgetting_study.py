"""Measure on held-out sentences the gradient of an encoder's last state by each input, by distance."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from model.data.corpus import Corpus
from model.lessons.forgetting import FILE, NETWORKS, Forgetting, SizeAtDistance
from model.lessons.recurrence_gradients import state_gradients
from model.recurrent_translator import RecurrentTranslator
from model.runtime.checkpoint import write_json
from model.runtime.device import choose_device, describe_hardware
from model.sentence_check import InputError

from .network_comparison_study import RECURRENT_FOLDER
from .study import Study, check_count, counted, held_out_card, read_heldout

SENTENCES = 500


def measure_forgetting(folder: Path, corpus: Corpus, sentences: int = SENTENCES, device: str = "auto") -> Forgetting:
    """Measure both networks with one vector on the first held-out sentences, and write `FILE` into `folder`.

    Args:
        folder: contains a folder for each of the networks.

    Raises:
        CheckpointError: a network cannot be read.
        ValueError: a network was trained on other data, or may have seen some of these sentences.
    """
    networks = {}
    for name in NETWORKS:
        held_out_card(folder / name, corpus)
        networks[name] = RecurrentTranslator.load(folder / name, device)
    gradients: dict[str, dict[str, list[dict[int, float]]]] = {
        name: {state: [] for state in states} for name, states in NETWORKS.items()
    }
    used, largest = 0, 0.0
    for sentence in tqdm(list(corpus.heldout)[:sentences], desc="forgetting", mininterval=2):
        try:
            ids = {name: model.read_ids(sentence) for name, model in networks.items()}
        except InputError:  # more tokens than the networks take
            continue
        used += 1
        for name, model in networks.items():
            sizes = state_gradients(model.network, ids[name])
            largest = max(largest, sizes.difference)
            for state, by_sentence in gradients[name].items():
                of_state = getattr(sizes, state)[:-1]  # without `</s>`
                by_sentence.append(dict(zip(sizes.distance[:-1].tolist(), of_state.tolist(), strict=True)))
    facts = {
        "hardware": describe_hardware(choose_device(device)),
        "data_sha256": corpus.sha256,
        "largest_difference_to_autograd": largest,
    }
    hashes = {name: model.weights_sha256 for name, model in networks.items()}
    measured = {
        name: {state: group_by_distance(rows) for state, rows in states.items()} for name, states in gradients.items()
    }
    result = Forgetting(hashes, used, measured, facts)
    write_json(folder / FILE, result.to_dict())
    return result


def group_by_distance(sentences: Sequence[dict[int, float]]) -> tuple[SizeAtDistance, ...]:
    """Group the sizes of many sentences, each distance -> size, by distance from 0."""
    result = []
    for distance in range(1 + max(max(sizes) for sizes in sentences)):
        sizes = np.array([sizes[distance] for sizes in sentences if distance in sizes])
        if not len(sizes):
            break
        logarithms = np.log10(sizes)
        result.append(
            SizeAtDistance(len(sizes), float(sizes.mean()), float(10 ** logarithms.mean()), float(logarithms.std()))
        )
    return tuple(result)


def _measure(options: argparse.Namespace) -> None:
    check_count(options.sentences)
    measure_forgetting(options.recurrent, read_heldout(options), options.sentences, options.device)


FORGETTING = Study(
    "forgetting",
    "measure how far back the networks with one vector remember",
    _measure,
    {"--recurrent": RECURRENT_FOLDER, "--sentences": counted(SENTENCES)},
)
