"""What heads of cross-attention send from a source token, as logits: whether they raise the token it is aligned with.

A head that attends to source position k adds its weight times W_O (W_V m_k + b_V) to the stream of the decoder, where
m_k is the encoder's output at k. This vector is multiplied by the output matrix, without norms: with their means and
standard deviations frozen they only scale it, but for their gains. A token is raised if its logit is above the mean
logit of all tokens, which chance does in half of all cases. Its rank is 1 plus the number of tokens with a larger
logit; by chance half of the vocabulary.

Links with the same token on both sides are left out: there, raising one is raising the other.
"""

from dataclasses import dataclass

import numpy as np
import torch

from ..networks.transformer import Transformer
from ..tracing.kinds import CROSS
from ..tracing.trace import SentenceTrace
from .own_networks import resumable

NORMAL = 1.96  # 97.5th percentile of the normal distribution
CHANCE = 0.5  # share of links at which a random vector raises a token


@dataclass(frozen=True, eq=False)
class SentTokens:
    """What every head of cross-attention sends over the links of some sentences."""

    links: int  # number of links between tokens that differ
    # `target_raised`, `source_raised`: `(layer, head)` share of the links at which the aligned target token, or the
    # source token itself, is raised
    target_raised: np.ndarray
    source_raised: np.ndarray
    # `target_rank`, `source_rank`: `(layer, head)` median rank of these tokens
    target_rank: np.ndarray
    source_rank: np.ndarray


class SentTokensAccumulator:
    """Collects the links of a sequence of sentences of one network.

    Args:
        network: whose heads are measured.
    """

    def __init__(self, network: Transformer) -> None:
        layers = range(len(network.decoder))
        self._output = torch.stack([resumable(network).head_matrices(CROSS, layer).output for layer in layers])
        self._unembedding = network.embedding.weight.double().mT  # (d_model, token)
        self._parts: list[torch.Tensor] = []  # (link, layer, head, 4)

    @torch.inference_mode()
    def add(self, trace: SentenceTrace, links: np.ndarray) -> None:
        """Add one sentence.

        Args:
            links: `(token, key)` bool; see `model.text.word_alignment.find_links`.
        """
        tokens, keys = np.nonzero(links)
        targets, sources = (np.array(ids) for ids in (trace.next_ids, trace.source_ids))
        differ = targets[tokens] != sources[keys]
        values = torch.from_numpy(trace.records[CROSS.name].values)  # (layer, head, key, d_k)
        for token, key in zip(tokens[differ], keys[differ], strict=True):
            value = values[:, :, key].to(self._output)
            vectors = torch.einsum("lhdk,lhk->lhd", self._output, value)  # (layer, head, d_model)
            logits = vectors @ self._unembedding  # (layer, head, token)
            own = logits[..., [int(targets[token]), int(sources[key])]]  # (layer, head, 2)
            raised = own > logits.mean(dim=-1, keepdim=True)
            ranks = torch.stack([(logits > each[..., None]).sum(dim=-1) + 1 for each in own.unbind(dim=-1)], dim=-1)
            self._parts.append(torch.cat([raised.double(), ranks.double()], dim=-1).cpu())

    def result(self) -> SentTokens:
        """Compute shares and median ranks of the links so far.

        Raises:
            ValueError: there is no link.
        """
        if not self._parts:
            raise ValueError("No word of these sentences is aligned with another token; give more sentences.")
        parts = torch.stack(self._parts).numpy()  # (link, layer, head, 4)
        shares, ranks = parts[..., :2].mean(axis=0), np.median(parts[..., 2:], axis=0)
        return SentTokens(len(parts), shares[..., 0], shares[..., 1], ranks[..., 0], ranks[..., 1])


def upper_limits(shares: np.ndarray) -> np.ndarray:
    """The upper end of the 95 % band of all the other heads' shares, `(layer, head)`; infinite with fewer than two.

    The band is the mean of the others plus and minus `NORMAL` of their standard deviations.
    """
    flat = shares.reshape(-1)
    if len(flat) < 3:
        return np.full(shares.shape, np.inf)
    others = [np.delete(flat, place) for place in range(len(flat))]
    return np.array([each.mean() + NORMAL * each.std(ddof=1) for each in others]).reshape(shares.shape)


def above_the_others(shares: np.ndarray) -> np.ndarray:
    """Mark heads whose share is above chance and above the 95 % band of all the others: `(layer, head)` bool."""
    return (shares > CHANCE) & (shares > upper_limits(shares))
