"""Measure every head over held-out sentences or pictures, and write the figures to the folder of the weights."""

from pathlib import Path

from tqdm import tqdm

from model.attribution.head_statistics import FILE, HeadStatistics, StatisticsAccumulator
from model.classifier import VisionClassifier
from model.data.corpus import Corpus
from model.data.images import LabelledImages
from model.runtime.checkpoint import sha256_of, write_json
from model.runtime.device import choose_device, describe_hardware
from model.sentence_check import InputError
from model.study.head_measurements import measure_picture, measure_translation
from model.study.study_data import spread_evenly
from model.text.word_alignment import AlignmentTable, find_links, learn_alignment
from model.tracing.kinds import TRANSLATION
from model.translator import Translator

from .card import held_out_card
from .recognition import resize_pictures
from .vision_card import validation_card

SENTENCES, PICTURES = 500, 200


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
    folder: Path, images: LabelledImages, pictures: int = PICTURES, device: str = "auto"
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
