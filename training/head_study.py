"""Measure every head over held-out sentences or pictures, and write the figures to the folder of the weights."""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from tqdm import tqdm

from model.attribution.head_labels import MIXED, PICTURES, TEXT
from model.attribution.head_statistics import (
    FILE,
    HeadStatistics,
    KindStatistics,
    StatisticsAccumulator,
    load_statistics,
)
from model.causal.head_replacement import HeadMeans, measure_means
from model.causal.resumable import Inputs
from model.classifier import VisionClassifier
from model.data.corpus import VALIDATION_SENTENCES, Corpus, read_split
from model.data.images import LabelledImages, read_images
from model.language_model import LanguageModel
from model.runtime.checkpoint import read_json, sha256_of, write_json
from model.runtime.device import choose_device, describe_hardware
from model.sentence_check import InputError
from model.study.head_measurements import measure_picture, measure_translation
from model.study.study_data import spread_evenly
from model.text.word_alignment import AlignmentTable, find_links, learn_alignment
from model.tracing.kinds import TRANSLATION
from model.translator import Translator

from .recognition import resize_pictures
from .study import (
    MODEL,
    Study,
    check_count,
    check_transformer,
    counted,
    held_out_card,
    read_heldout,
    validation_card,
)
from .templates import table_rows

SENTENCES, STUDIED_PICTURES = 500, 200


def study_translator(folder: Path, corpus: Corpus, sentences: int = SENTENCES, device: str = "auto") -> HeadStatistics:
    """Measure the translator in `folder` on held-out sentences, teacher-forced on their first translations.

    Also learns the word alignment from the training pairs and writes it to the folder.

    Raises:
        CheckpointError: the folder cannot be read.
        ValueError: the translator was trained on other data, or may have seen some of these sentences.
    """
    held_out_card(folder, corpus)
    translator = Translator.load(folder, device)
    tokenizer = translator.tokenizer
    pairs = [(tokenizer.encode(english), tokenizer.encode(french)) for english, french in corpus.train]
    learn_alignment(pairs, len(tokenizer)).save(folder, sha256_of(folder / "tokenizer.model"))
    alignment = AlignmentTable.load(folder, sha256_of(folder / "tokenizer.model"))  # as the other programs read it
    gathered = {kind.name: StatisticsAccumulator() for kind in TRANSLATION}
    linked, generated, used = 0, 0, 0
    for english, french in tqdm(list(corpus.heldout.items())[:sentences], desc="heads", mininterval=2):
        try:
            trace = translator.trace(english, target=french[0])
        except InputError:  # more tokens than the translator takes
            continue
        links = find_links(alignment, trace.source_ids, trace.next_ids)
        for name, measured in measure_translation(translator, trace, links).items():
            gathered[name].add(measured)
        linked, generated, used = linked + int(links.any(axis=1).sum()), generated + len(links) - 1, used + 1
    facts = {
        "hardware": describe_hardware(choose_device(device)),
        "data_sha256": corpus.sha256,
        "linked": linked / max(generated, 1),
        "alignment_entries": len(alignment.pairs),
    }
    kinds = {kind: of_kind.statistics() for kind, of_kind in gathered.items()}
    statistics = HeadStatistics(translator.weights_sha256, used, "held-out sentences", kinds, facts)
    write_json(folder / FILE, statistics.to_dict())
    return statistics


def study_classifier(
    folder: Path, images: LabelledImages, pictures: int = STUDIED_PICTURES, device: str = "auto"
) -> HeadStatistics:
    """Measure the ViT in `folder` on validation pictures spread evenly over all, each for its labelled class.

    Raises:
        CheckpointError: the folder cannot be read.
        ValueError: the classifier was trained on other data.
    """
    card = validation_card(folder, images)
    classifier = VisionClassifier.load(folder, device)
    split, gathered = images.validation, StatisticsAccumulator()
    chosen = spread_evenly(len(split), pictures)
    for index in tqdm(chosen, desc="heads", mininterval=2):
        trace = classifier.trace(resize_pictures(split.pictures[index : index + 1], classifier.config.image_size)[0])
        gathered.add(measure_picture(classifier, trace, int(split.labels[index]))["vision"])
    facts = {"hardware": describe_hardware(choose_device(device)), "data_sha256": images.sha256}
    statistics = HeadStatistics(
        card["weights_sha256"], len(chosen), "validation pictures", {"vision": gathered.statistics()}, facts
    )
    write_json(folder / FILE, statistics.to_dict())
    return statistics


def measure_head_means(folder: Path, corpus: Corpus, device: str = "auto") -> HeadMeans:
    """Run the network in `folder` over validation sentences with their first translations, and write the means.

    Args:
        folder: of a translator or of a decoder-only network.
        corpus: with validation sentences, see `model.data.corpus.read_split`; a mean chooses nothing, so it does
            no harm if the network was trained on some of them.

    Raises:
        CheckpointError: the folder cannot be read or written to.
        ValueError: there are no validation sentences, or the network can read none of them.
    """
    model = (LanguageModel if "n_layers" in read_json(folder / "config.json") else Translator).load(folder, device)
    means = measure_means(model.resumable, _inputs(model, corpus))
    means.save(folder, model.weights_sha256)
    return means


def _inputs(model: Translator | LanguageModel, corpus: Corpus) -> Iterator[Inputs]:
    """What the network reads for every sentence that is not too long."""
    for english, french in tqdm(corpus.validation.items(), desc="head means", mininterval=2):
        try:
            source, fed, following = model.forced(english, french[0])
        except InputError:  # more tokens than the network takes
            continue
        ids = model.network.ids
        if isinstance(model, LanguageModel):
            yield (ids([*source, *following[:-1]]),)
        else:
            yield ids(source), ids(fed)


def _block_values(stats: HeadStatistics) -> dict:
    vision = "vision" in stats.kinds
    text_loss = "mean -ln p per token of each sentence's first translation"
    rows = (
        _head_cells(kind, table, layer, head)
        for kind, table in stats.kinds.items()
        for layer, head in np.ndindex(*table.shape)
    )
    return {
        "stats": stats,
        "is_text": not vision,
        "loss": "-ln p of the right class" if vision else text_loss,
        "rule": PICTURES if vision else TEXT,
        "mixed": MIXED,
        "rows": table_rows(rows),
    }


def _head_cells(kind: str, table: KindStatistics, layer: int, head: int) -> list[str]:
    label = table.label(layer, head)
    name = label.name if label.name != MIXED else f"{MIXED} ({label.pattern})"
    score, effect = table.scores[label.pattern], table.effect
    assert effect is not None, "the study of a shipped network ablates its heads"
    return [
        f"{kind} {layer + 1}.{head + 1}",
        name,
        f"{score.mean[layer, head]:.2f} ± {score.sd[layer, head]:.2f}",
        f"{label.chance:.2f}",
        f"{effect.mean[layer, head]:+.4f} ± {effect.sd[layer, head]:.4f}",
    ]


def _study_translator(options: argparse.Namespace) -> None:
    check_count(options.sentences)
    study_translator(options.model, read_heldout(options), options.sentences, options.device)


def _study_classifier(options: argparse.Namespace) -> None:
    check_count(options.pictures, "pictures")
    check_transformer(options.model, "heads")
    study_classifier(options.model, read_images(options.data), options.pictures, options.device)


def _measure_head_means(options: argparse.Namespace) -> None:
    check_count(options.sentences)
    corpus = read_split(options.data, options.heldout, options.sentences)
    means = measure_head_means(options.model, corpus, options.device)
    print(f"{means.inputs:,} sentences, {means.vectors:,} positions of the first kind of attention")


HEADS = Study(
    "heads",
    "measure what each head of the translator does over held-out sentences",
    _study_translator,
    {"--model": MODEL | {"help": "folder of the trained translator"}, "--sentences": counted(SENTENCES)},
    template="heads",
    read=load_statistics,
    values=_block_values,
)
HEADS_VISION = replace(
    HEADS,
    name="heads-vision",
    purpose="the same for the classifier, over validation pictures",
    measure=_study_classifier,
    options={
        "--model": MODEL | {"help": "folder of the trained classifier"},
        "--pictures": counted(STUDIED_PICTURES, "pictures used"),
    },
)
HEAD_MEANS = Study(
    "head-means",
    "measure the mean output of every head, for mean ablation",
    _measure_head_means,
    {
        "--model": MODEL | {"help": "folder of a translator or a decoder-only network"},
        "--sentences": counted(VALIDATION_SENTENCES, "validation sentences used"),
    },
)
