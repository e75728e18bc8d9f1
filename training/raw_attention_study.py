"""Measure on held-out sentences whether x_i . x_i is the largest product, and how much a token attends to itself."""

import argparse
import math
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from model.data.corpus import Corpus
from model.lessons.raw_attention import (
    FORMS,
    STATES,
    RawAttention,
    attends_most_to_itself,
    encoder_stages,
    encoder_states,
    self_weights,
    stage_names,
)
from model.lessons.raw_attention_heldout import FILE, RawAttentionFigures, StageFigures
from model.recurrent_translator import SHIPPED, RecurrentTranslator
from model.runtime.checkpoint import write_json
from model.sentence_check import InputError
from model.text.tokenizer import Tokenizer
from model.translator import Translator

from .study import MODEL, Study, check_count, counted, held_out_card, read_heldout

SENTENCES = 500
EXAMPLES = 8
WIDE = 45  # degrees
AT_ONCE = 500  # rows of the vocabulary in one product


class StageSums:
    """Sums of one stage over the sentences."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.own: dict[str, list[np.ndarray]] = defaultdict(list)
        self.trained: list[np.ndarray] = []
        self.first: list[np.ndarray] = []

    def add(self, raw: RawAttention) -> None:
        """Add one sentence."""
        count = len(raw.vectors)
        same = (raw.vectors[:, None] == raw.vectors[None]).all(axis=2)
        self.counts.update(pairs=count * (count - 1), exceeding=int(raw.exceeds.sum()), equal=int(same.sum()) - count)
        for form in FORMS:
            self.own[form].append(self_weights(raw.weights(form)))
        if raw.heads is not None:
            self.trained.append(self_weights(raw.heads).ravel())
            self.first.append(attends_most_to_itself(raw.heads).ravel())

    def figures(self, stage: str) -> StageFigures:
        """Means over all tokens of all sentences."""
        counts = {name: self.counts[name] for name in ("pairs", "exceeding", "equal")}
        return StageFigures(
            stage,
            **counts,
            own={form: _mean(weights) for form, weights in self.own.items()},
            trained=_mean(self.trained) if self.trained else None,
            trained_first=_mean(self.first) if self.first else None,
        )


def study_raw_attention(
    folder: Path, recurrent: Path, corpus: Corpus, sentences: int = SENTENCES, device: str = "auto"
) -> RawAttentionFigures:
    """Measure the translator in `folder` and the states of the network in `recurrent`; write `raw_attention.json`.

    Raises:
        CheckpointError: a folder cannot be read.
        ValueError: the translator was trained on other data, or may have seen some of these sentences.
    """
    held_out_card(folder, corpus)
    translator, before = Translator.load(folder, device), RecurrentTranslator.load(recurrent, device)
    gathered: dict[str, StageSums] = defaultdict(StageSums)
    examples, used, tokens = [], 0, 0
    for english, french in tqdm(list(corpus.heldout.items())[:sentences], desc="raw attention", mininterval=2):
        try:
            trace = translator.trace(english, target=french[0])
            states = encoder_states(before.trace(english, target=french[0]))
        except InputError:  # more tokens than a translator takes
            continue
        used, tokens = used + 1, tokens + len(trace.source_ids)
        stages = encoder_stages(translator.network, trace)
        for stage, raw in zip([*stage_names(len(stages)), STATES], [*stages, states], strict=True):
            gathered[stage].add(raw)
            for pair in raw.exceeding()[:1]:
                tokens_of = (trace.source_tokens[pair.query], trace.source_tokens[pair.key])
                examples.append((stage, english, *tokens_of, pair.own, pair.other))
    rows = vocabulary_exceeding(translator.network.embedding.weight)
    figures = RawAttentionFigures(
        (translator.weights_sha256, before.weights_sha256),
        used,
        tokens,
        tuple(sums.figures(stage) for stage, sums in gathered.items()),
        tuple(examples[:EXAMPLES]),
        len(translator.network.embedding.weight),
        len(rows.tokens),
        unused_tokens(rows.tokens, translator.tokenizer),
        rows.pairs,
        rows.wide,
        rows.widest,
    )
    write_json(folder / FILE, figures.to_dict())
    return figures


class ExceedingRows(NamedTuple):
    """Rows of an embedding table with a larger product with another row than with themselves."""

    tokens: list[int]  # their ids
    pairs: int  # number of pairs (row, row with the larger product)
    wide: int  # number of these with an angle above `WIDE` degrees between the two
    widest: float  # the largest angle of such a pair, in degrees; 0 if there is none


@torch.inference_mode()
def vocabulary_exceeding(rows: Tensor) -> ExceedingRows:
    """Find the rows with a larger product with another row than with themselves.

    Args:
        rows: `(vocabulary, width)`; products that differ by rounding only count as equal.
    """
    rows = rows.double()
    lengths = rows.norm(dim=1)
    tokens, cosines = [], [torch.ones(0, dtype=torch.float64)]
    for begin in range(0, len(rows), AT_ONCE):
        part, size = rows[begin : begin + AT_ONCE], lengths[begin : begin + AT_ONCE, None]
        products = part @ rows.T
        exceeds = products - size**2 > 1e-12 * size * lengths
        tokens += (begin + exceeds.any(dim=1).nonzero()[:, 0]).tolist()
        cosines.append((products / (size * lengths))[exceeds])
    all_cosines = torch.cat(cosines)
    wide = int((all_cosines < math.cos(math.radians(WIDE))).sum())
    widest = math.degrees(math.acos(min(1.0, float(all_cosines.min())))) if len(all_cosines) else 0.0
    return ExceedingRows(tokens, len(all_cosines), wide, widest)


def unused_tokens(tokens: list[int], tokenizer: Tokenizer) -> int:
    """Count the bytes and special tokens among `tokens`."""
    return sum(not tokenizer.is_piece_of_text(token) for token in tokens)


def _mean(arrays: list[np.ndarray]) -> float:
    return float(np.concatenate(arrays).mean())


def _measure(options: argparse.Namespace) -> None:
    check_count(options.sentences)
    study_raw_attention(options.model, options.recurrent, read_heldout(options), options.sentences, options.device)


RAW_ATTENTION = Study(
    "raw-attention",
    "compare attention without W^Q and W^K with the trained heads",
    _measure,
    {
        "--model": MODEL | {"help": "folder of the trained translator"},
        "--recurrent": {"type": Path, "default": SHIPPED / "lstm-dot", "help": "folder of a recurrent network"},
        "--sentences": counted(SENTENCES),
    },
)
