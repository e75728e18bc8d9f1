"""Measure the mean output of every head over validation sentences, for mean ablation, and write it to the folder."""

from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

from model.causal.head_outputs import HeadMeans, measure_means
from model.causal.resumable import Inputs
from model.data.corpus import Corpus
from model.language_model import LanguageModel
from model.runtime.checkpoint import read_json
from model.sentence_check import InputError
from model.translator import Translator


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
