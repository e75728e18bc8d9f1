"""Measure what every head does over held-out sentences or pictures, and write it beside the weights."""

from collections import defaultdict
from pathlib import Path

import numpy as np
from tqdm import tqdm

from ..attribution.head_ablation import ablate_translation_heads
from ..attribution.head_labels import HeadScores, head_scores, vision_scores
from ..attribution.head_statistics import FILE, HeadStatistics, KindStatistics, Spread
from ..classifier import VisionClassifier
from ..runtime.checkpoint import sha256_of, write_json
from ..runtime.device import choose_device, hardware
from ..text.word_alignment import AlignmentTable, learn_alignment, links_of
from ..tracing.kinds import TRANSLATION
from ..translator import InputError, Translator
from .card import held_out_card
from .corpus import Corpus
from .images import LabelledImages
from .recognition import resized
from .vision_card import validation_card

SENTENCES, PICTURES = 500, 200


Gathered = list[tuple[HeadScores, np.ndarray]]  # scores and effects `(layer, head)` of one kind, input by input


def study_translator(folder: Path, corpus: Corpus, sentences: int = SENTENCES, device: str = "auto") -> HeadStatistics:
    """Measure the translator in `folder` on held-out sentences, fed the first of their translations.

    Also learns the word alignment from the training pairs and writes it to the folder.

    Raises:
        CheckpointError: the folder cannot be read.
        ValueError: the data is not what this translator was trained on, or some of these sentences may be.
    """
    held_out_card(folder, corpus)
    translator = Translator.load(folder, device)
    tokenizer = translator.tokenizer
    pairs = [(tokenizer.encode(english), tokenizer.encode(french)) for english, french in corpus.train]
    learn_alignment(pairs, len(tokenizer)).save(folder, sha256_of(folder / "tokenizer.model"))
    alignment = AlignmentTable.load(folder, sha256_of(folder / "tokenizer.model"))  # as everyone else will read it
    gathered: dict[str, Gathered] = {kind.name: [] for kind in TRANSLATION}
    linked, generated, used = 0, 0, 0
    for english, french in tqdm(list(corpus.heldout.items())[:sentences], desc="heads", mininterval=2):
        try:
            trace = translator.trace(english, target=french[0])
        except InputError:  # more tokens than the translator takes
            continue
        links = links_of(alignment, trace.source_ids, trace.next_ids)
        effects = ablate_translation_heads(translator.network, trace).changes
        for name, scores in head_scores(trace, links).items():
            gathered[name].append((scores, effects[name]))
        linked, generated, used = linked + int(links.any(axis=1).sum()), generated + len(links) - 1, used + 1
    facts = {
        "hardware": hardware(choose_device(device)),
        "data_sha256": corpus.sha256,
        "linked": linked / max(generated, 1),
        "alignment_entries": len(alignment.pairs),
    }
    kinds = {kind: _statistics(found) for kind, found in gathered.items()}
    found = HeadStatistics(translator.weights_sha256, used, "held-out sentences", kinds, facts)
    write_json(folder / FILE, found.to_dict())
    return found


def study_classifier(
    folder: Path, images: LabelledImages, pictures: int = PICTURES, device: str = "auto"
) -> HeadStatistics:
    """Measure the ViT in `folder` on validation pictures spread evenly over all, each for its right class.

    Raises:
        CheckpointError: the folder cannot be read.
        ValueError: the data is not what this classifier was trained on.
    """
    card = validation_card(folder, images)
    classifier = VisionClassifier.load(folder, device)
    split, gathered = images.validation, []
    chosen = np.unique(np.linspace(0, len(split) - 1, pictures).round().astype(int))
    for index in tqdm(chosen, desc="heads", mininterval=2):
        trace = classifier.trace(resized(split.pictures[index : index + 1], classifier.config.image_size)[0])
        effect = classifier.ablate_heads(trace).loss_changes(int(split.labels[index]))
        gathered.append((vision_scores(trace.attention, trace.grid), effect))
    facts = {"hardware": hardware(choose_device(device)), "data_sha256": images.sha256}
    found = HeadStatistics(
        card["weights_sha256"], len(chosen), "validation pictures", {"vision": _statistics(gathered)}, facts
    )
    write_json(folder / FILE, found.to_dict())
    return found


def _statistics(gathered: Gathered) -> KindStatistics:
    """Means and standard deviations over the inputs; every input that has a pattern counts the same."""
    scores, chance = defaultdict(list), defaultdict(list)
    for found, _ in gathered:
        for name, table in found.scores.items():
            scores[name].append(table)
            chance[name].append(found.chance[name])
    return KindStatistics(
        {name: _spread(tables) for name, tables in scores.items()},
        {name: float(np.mean(values)) for name, values in chance.items()},
        _spread([effect for _, effect in gathered]),
    )


def _spread(tables: list[np.ndarray]) -> Spread:
    stacked = np.stack(tables)  # (input, layer, head)
    return Spread(stacked.mean(axis=0), stacked.std(axis=0))
