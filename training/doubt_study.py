"""Choose the thresholds of `model.decoding.doubt` on validation sentences, and measure what they tell."""

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from sacrebleu.metrics import CHRF
from torch import Tensor
from tqdm import tqdm

from model.data.corpus import VALIDATION_SENTENCES, Corpus, read_split
from model.decoding.doubt import FILE, DoubtThresholds, mean_probability
from model.networks.masks import pad_batch
from model.recurrent_translator import RecurrentTranslator
from model.runtime.checkpoint import read_json, write_json
from model.runtime.device import choose_device, describe_hardware
from model.text.tokenizer import Tokenizer
from model.translator import SentenceTranslator, Translator

from .evaluate import decode_all, score_translations
from .study import MODEL, Study, check_count, counted, held_out_card
from .templates import table_rows

AT_ONCE = 32  # sentences in a batch
LEAST = 0.02  # of the sentences on each side of a threshold of the mean
SPLITS = {"validation": "validation", "heldout": "held out"}  # name in the file -> in the card


@dataclass(frozen=True, eq=False)
class ScoredTranslations:
    """Greedy translations of sentences, with what doubt is measured by."""

    texts: dict[str, str]  # sentence -> translation
    tokens: list[np.ndarray]  # probabilities of the tokens of each sentence without `</s>`, `(token,)`
    right: list[np.ndarray]  # whether each of these is in a reference, `(token,)` bool
    means: np.ndarray  # see `mean_probability`, `(sentence,)`
    quality: np.ndarray  # sentence chrF, `(sentence,)`


def measure_doubt(folder: Path, corpus: Corpus, device: str = "auto") -> dict:
    """Choose both thresholds on the validation sentences, measure both splits, and write `doubt.json`.

    Args:
        folder: of a translator or a recurrent network.
        corpus: with validation and held-out sentences, see `model.data.corpus.read_split`.

    Raises:
        CheckpointError: the folder cannot be read or written to.
        ValueError: the network was trained on other data or on held-out sentences, or there are no sentences.
    """
    card = held_out_card(folder, Corpus(corpus.outside_test, corpus.heldout, corpus.sha256))
    if not corpus.validation:
        raise ValueError("There are no validation sentences to choose thresholds on; give --sentences 1 or more.")
    recurrent = "cell" in read_json(folder / "config.json")
    model: SentenceTranslator = (RecurrentTranslator if recurrent else Translator).load(folder, device)
    validation, heldout = (translate(model, each) for each in (corpus.validation, corpus.heldout))
    thresholds = {
        "token": choose_token_threshold(*map(np.concatenate, (validation.tokens, validation.right))),
        "mean": choose_mean_threshold(validation.means, validation.quality),
    }
    result = {
        "weights_sha256": model.weights_sha256,
        "data_sha256": corpus.sha256,
        "hardware": describe_hardware(choose_device(device)),
        "thresholds": thresholds,
        # older networks were trained on what are validation sentences now
        "trained_on_validation": card["data"].get("split", {}).get("validation_sentences", 0) < len(corpus.validation),
        "validation": _describe(validation, corpus.validation, thresholds),
        "heldout": _describe(heldout, corpus.heldout, thresholds),
    }
    write_json(folder / FILE, result)
    return result


def translate(model: SentenceTranslator, sentences: dict[str, list[str]]) -> ScoredTranslations:
    """Translate sentences greedily and score them against their translations."""
    generated = decode_all(model, list(sentences))
    sources = [model.tokenizer.encode_source(sentence) for sentence in sentences]
    probabilities = compute_token_probabilities(model, sources, generated)
    texts = {sentence: model.tokenizer.decode(ids) for sentence, ids in zip(sentences, generated, strict=True)}
    tokens, right = [], []
    for ids, own, references in zip(generated, probabilities, sentences.values(), strict=True):
        ordinary = np.array(ids, dtype=np.int64) != model.tokenizer.eos_id
        tokens.append(own[ordinary])
        right.append(mark_in_references(model.tokenizer, ids, references)[ordinary])
    chrf = CHRF()
    quality = [chrf.sentence_score(texts[english], french).score for english, french in sentences.items()]
    means = np.array([mean_probability(own) for own in probabilities])
    return ScoredTranslations(texts, tokens, right, means, np.array(quality))


@torch.inference_mode()
def compute_token_probabilities(
    model: SentenceTranslator, sources: Sequence[Sequence[int]], generated: Sequence[Sequence[int]]
) -> list[np.ndarray]:
    """Compute the probability of each generated token given those before it, by teacher forcing.

    Returns:
        One `(token,)` array a sentence, in the order of `sources`; empty where nothing was generated.
    """
    network, config = model.network, model.config
    results = [np.zeros(0)] * len(sources)
    order = sorted(
        (place for place, ids in enumerate(generated) if ids),
        key=lambda place: (len(sources[place]), len(generated[place])),
    )
    for start in tqdm(range(0, len(order), AT_ONCE), desc="probabilities", mininterval=2):
        places = order[start : start + AT_ONCE]
        source = _batch([sources[place] for place in places], config.pad_id, network.device)
        following = _batch([generated[place] for place in places], config.pad_id, network.device)  # (batch, target)
        fed = torch.full_like(following, config.bos_id)
        fed[:, 1:] = following[:, :-1]
        chances = network(source, fed).float().softmax(dim=-1).gather(-1, following[..., None])[..., 0]
        for place, row in zip(places, chances.double().cpu().numpy(), strict=True):
            results[place] = row[: len(generated[place])]
    return results


def _batch(sequences: Sequence[Sequence[int]], pad_id: int, device: torch.device) -> Tensor:
    return pad_batch([list(ids) for ids in sequences], pad_id).to(device)


def mark_in_references(tokenizer: Tokenizer, ids: Sequence[int], references: Sequence[str]) -> np.ndarray:
    """Mark the tokens that are in a reference, each as often as in the reference that has it most often."""
    most: Counter[int] = Counter()
    for reference in references:
        most |= Counter(tokenizer.encode(reference))
    marks = []
    for token in ids:
        marks.append(most[token] > 0)
        most[token] -= 1
    return np.array(marks, dtype=bool)


def choose_token_threshold(probabilities: np.ndarray, right: np.ndarray) -> float:
    """Choose the threshold with the fewest errors where tokens below it are taken for wrong and others for right.

    Args:
        probabilities: `(token,)`.
        right: whether each is in a reference, `(token,)` bool.

    Returns:
        The lowest of these, of two digits; 0, which marks nothing, where every other threshold makes more errors.
    """
    grid = np.arange(100) / 100
    order = np.argsort(probabilities, kind="stable")
    wrongs = np.concatenate([[0], np.cumsum(~right[order])])  # among the lowest n
    below = np.searchsorted(probabilities[order], grid, side="left")
    errors = (below - wrongs[below]) + (wrongs[-1] - wrongs[below])
    return float(grid[np.argmin(errors)])


def choose_mean_threshold(means: np.ndarray, quality: np.ndarray) -> float:
    """Choose the threshold that splits the sentences best in two by quality: with the least squares within both sides.

    Args:
        means: `(sentence,)`.
        quality: of each, such as chrF.

    Returns:
        Rounded to two digits; 0, which marks nothing, where no threshold has enough sentences on both sides.
    """
    best, chosen = np.inf, 0.0
    for threshold in np.arange(1, 100) / 100:
        low = means < threshold
        if min(low.mean(), 1 - low.mean()) < LEAST:
            continue
        spread = sum(float(((part - part.mean()) ** 2).sum()) for part in (quality[low], quality[~low]))
        if spread < best:
            best, chosen = spread, float(threshold)
    return chosen


def _describe(scored: ScoredTranslations, sentences: dict[str, list[str]], thresholds: dict[str, float]) -> dict:
    """State what both thresholds tell on some sentences."""
    right = np.concatenate(scored.right)
    doubtful = np.concatenate(scored.tokens) < thresholds["token"]
    low = scored.means < thresholds["mean"]
    names = list(sentences)
    means: dict[str, dict[str, float]] = {}
    for name, part in (("below", low), ("above", ~low)):
        chosen = {names[place]: sentences[names[place]] for place in np.flatnonzero(part)}
        means[name] = {"sentences": len(chosen)}
        if chosen:
            scores = score_translations(scored.texts, chosen)
            means[name] |= {"bleu": scores.bleu, "chrf": scores.chrf}
    return {
        "sentences": len(names),
        "marked_sentences": sum(bool((own < thresholds["token"]).any()) for own in scored.tokens),
        "tokens": {
            "below": {"tokens": int(doubtful.sum()), "in_reference": int(right[doubtful].sum())},
            "above": {"tokens": int((~doubtful).sum()), "in_reference": int(right[~doubtful].sum())},
        },
        "means": means,
    }


def _block_values(thresholds: DoubtThresholds) -> dict:
    splits = [(name, thresholds.figures[split]) for split, name in SPLITS.items()]
    return {
        "token": thresholds.token,
        "mean": thresholds.mean,
        "figures": thresholds.figures,
        "tokens": table_rows([name, *_token_cells(figures)] for name, figures in splits),
        "means": table_rows([name, *_mean_cells(figures["means"])] for name, figures in splits),
    }


def _token_cells(figures: dict) -> list[str]:
    below, above = figures["tokens"]["below"], figures["tokens"]["above"]
    marked = _share(below["tokens"], below["tokens"] + above["tokens"])
    right = [_share(part["in_reference"], part["tokens"]) for part in (below, above)]
    return [f"{figures['sentences']:,}", f"{below['tokens']:,} ({marked})", *right]


def _mean_cells(means: dict) -> list[str]:
    parts = (means["below"], means["above"])
    return [
        cell
        for part in parts
        for cell in (f"{part['sentences']:,}", f"{part['bleu']:.2f}" if part["sentences"] else "none")
    ]


def _share(count: int, total: int) -> str:
    return f"{100 * count / total:.1f} %" if total else "none"


def _measure(options: argparse.Namespace) -> None:
    check_count(options.sentences, why="leave nothing to choose on")
    corpus = read_split(options.data, options.heldout, options.sentences)
    figures = measure_doubt(options.model, corpus, options.device)
    print(", ".join(f"{name} below {value:g}" for name, value in figures["thresholds"].items()))


DOUBT = Study(
    "doubt",
    "choose which probabilities count as low, on validation sentences",
    _measure,
    {
        "--model": MODEL | {"help": "folder of a translator or a recurrent network"},
        "--sentences": counted(VALIDATION_SENTENCES, "validation sentences used"),
    },
    template="doubt",
    read=DoubtThresholds.load,
    values=_block_values,
)
