"""Where a decoder-only network aligns two sentences that it reads as one sequence, and what a prefix mask changes.

The sequence is `English </s> French </s>`. The position that reads `</s>` or a French token generates the next French
token, so the rows of these positions over the English columns form a block that compares with cross-attention, row by
row and column by column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import torch
from torch import Tensor

from ..attribution.alignment_error import LinkCounts, count_links
from ..attribution.intervention_result import token_losses
from ..decoding.search import DecodingOptions, stream
from ..networks.decoder_only import DecoderOnlyTransformer
from ..networks.tap import Intervention
from ..text.tokenizer import Tokenizer
from ..text.words import whole_words
from ..tracing.kinds import DECODER
from ..tracing.language_trace import LanguageTrace, record_language_trace


def cross_block(trace: LanguageTrace) -> np.ndarray:
    """Attention of the steps that generate French to the English tokens: `(layer, head, T, S)` float32.

    Row t generates the t-th token after the prompt, as row t of a translator's cross-attention does. Columns are the
    prompt with its `</s>`. A row sums to less than 1: the rest is attention to French tokens.
    """
    first = trace.prompt_length - 1
    return trace.decoder_attention[:, :, first:, : trace.prompt_length]


def following_ids(trace: LanguageTrace) -> tuple[int, ...]:
    """Ids of the tokens after the prompt, with `</s>`: those of the rows of `cross_block`."""
    return trace.next_ids[trace.prompt_length - 1 :]


def following_tokens(trace: LanguageTrace) -> tuple[str, ...]:
    """Labels of `following_ids`."""
    return trace.next_tokens[trace.prompt_length - 1 :]


def copied_tokens(tokenizer: Tokenizer, source_ids: Sequence[int], next_ids: Sequence[int]) -> np.ndarray:
    """Mark which English token a step copies: `(T, S)` bool.

    A step copies if its token belongs to a word that begins with a capital letter or contains a digit, and both
    sentences have this word. It is marked with the same token of that word in the English sentence.
    """
    copies = np.zeros((len(next_ids), len(source_ids)), dtype=bool)
    sources = [word for word in whole_words(tokenizer, source_ids) if not word.special]
    for target in whole_words(tokenizer, next_ids):
        if target.special or not (target.text[:1].isupper() or any(map(str.isdigit, target.text))):
            continue
        for source in sources:
            same = tuple(next_ids[target.start : target.end]) == tuple(source_ids[source.start : source.end])
            if same and source.text == target.text:
                steps = np.arange(target.end - target.start)
                copies[target.start + steps, source.start + steps] = True
    return copies


@dataclass(frozen=True, eq=False)
class HeadSums:
    """Sums over positions from which the measures of every head follow; of one sentence, or of many added up."""

    source: np.ndarray  # `(layer, head)` attention to English tokens, of the positions that read a French token
    first: np.ndarray  # `(layer, head)` attention to the first token, of all positions after it
    copied: np.ndarray  # `(layer, head)` attention of the steps that copy to what they copy
    links: np.ndarray  # `(layer, head, 3)` as `LinkCounts`: of attention, of the statistical word alignment, of both
    # `readers`, `later`, `copies`: numbers of these positions
    readers: int
    later: int
    copies: int
    # `even_source`, `even_first`, `even_copied`: the same sums of even attention to all tokens so far
    even_source: float
    even_first: float
    even_copied: float

    def __add__(self, other: HeadSums) -> HeadSums:
        return HeadSums(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    @property
    def measures(self) -> HeadMeasures:
        """The means."""
        counts: list[LinkCounts] = [LinkCounts(*row) for row in self.links.reshape(-1, 3).tolist()]
        errors = [np.nan if not row.reference or row.error is None else row.error for row in counts]
        return HeadMeasures(
            self.source / max(self.readers, 1),
            self.first / max(self.later, 1),
            self.copied / self.copies if self.copies else np.full_like(self.copied, np.nan),
            np.array(errors).reshape(self.links.shape[:2]),
            self.even_source / max(self.readers, 1),
            self.even_first / max(self.later, 1),
            self.even_copied / self.copies if self.copies else np.nan,
            self.copies,
        )


@dataclass(frozen=True, eq=False)
class HeadMeasures:
    """What every head does, `(layer, head)` float64 each; NaN where a sentence has nothing to measure."""

    source: np.ndarray  # share of attention that positions of French tokens give to English tokens
    first: np.ndarray  # share of attention to the first token of the sequence
    copied: np.ndarray  # share of attention, at steps that copy a name or a number, on the token that they copy
    error: np.ndarray  # alignment error rate against the statistical word alignment
    # `even_source`, `even_first`, `even_copied`: the first three of even attention to all tokens so far
    even_source: float
    even_first: float
    even_copied: float
    copies: int  # steps that copy

    @property
    def aligned(self) -> tuple[int, int]:
        """Layer and head, from 0, with the lowest alignment error; without one, with most attention to English."""
        table = self.source if np.isnan(self.error).all() else -np.nan_to_num(self.error, nan=np.inf)
        layer, head = divmod(int(np.argmax(table)), table.shape[1])
        return layer, head


def sum_heads(trace: LanguageTrace, reference: np.ndarray | None) -> HeadSums:
    """Measure every head on one sentence pair; see `HeadSums`.

    Args:
        reference: `(T, S)` bool, from `model.text.word_alignment.find_links`; None without statistical links.
    """
    block, prompt = cross_block(trace).astype(np.float64), trace.prompt_length
    whole = trace.decoder_attention[:, :, 1:, 0].astype(np.float64)  # (layer, head, query)
    copies = copied_tokens(trace.tokenizer, trace.source_ids, following_ids(trace))
    copying = copies.any(axis=1)
    read = np.arange(prompt, prompt + block.shape[2])  # tokens that each row can attend to
    even = np.minimum(prompt, read) / read
    links = np.zeros((*block.shape[:2], 3), dtype=np.int64)
    if reference is not None:
        for place in np.ndindex(*block.shape[:2]):
            counts = count_links(block[place], reference)
            links[place] = counts.attention, counts.reference, counts.shared
    return HeadSums(
        block[:, :, 1:].sum(axis=(2, 3)),
        whole.sum(axis=2),
        (block * copies).sum(axis=(2, 3)),
        links,
        block.shape[2] - 1,
        whole.shape[2],
        int(copying.sum()),
        float(even[1:].sum()),
        float((1 / np.arange(2, whole.shape[2] + 2)).sum()),
        float((copies.sum(axis=1) / read).sum()),
    )


def prefix_mask(network: DecoderOnlyTransformer, prompt: int) -> Intervention:
    """A tap that lets the first `prompt` positions attend to each other, as the prefix of a prefix language model.

    Later positions stay causal (Raffel et al. 2020, section 3.2.1).
    """

    def change(allowed: Tensor) -> Tensor:
        """`(1, 1, position, position)` bool -> the same shape."""
        inside = torch.arange(allowed.shape[-1], device=allowed.device) < prompt
        return allowed | (inside[:, None] & inside)

    return Intervention(dict.fromkeys(DECODER.tap_names(network, "mask"), change))


@dataclass(frozen=True, eq=False)
class PrefixComparison:
    """The same sentence pair under the causal mask and under a prefix mask."""

    # `causal`, `prefix`: -ln p of every French token and `</s>`, in nats, `(T,)` float64
    causal: np.ndarray
    prefix: np.ndarray
    translation: str  # generated greedily under the prefix mask
    finished: bool  # whether it ended with `</s>`
    after: LanguageTrace  # the pass under the prefix mask


@torch.inference_mode()
def compare_prefix(network: DecoderOnlyTransformer, trace: LanguageTrace) -> PrefixComparison:
    """Run a traced sentence pair again, with all English tokens visible to each other."""
    tap, ids = prefix_mask(network, trace.prompt_length), following_ids(trace)
    after = record_language_trace(network, trace.tokenizer, trace.source_ids, ids, tap)
    after = replace(after, given=trace.given)
    options = DecodingOptions(max_length=2 * trace.prompt_length + 10)
    *_, last = stream(network, list(trace.source_ids), options, tap)
    finished = last.ids[-1] == network.config.eos_id
    return PrefixComparison(
        following_losses(trace), following_losses(after), trace.tokenizer.decode(last.ids), finished, after
    )


def following_losses(trace: LanguageTrace) -> np.ndarray:
    """-ln p of every token after the prompt, in nats: `(T,)` float64."""
    return token_losses(trace)[trace.prompt_length - 1 :]
