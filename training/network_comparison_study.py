"""Compare the five networks on the held-out sentences, and write the figures next to the recurrent networks."""

import argparse
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, astuple
from itertools import pairwise, zip_longest
from pathlib import Path

import numpy as np
import torch
from sacrebleu.metrics import BLEU, CHRF
from tqdm import tqdm

from model.attribution.alignment_error import LinkCounts, count_links
from model.data.corpus import Corpus
from model.lessons.network_comparison import (
    FEWEST_SENTENCES,
    FILE,
    LENGTHS,
    NETWORKS,
    ONE_VECTOR,
    ORDER,
    TRANSFORMER,
    AlignmentRate,
    BleuCounts,
    BootstrapInterval,
    LengthGroup,
    NetworkComparison,
    load_comparison,
)
from model.networks.recurrent_config import VARIANTS
from model.recurrent_translator import SHIPPED, RecurrentTranslator
from model.runtime.checkpoint import read_measured, write_json
from model.runtime.device import choose_device, describe_hardware, device_of
from model.sentence_check import InputError
from model.text.word_alignment import AlignmentTable, find_links
from model.tracing.trace import SentenceTrace
from model.translator import SentenceTranslator, Translator

from .evaluate import BATCH, decode_all
from .study import MODEL, Study, held_out_card, read_heldout

RESAMPLES, SEED = 1000, 2017
TIMED_SENTENCES, TIMED_ROUNDS = 256, 5
LEAST = 1e-6  # lower bound of a BLEU score in a denominator
ONE_HEAD = f"{TRANSFORMER}-head"

Networks = dict[str, SentenceTranslator]


def compare_networks(
    folder: Path, transformer: Path, corpus: Corpus, device: str = "auto", scores_only: bool = False
) -> NetworkComparison:
    """Measure all networks, and write `comparison.json` into `folder`.

    Args:
        folder: contains a folder for each recurrent network, named after it.
        transformer: the translator's folder.
        scores_only: measure BLEU and chrF alone, and retain what the file states of alignment and speed.

    Raises:
        CheckpointError: a folder cannot be read; or the file cannot, or is of other weights, and would be retained.
        ValueError: the data is not what these networks were trained on.
    """
    folders = {name: folder / name for name in VARIANTS} | {TRANSFORMER: transformer}
    networks: Networks = {}
    for name in NETWORKS:
        held_out_card(folders[name], corpus)  # refuses data that the network may have seen
        networks[name] = (Translator if name == TRANSFORMER else RecurrentTranslator).load(folders[name], device)
    hashes = {name: network.weights_sha256 for name, network in networks.items()}
    retained = read_measured(folder, FILE, hashes, "comparison", dict) if scores_only else None
    translations = {name: translate_heldout(network, corpus) for name, network in networks.items()}
    statistics_of = {name: sentence_counts(texts, corpus) for name, texts in translations.items()}
    lengths = np.array([len(sentence.split()) for sentence in corpus.heldout])
    bleu, steps = score_all(statistics_of)
    groups, change = group_by_length(statistics_of, lengths)
    result = {
        "weights_sha256": hashes,
        "sentences": len(corpus.heldout),
        "bleu": _plain(bleu),
        "steps": _plain(steps),
        "chrf": _plain(score_chrf(translations, corpus)),
        "groups": [asdict(group) for group in groups],
        "change": _plain(change),
    }
    if retained is None:
        links = AlignmentTable.load(transformer, networks[TRANSFORMER].card["tokenizer_sha256"])
        alignment, used, head = alignment_rates(networks, links, corpus)
        result |= {
            "alignment": _plain(alignment),
            "alignment_sentences": used,
            "head": head,
            "tokens_per_second": decoding_speeds(networks, list(corpus.heldout)),
            "facts": study_facts(corpus, device)
            | {
                "bleu_signature": networks[TRANSFORMER].card["evaluation"]["greedy"]["bleu_signature"],
            },
        }
    write_json(folder / FILE, (retained or {}) | result)
    return load_comparison(hashes, folder)


def study_facts(corpus: Corpus, device: str) -> dict[str, object]:
    """What figures of a study over the held-out sentences were measured on and with, for its file."""
    return {
        "hardware": describe_hardware(choose_device(device)),
        "torch": torch.__version__,
        "data_sha256": corpus.sha256,
        "resamples": RESAMPLES,
        "batch": BATCH,
        "timed_sentences": min(TIMED_SENTENCES, len(corpus.heldout)),
    }


def _plain(figures: Mapping[str, BootstrapInterval | AlignmentRate]) -> dict[str, dict]:
    return {name: asdict(figure) for name, figure in figures.items()}


def score_all(counts: dict[str, np.ndarray]) -> tuple[dict[str, BootstrapInterval], dict[str, BootstrapInterval]]:
    """BLEU of all sentences for each network, and its difference to the network before, with intervals.

    All networks are scored on the same resampled sentences.

    Args:
        counts: network, from the oldest to the newest -> `sentence_counts`.
    """
    names = list(counts)
    number = len(counts[names[0]])
    times = np.random.default_rng(SEED).multinomial(number, np.full(number, 1 / number), RESAMPLES)
    whole = {name: corpus_bleu(table.sum(axis=0)) for name, table in counts.items()}
    drawn = {name: np.array([corpus_bleu(row) for row in times @ table]) for name, table in counts.items()}
    bleu = {name: bootstrap_interval(whole[name], drawn[name]) for name in names}
    steps = {
        name: bootstrap_interval(whole[name] - whole[before], drawn[name] - drawn[before])
        for before, name in pairwise(names)
    }
    return bleu, steps


def translate_heldout(network: SentenceTranslator, corpus: Corpus) -> list[str]:
    """Translate the held-out sentences greedily, in their order."""
    return [network.tokenizer.decode(ids) for ids in decode_all(network, list(corpus.heldout))]


def sentence_counts(translations: Sequence[str], corpus: Corpus) -> np.ndarray:
    """The counts behind BLEU for each held-out sentence: `(sentence, 2 ORDER + 2)` int64.

    The columns are those of `BleuCounts`: correct, total, length, reference.
    """
    bleu = BLEU(effective_order=True)  # changes a sentence's score, but no count
    rows = []
    for text, references in zip(translations, corpus.heldout.values(), strict=True):
        score = bleu.sentence_score(text, references)
        rows.append([*score.counts, *score.totals, score.sys_len, score.ref_len])
    return np.array(rows, dtype=np.int64)


def score_chrf(translations: Mapping[str, Sequence[str]], corpus: Corpus) -> dict[str, BootstrapInterval]:
    """chrF of all held-out sentences for each network, over the same resampled sentences.

    Args:
        translations: network -> its translations.
    """
    number = len(corpus.heldout)
    times = np.random.default_rng(SEED).multinomial(number, np.full(number, 1 / number), RESAMPLES)
    counts = {name: chrf_counts(texts, corpus.heldout.values()) for name, texts in translations.items()}
    return {
        name: bootstrap_interval(corpus_chrf(table.sum(axis=0)), np.array([corpus_chrf(row) for row in times @ table]))
        for name, table in counts.items()
    }


def chrf_counts(translations: Sequence[str], references: Iterable[Sequence[str]]) -> np.ndarray:
    """Count character n-grams of each translation and of the reference that it matches best: `(sentence, 18)` int64.

    These are the counts behind chrF (Popović 2015, section 3). For each of the lengths 1 to 6: n-grams of the
    translation, of the reference, and of both.

    Args:
        references: all reference translations of each sentence.
    """
    # sacreBLEU's layout: stream k holds the k-th translation of every sentence, None where there are fewer
    streams = [list(stream) for stream in zip_longest(*references)]
    return np.array(CHRF()._extract_corpus_statistics(list(translations), streams), dtype=np.int64)


def corpus_chrf(counts: np.ndarray) -> float:
    """sacreBLEU's corpus score, 0 to 100, of summed counts, `(18,)`."""
    return CHRF()._compute_score_from_stats(counts.tolist()).score


def group_by_length(
    counts: dict[str, np.ndarray], lengths: np.ndarray
) -> tuple[tuple[LengthGroup, ...], dict[str, BootstrapInterval]]:
    """The groups, and the change of the share from the shortest to the longest of them with enough sentences.

    Within a group all networks are scored on the same resampled sentences, for an interval of their ratio.

    Args:
        counts: network -> `sentence_counts`.
        lengths: `(sentence,)` words of the source.
    """
    generator = np.random.default_rng(SEED)
    groups, shares = [], []
    for shortest, longest in LENGTHS:
        chosen = (lengths >= shortest) & (lengths <= (longest or lengths.max()))
        number = int(chosen.sum())
        if not number:
            continue
        times = generator.multinomial(number, np.full(number, 1 / number), RESAMPLES)  # (resample, sentence)
        sums = {name: table[chosen].sum(axis=0) for name, table in counts.items()}
        whole = {name: corpus_bleu(row) for name, row in sums.items()}
        drawn = {name: np.array([corpus_bleu(row) for row in times @ table[chosen]]) for name, table in counts.items()}
        bleu = {name: bootstrap_interval(whole[name], drawn[name]) for name in counts}
        ratio = {
            name: (whole[ONE_VECTOR] / whole[name], drawn[ONE_VECTOR] / np.maximum(drawn[name], LEAST))
            for name in counts
            if whole[name]
        }
        share = {name: bootstrap_interval(*pair) for name, pair in ratio.items()}
        ngrams = {name: bleu_counts(row) for name, row in sums.items()}
        groups.append(LengthGroup(shortest, longest, number, bleu, ngrams, share))
        if number >= FEWEST_SENTENCES:
            shares.append(ratio)
    if len(shares) < 2:
        return tuple(groups), {}
    first, last = shares[0], shares[-1]
    both = first.keys() & last.keys()
    change = {
        name: bootstrap_interval(last[name][0] - first[name][0], last[name][1] - first[name][1])
        for name in counts
        if name in both
    }
    return tuple(groups), change


def corpus_bleu(row: np.ndarray) -> float:
    """sacreBLEU's corpus score of summed counts, `(2 ORDER + 2,)`, smoothed as the cards' is."""
    parts = row.tolist()
    length, reference = parts[2 * ORDER :]
    correct, total = parts[:ORDER], parts[ORDER : 2 * ORDER]
    return BLEU.compute_bleu(correct, total, length, reference, smooth_method="exp").score


def bootstrap_interval(value: float, drawn: np.ndarray) -> BootstrapInterval:
    """A figure with the central 95 % of its values over the resamples."""
    low, high = np.percentile(drawn, (2.5, 97.5))
    return BootstrapInterval(float(value), float(low), float(high))


def bleu_counts(row: np.ndarray) -> BleuCounts:
    """Summed counts, `(2 ORDER + 2,)`, by their names."""
    parts = row.tolist()
    return BleuCounts(tuple(parts[:ORDER]), tuple(parts[ORDER : 2 * ORDER]), *parts[2 * ORDER :])


def alignment_rates(
    networks: Networks, links: AlignmentTable, corpus: Corpus
) -> tuple[dict[str, AlignmentRate], int, tuple[int, int]]:
    """Alignment error over the second half of the held-out sentences, teacher-forced on their first translations.

    Returns:
        The rates, the number of sentences, and the Transformer's head with the lowest error over the first half.
    """
    attending = [name for name in NETWORKS if "cross" in {kind.name for kind in networks[name].kinds}]
    pairs = [(english, french[0]) for english, french in corpus.heldout.items()]
    half = len(pairs) // 2
    head = best_head(networks[TRANSFORMER], links, pairs[:half])
    rows: dict[str, list[list[int]]] = {}
    for english, french in tqdm(pairs[half:], desc="alignment", mininterval=2):
        for name in attending:
            traced = _trace(networks[name], english, french)
            if traced is None:
                continue
            reference = find_links(links, traced.source_ids, traced.next_ids)
            weights = traced.attention("cross")  # (layer, head, T, S)
            maps = {name: weights[-1].mean(axis=0)} | ({ONE_HEAD: weights[head]} if name == TRANSFORMER else {})
            for key, table in maps.items():
                generated, read = (count_links(table, reference, by_read) for by_read in (False, True))
                rows.setdefault(key, []).append([*astuple(generated), *astuple(read)])
    tables = {name: np.array(table) for name, table in rows.items()}  # (sentence, 6)
    used = len(tables[TRANSFORMER])
    times = np.random.default_rng(SEED).multinomial(used, np.full(used, 1 / used), RESAMPLES)  # (resample, sentence)
    return {name: alignment_rate(table, times) for name, table in tables.items()}, used, head


def best_head(
    translator: SentenceTranslator, links: AlignmentTable, pairs: Sequence[tuple[str, str]]
) -> tuple[int, int]:
    """Layer and head, from 0, of the cross-attention with the lowest alignment error over these sentence pairs.

    Raises:
        ValueError: none of them can be traced.
    """
    total: np.ndarray | None = None
    for english, french in tqdm(pairs, desc="choosing a head", mininterval=2):
        traced = _trace(translator, english, french)
        if traced is None:
            continue
        reference = find_links(links, traced.source_ids, traced.next_ids)
        counts = [[astuple(count_links(head, reference)) for head in layer] for layer in traced.attention("cross")]
        total = np.array(counts) if total is None else total + counts  # (layer, head, 3)
    if total is None:
        raise ValueError("No held-out sentence is short enough to be traced; give more data or a larger --heldout.")
    errors = [[LinkCounts(*row.tolist()).error for row in layer] for layer in total]
    layer, head = divmod(int(np.argmin(np.array(errors, dtype=float))), total.shape[1])
    return layer, head


def _trace(network: SentenceTranslator, english: str, french: str) -> SentenceTrace | None:
    try:
        return network.trace(english, target=french)
    except InputError:  # more tokens than the networks take
        return None


def alignment_rate(table: np.ndarray, times: np.ndarray) -> AlignmentRate:
    """From `(sentence, 6)`: the counts by generated token, then by the token read."""

    def over(part: slice, figure: Callable[[LinkCounts], float | None]) -> BootstrapInterval:
        drawn = [figure(LinkCounts(*row)) for row in (times @ table[:, part]).tolist()]
        value = figure(LinkCounts(*table[:, part].sum(axis=0).tolist()))
        assert value is not None, "some sentence has links"
        return bootstrap_interval(value, np.array(drawn, dtype=float))

    generated, read = slice(0, 3), slice(3, 6)
    return AlignmentRate(
        over(generated, lambda counts: counts.error),
        over(read, lambda counts: counts.error),
        over(generated, lambda counts: counts.recall),
    )


def decoding_speeds(networks: Networks, sentences: Sequence[str]) -> dict[str, float]:
    """Target tokens a second of greedy decoding in batches, with `</s>`: median of rounds that alternate by network.

    On a CPU with one thread, as in the server, and in process time, so that other programs matter little.
    """
    places = np.unique(np.linspace(0, len(sentences) - 1, min(TIMED_SENTENCES, len(sentences))).round().astype(int))
    chosen = [sentences[place] for place in places]
    speeds: dict[str, list[float]] = {name: [] for name in networks}
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for _ in range(TIMED_ROUNDS):
            for name, network in networks.items():
                on_cpu = device_of(network.network).type == "cpu"
                clock = time.process_time if on_cpu else time.perf_counter
                started = clock()
                produced = decode_all(network, chosen)
                speeds[name].append(sum(map(len, produced)) / (clock() - started))
    finally:
        torch.set_num_threads(threads)
    return {name: statistics.median(rates) for name, rates in speeds.items()}


def _measure(options: argparse.Namespace) -> None:
    corpus = read_heldout(options)
    compare_networks(options.recurrent, options.model, corpus, options.device, options.scores_only)


RECURRENT_FOLDER = {"type": Path, "default": SHIPPED, "help": "has a folder for each recurrent network"}
COMPARISON = Study(
    "comparison",
    "compare all five networks that translate",
    _measure,
    {
        "--model": MODEL | {"help": "folder of the trained translator"},
        "--recurrent": RECURRENT_FOLDER,
        "--scores-only": {
            "action": "store_true",
            "help": "measure BLEU and chrF alone; retain what the file states of the rest",
        },
    },
)
