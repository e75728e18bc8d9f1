"""Measure on held-out sentences how well each attribution method agrees with leave-one-out of source words."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from model.attribution.agreement import (
    FILE,
    METHODS,
    MethodAgreement,
    correlate_methods,
    explain,
    has_enough_words,
    read_measured_agreement,
    sum_drops_by_word,
)
from model.attribution.integrated_source import POINTS
from model.attribution.leave_one_out import WAYS, leave_one_out
from model.data.corpus import Corpus
from model.runtime.checkpoint import write_json
from model.sentence_check import MAX_TOKENS
from model.text.words import whole_words
from model.translator import Translator

from .study import MODEL, Study, counted, held_out_card, read_heldout
from .templates import table_rows

SENTENCES = 200


def measure_agreement(folder: Path, corpus: Corpus, sentences: int = SENTENCES, device: str = "auto") -> dict:
    """Explain the model's own translations of held-out sentences, compare, and write `agreement.json` into `folder`.

    The sentences are the first held-out ones with at least three words, the fewest for a correlation. "integrated"
    has the points of integrated gradients, and the mean and the largest share by which they miss completeness.

    Raises:
        CheckpointError: the folder cannot be read.
        ValueError: the translator was trained on other data, or fewer than two sentences are left.
    """
    held_out_card(folder, corpus)  # refuses data that the translator may have seen
    translator = Translator.load(folder, device)
    chosen = [sentence for sentence in corpus.heldout if _is_usable(translator, sentence)][:sentences]
    if len(chosen) < 2:
        raise ValueError("Fewer than two held-out sentences have three words; give more data or a larger --heldout.")
    agreements: dict[str, list[MethodAgreement]] = {way: [] for way in WAYS}
    target_words, missing = 0, []
    for sentence in tqdm(chosen, desc="agreement", mininterval=2):
        trace = translator.trace(sentence)
        explained = explain(translator.network, trace, integrated=True)
        assert explained.integrated is not None
        missing.append(explained.integrated.missing)
        target_words += sum(not word.special for word in explained.target)
        for way in WAYS:
            left_out = leave_one_out(translator.network, trace, explained.source, way)
            agreements[way].append(correlate_methods(explained, sum_drops_by_word(left_out, explained.target)))
    result = {
        "weights_sha256": translator.weights_sha256,
        "data_sha256": corpus.sha256,
        "sentences": len(chosen),
        "source_words": sum(one.words for one in agreements[WAYS[0]]),
        "target_words": target_words,
        "integrated": {"points": POINTS, "missing": float(np.mean(missing)), "most_missing": float(max(missing))},
        "ways": {way: summarize_agreement(agreements[way]) for way in WAYS},
    }
    write_json(folder / FILE, result)
    return result


def _is_usable(translator: Translator, sentence: str) -> bool:
    ids = translator.tokenizer.encode_source(sentence)
    return len(ids) <= MAX_TOKENS and has_enough_words(whole_words(translator.tokenizer, ids))


def summarize_agreement(agreements: Sequence[MethodAgreement]) -> dict[str, dict]:
    """Method -> figures of the rank correlation, and in "top" the same of the top-1 agreement.

    The figures are the mean over sentences of the sentence's figure, its standard error, and how often it was the best.
    Also `to_rival`: the paired difference to the best method, or for the best method to the second best, with its
    standard error. Sentences without a figure of some method are left out.

    Raises:
        ValueError: fewer than two sentences have a figure of every method.
    """
    ranks = [[one.sentence(method) for method in METHODS] for one in agreements]
    tops = [[one.sentence_top(method) for method in METHODS] for one in agreements]
    return summarize_ranks_and_tops(ranks, tops, METHODS)


def summarize_ranks_and_tops(
    ranks: Sequence[Sequence[float | None]], tops: Sequence[Sequence[float | None]], methods: Sequence[str]
) -> dict[str, dict]:
    """The figures of `summarize_agreement` from rank correlations and top-1 agreements `(input, method)`.

    Raises:
        ValueError: fewer than two inputs have a figure of every method.
    """
    by_rank, by_top = _summarize(ranks, methods), _summarize(tops, methods)
    return {method: by_rank[method] | {"top": by_top[method]} for method in methods}


def _summarize(rows: Sequence[Sequence[float | None]], methods: Sequence[str]) -> dict[str, dict]:
    values = np.array([row for row in rows if None not in row], dtype=float)  # (input, method)
    if len(values) < 2:
        raise ValueError("Fewer than two inputs have a rank correlation; give more of them.")
    means = values.mean(axis=0)
    order = np.argsort(-means, kind="stable")
    best = values == values.max(axis=1, keepdims=True)
    result = {}
    for place, method in enumerate(methods):
        other = order[1] if place == order[0] else order[0]
        difference = values[:, place] - values[:, other]
        result[method] = {
            "mean": float(means[place]),
            "standard_error": _standard_error(values[:, place]),
            "best": float((best[:, place] / best.sum(axis=1)).mean()),
            "to_rival": {
                "other": methods[other],
                "mean": float(difference.mean()),
                "standard_error": _standard_error(difference),
            },
        }
    return result


def _standard_error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def agreement_cells(figures: dict) -> str:
    """Two cells of a table: rank correlation and top-1 agreement, with their standard errors."""
    top = figures["top"]
    rank = f"{figures['mean']:.3f} ± {figures['standard_error']:.3f}"
    return f"{rank} | {100 * top['mean']:.1f} ± {100 * top['standard_error']:.1f} %"


def agreement_verdict(ways: list[dict]) -> str:
    """Name the method that leads by both measures and ways by more than two standard errors, or say there is none.

    Args:
        ways: of each way to leave something out, method -> figures of `summarize_agreement`.
    """
    leaders = set()
    for by_rank in ways:
        for figures in (by_rank, {method: by_rank[method]["top"] for method in by_rank}):
            leader = max(figures, key=lambda method: figures[method]["mean"])
            lead = figures[leader]["to_rival"]
            leaders.add(leader if lead["mean"] > 2 * lead["standard_error"] else "")
    if len(leaders) == 1 and "" not in leaders:
        return f"{leaders.pop()} agrees best by both measures."
    return "No method leads by both measures by more than twice the standard error, so none agrees best."


def _block_values(many: dict) -> dict:
    rows = ([method, *(agreement_cells(many["ways"][way][method]) for way in WAYS)] for method in METHODS)
    return many | {"rows": table_rows(rows), "verdict": agreement_verdict([many["ways"][way] for way in WAYS])}


def _measure(options: argparse.Namespace) -> None:
    measure_agreement(options.model, read_heldout(options), options.sentences, options.device)


AGREEMENT = Study(
    "agreement",
    "compare explanations of a translator with leaving out words",
    _measure,
    {
        "--model": MODEL | {"help": "folder of the trained translator"},
        "--sentences": counted(SENTENCES, "held-out sentences to explain"),
    },
    template="agreement",
    read=lambda folder, sha256: read_measured_agreement(sha256, folder),
    values=_block_values,
)
