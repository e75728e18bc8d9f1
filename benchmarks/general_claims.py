"""Measure what general sentences of the pages claim about networks that ship: `python -m benchmarks.general_claims`.

The figures are in `general_claims.json`, with the number of cases of each; `tests/general_claims.py` lists the
sentences, and a test compares their numbers with the file. A part alone: `--only vision`.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from tqdm import tqdm

from model import RecurrentTranslator, Translator, VisionClassifier
from model.causal.recurrent_patching import patch_recurrent_in_steps
from model.causal.sent_tokens import SentTokensAccumulator, above_the_others
from model.causal.sentence_pairs import pair_sentences, prepare_pair
from model.data.corpus import Corpus, read_corpus
from model.data.images import read_images
from model.picture_classifier import middle_square
from model.runtime.checkpoint import sha256_of
from model.runtime.device import describe_hardware
from model.runtime.progress import run_to_end
from model.text.word_alignment import AlignmentTable, find_links
from model.translator import SHIPPED

FILE = Path(__file__).with_name("general_claims.json")
PAIRS = 40  # of sentences that differ in one token
PICTURES = 250  # validation pictures, evenly spread
ATTENDING = ("lstm-vector", "lstm-additive", "lstm-dot")
RESTORES = 0.5  # of the way to the other sentence
LONG = 15  # words
SENTENCES = 200  # test sentences, evenly spread


def spread(items: list, count: int) -> list:
    """So many items, evenly spread."""
    return [items[place] for place in np.unique(np.linspace(0, len(items) - 1, count).round().astype(int))]


def pairs_of_one_token(translator: RecurrentTranslator, corpus: Corpus) -> Iterator[tuple[list[int], list[int]]]:
    """Ids of a test sentence and of a sentence of the file that differ in one token, no sentence twice."""
    frames: dict[tuple[int | None, ...], list[int]] = {}
    for english in sorted({english for english, _ in corpus.train}):
        ids = translator.read_ids(english)
        for place in range(len(ids) - 1):
            frames.setdefault((*ids[:place], None, *ids[place + 1 :]), ids)
    for english in sorted(corpus.heldout):
        ids = translator.read_ids(english)
        for place in range(len(ids) - 1):
            other = frames.get((*ids[:place], None, *ids[place + 1 :]))
            if other is not None and len(ids) > 4:
                yield ids, other
                break


def measure_steps(corpus: Corpus) -> dict[str, object]:
    """How far one step alone restores the word of the other sentence, with one vector and with attention."""
    networks = {name: RecurrentTranslator.load(name, "cpu") for name in ATTENDING}
    pairs = spread(list(pairs_of_one_token(networks[ATTENDING[0]], corpus)), 4 * PAIRS)
    return {name: _measure_pairs(network, pairs) for name, network in networks.items()}


def _measure_pairs(translator: RecurrentTranslator, pairs: list[tuple[list[int], list[int]]]) -> dict[str, object]:
    own, others = [], []
    for clean, corrupt in tqdm(pairs, desc="pairs", mininterval=5):
        network = translator.resumable
        pair = pair_sentences(network, translator.tokenizer, clean, corrupt)
        if not pair.targets[pair.proposed].changes:
            continue
        experiment = prepare_pair(network, translator.tokenizer, pair, pair.proposed, "difference")
        [changed] = [place for place, (one, other) in enumerate(zip(clean, corrupt, strict=True)) if one != other]
        parts = [part for part in network.parts("state") if part != "decoder"]
        restored = np.stack([_restored(network, experiment, part) for part in parts])  # (direction, step)
        own.append(float(restored[:, changed].max()))
        others.append(float(np.delete(restored, changed, axis=1).max()))
        if len(own) == PAIRS:
            break
    return {
        "pairs": len(own),
        "own_restores": sum(share >= RESTORES for share in own),
        "other_restores": sum(share >= RESTORES for share in others),
        "own_median": statistics.median(own),
        "other_median": statistics.median(others),
    }


def _restored(network, experiment, part: str) -> np.ndarray:
    run = patch_recurrent_in_steps(network, experiment.clean, experiment.corrupt, experiment.metric, "state", part)
    return run_to_end(run).restored


@torch.inference_mode()
def measure_covered_pictures(classifier: VisionClassifier, folder: Path) -> dict[str, object]:
    """Answers that are right with parts of a picture covered by its mean colour, in whole patches."""
    validation = read_images(folder).validation
    size, patch = classifier.config.image_size, classifier.config.patch_size
    grid = size // patch
    rows, columns = np.mgrid[:grid, :grid] - (grid - 1) / 2
    rings = np.maximum(abs(rows), abs(columns)).ravel()  # of a patch: how far from the middle
    parts = {
        "quarter": np.argsort(rings, kind="stable")[: grid**2 // 4],
        "half": np.argsort(rings, kind="stable")[: grid**2 // 2],
    }
    covers: dict[str, np.ndarray] = {"whole": np.zeros(grid**2, bool)}
    for name, inside in parts.items():
        covers[f"{name}_covered"] = np.isin(np.arange(grid**2), inside)
        covers[f"{name}_alone"] = ~covers[f"{name}_covered"]
    right = dict.fromkeys(covers, 0)
    chosen = spread(list(range(len(validation))), PICTURES)
    for index in tqdm(chosen, desc="pictures", mininterval=5):
        pixels = middle_square(Image.fromarray(validation.pictures[index]), size).astype(np.float32) / 255
        for name, covered in covers.items():
            mask = np.kron(covered.reshape(grid, grid), np.ones((patch, patch), bool))
            shown = np.where(mask[..., None], pixels.mean((0, 1)), pixels)
            right[name] += int(classifier.probabilities(shown).argmax() == validation.labels[index])
    shares = {name: inside.size / grid**2 for name, inside in parts.items()}
    return {"pictures": len(chosen), "patches": grid**2, "shares": shares, "right": right}


def count_words(corpus: Corpus) -> dict[str, object]:
    """Lengths of training sentences, and how test sentences end."""
    words = [len(english.split()) for english, _ in corpus.train]
    stops = sum(english.endswith(".") for english in corpus.heldout)
    return {
        "training_pairs": len(words),
        "longer": sum(count > LONG for count in words),
        "longer_than": LONG,
        "test_sentences": len(corpus.heldout),
        "end_in_full_stop": stops,
    }


def measure_sent_tokens(corpus: Corpus) -> dict[str, object]:
    """What the translator's heads of cross-attention send over links of a word alignment, `(layer, head)`.

    Teacher-forced on the first translations.
    """
    translator = Translator.load(device="cpu")
    alignment = AlignmentTable.load(SHIPPED, sha256_of(translator.tokenizer.path))
    sent = SentTokensAccumulator(translator.network)
    pairs = spread([(english, french[0]) for english, french in corpus.heldout.items()], SENTENCES)
    for english, french in tqdm(pairs, desc="sentences", mininterval=5):
        trace = translator.trace(english, target=french)
        sent.add(trace, find_links(alignment, trace.source_ids, trace.next_ids))
    result = sent.result()
    above = np.argwhere(above_the_others(result.target_raised)).tolist()
    return {
        "sentences": len(pairs),
        "links": result.links,
        "above_the_others": [f"{layer + 1}.{head + 1}" for layer, head in above],
        **{name: table.tolist() for name, table in vars(result).items() if name != "links"},
    }


def main() -> None:
    """Measure the parts and write the file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.general_claims", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help=".tsv, .txt, .tsv.gz or .zip of sentence pairs")
    parser.add_argument("--pictures", type=Path, required=True, help="Imagenette, as the classifier was trained on")
    parser.add_argument("--only", nargs="+", choices=("recurrent", "sent", "vision", "words"))
    parser.add_argument("--json", type=Path, default=FILE)
    options = parser.parse_args()
    corpus = read_corpus(options.data)
    parts: dict[str, Callable[[], dict[str, object]]] = {
        "words": lambda: count_words(corpus),
        "sent": lambda: measure_sent_tokens(corpus),
        "vision": lambda: measure_covered_pictures(VisionClassifier.load(device="cpu"), options.pictures),
        "recurrent": lambda: measure_steps(corpus),
    }
    measured = json.loads(options.json.read_text(encoding="utf-8")) if options.json.exists() else {}
    for name in options.only or parts:
        measured[name] = parts[name]()
        measured["hardware"], measured["data_sha256"] = describe_hardware(torch.device("cpu")), corpus.sha256
        options.json.write_text(json.dumps(measured, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
