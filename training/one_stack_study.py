"""Measure the decoder-only network beside the translator on the held-out sentences, and write the figures."""

import argparse
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from model.attribution.alignment_error import count_links
from model.data.corpus import Corpus
from model.language_model import LanguageModel
from model.lessons.network_comparison import TRANSFORMER, BootstrapInterval
from model.lessons.one_stack import (
    HeadMeasures,
    HeadSums,
    cross_block,
    following_ids,
    following_losses,
    prefix_mask,
    sum_heads,
)
from model.lessons.one_stack_heldout import DECODER_ONLY, FILE, OneStackStudy, load_one_stack
from model.networks.loss_terms import score_target
from model.runtime.arrays import to_array
from model.runtime.checkpoint import write_json
from model.sentence_check import InputError
from model.text.word_alignment import AlignmentTable, find_links
from model.tracing.language_trace import LanguageTrace
from model.translator import SHIPPED, Translator

from .network_comparison_study import (
    RESAMPLES,
    SEED,
    Networks,
    alignment_rate,
    bleu_counts,
    bootstrap_interval,
    decoding_speeds,
    score_all,
    score_chrf,
    sentence_counts,
    study_facts,
    translate_heldout,
)
from .study import MODEL, Study, held_out_card, read_heldout

Pairs = Sequence[tuple[str, str]]


def study_one_stack(folder: Path, transformer: Path, corpus: Corpus, device: str = "auto") -> OneStackStudy:
    """Measure the network in `folder`, and write `one_stack.json` there.

    Args:
        transformer: the translator's folder.

    Raises:
        CheckpointError: a folder cannot be read.
        ValueError: the data is not what these networks were trained on, or has no sentence that can be traced.
    """
    for each in (folder, transformer):
        held_out_card(each, corpus)  # refuses data that a network may have seen
    model, translator = LanguageModel.load(folder, device), Translator.load(transformer, device)
    networks: Networks = {TRANSFORMER: translator, DECODER_ONLY: model}
    hashes = {name: network.weights_sha256 for name, network in networks.items()}
    translations = {name: translate_heldout(network, corpus) for name, network in networks.items()}
    counts = {name: sentence_counts(texts, corpus) for name, texts in translations.items()}
    bleu, steps = score_all(counts)
    links = AlignmentTable.load(transformer, translator.card["tokenizer_sha256"])
    pairs = [(english, french[0]) for english, french in corpus.heldout.items()]
    half = len(pairs) // 2
    head = _sum_heads(model, links, pairs[:half]).measures.aligned
    measured = _measure_pairs(model, links, pairs[half:], head)
    number = len(measured.links)
    times = np.random.default_rng(SEED).multinomial(number, np.full(number, 1 / number), RESAMPLES)
    study = OneStackStudy(
        hashes,
        len(corpus.heldout),
        bleu[DECODER_ONLY],
        score_chrf(translations, corpus)[DECODER_ONLY],
        steps[DECODER_ONLY],
        bleu_counts(counts[DECODER_ONLY].sum(axis=0)).bleu,
        alignment_rate(measured.links[:, 0], times),
        alignment_rate(measured.links[:, 1], times),
        head,
        number,
        measured.heads,
        **loss_intervals(measured.losses),
        tokens_per_second=decoding_speeds(networks, list(corpus.heldout)),
        facts=study_facts(corpus, device),
    )
    write_json(folder / FILE, study.to_dict())
    return load_one_stack(hashes, folder)


def _sum_heads(model: LanguageModel, links: AlignmentTable, pairs: Pairs) -> HeadSums:
    """The sums of every head over these pairs.

    Raises:
        ValueError: none of them can be traced.
    """
    total: HeadSums | None = None
    for english, french in tqdm(pairs, desc="choosing a head", mininterval=2):
        trace = _trace(model, english, french)
        if trace is not None:
            sums = sum_heads(trace, find_links(links, trace.source_ids, following_ids(trace)))
            total = sums if total is None else total + sums
    if total is None:
        raise ValueError("No held-out sentence is short enough to be traced; give more data or a larger --heldout.")
    return total


@dataclass(frozen=True, eq=False)
class _PairFigures:
    """What is measured of sentence pairs."""

    heads: HeadMeasures  # measures of all of them together
    # `(sentence, 2, 6)`: of the last layer's mean and of one head, the counts by generated and by read token
    links: np.ndarray
    losses: np.ndarray  # `(sentence, 3)`: -ln p under the causal mask, under a prefix mask, and the number of tokens


def _measure_pairs(model: LanguageModel, links: AlignmentTable, pairs: Pairs, head: tuple[int, int]) -> _PairFigures:
    """Measure heads, alignment and the prefix mask on these pairs; errors as of `_sum_heads`."""
    total: HeadSums | None = None
    rows, losses = [], []
    for english, french in tqdm(pairs, desc="heads and masks", mininterval=2):
        trace = _trace(model, english, french)
        if trace is None:
            continue
        reference = find_links(links, trace.source_ids, following_ids(trace))
        sums, block = sum_heads(trace, reference), cross_block(trace)
        total = sums if total is None else total + sums
        maps = block[-1].mean(axis=0), block[head]
        rows.append([[n for read in (False, True) for n in astuple(count_links(m, reference, read))] for m in maps])
        causal = following_losses(trace)
        losses.append([causal.sum(), _prefix_losses(model, trace).sum(), len(causal)])
    if total is None:
        raise ValueError("No held-out sentence is short enough to be traced; give more data or a larger --heldout.")
    return _PairFigures(total.measures, np.array(rows), np.array(losses))


@torch.inference_mode()
def _prefix_losses(model: LanguageModel, trace: LanguageTrace) -> np.ndarray:
    """-ln p of every token after the prompt under a prefix mask, `(T,)` float64."""
    network, prompt = model.network, trace.prompt_length
    states = network.states(network.ids(trace.target_ids), prefix_mask(network, prompt))[:, prompt - 1 :]
    return score_target(to_array(network.project(states)[0]), following_ids(trace)).terms.losses


def loss_intervals(losses: np.ndarray) -> dict[str, BootstrapInterval]:
    """Losses per token under both masks and their difference, over the same resampled sentences.

    Args:
        losses: `(sentence, 3)`, see `_PairFigures`.
    """
    number = len(losses)
    times = np.random.default_rng(SEED).multinomial(number, np.full(number, 1 / number), RESAMPLES)
    drawn, whole = times @ losses, losses.sum(axis=0)
    causal, prefix = drawn[:, 0] / drawn[:, 2], drawn[:, 1] / drawn[:, 2]
    values = whole[0] / whole[2], whole[1] / whole[2]
    return {
        "causal": bootstrap_interval(values[0], causal),
        "prefix": bootstrap_interval(values[1], prefix),
        "prefix_change": bootstrap_interval(values[1] - values[0], prefix - causal),
    }


def _trace(model: LanguageModel, english: str, french: str) -> LanguageTrace | None:
    try:
        return model.trace(english, target=french)
    except (InputError, ValueError):  # more tokens than the network takes
        return None


def _measure(options: argparse.Namespace) -> None:
    study = study_one_stack(options.model, options.translator, read_heldout(options), options.device)
    print(
        f"BLEU {study.bleu.value:.2f}, {study.step.value:+.2f} to the translator; {study.alignment_sentences:,} traced"
    )


ONE_STACK = Study(
    "one-stack",
    "compare the decoder-only network with the translator",
    _measure,
    {
        "--model": MODEL | {"help": "folder of the trained decoder-only network"},
        "--translator": {"type": Path, "default": SHIPPED, "help": "by default the one that ships"},
    },
)
