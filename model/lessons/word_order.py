"""Two sentences, token by token: the same bag of embeddings, different inputs, different outputs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..networks.tap import Intervention
from ..networks.transformer import Transformer
from ..runtime.arrays import largest_difference, to_array
from ..text.tokenizer import Tokenizer
from .contexts import encoder_stages, stage_names
from .position_effects import changed_table, replace_positions


@dataclass(frozen=True, eq=False)
class OrderComparison:
    """Distance between two sentences at each stage, with and without positions.

    The n-th occurrence of a token in the first sentence is compared with its n-th occurrence in the second.
    """

    tokens: tuple[tuple[str, ...], tuple[str, ...]]  # readable tokens of both sentences, `</s>` last
    pairs: tuple[tuple[int, int], ...]  # positions in the first and in the second sentence, in the order of the first
    # tokens that only the first, and only the second sentence has, counted; empty for the same bag
    only: tuple[tuple[str, ...], tuple[str, ...]]
    stages: tuple[str, ...]  # names, see `model.lessons.contexts.stage_names`
    # `(pair, stage)` float64, between the two vectors of a pair; Euclidean distance
    cosines: np.ndarray
    distances: np.ndarray
    without_positions: float  # largest |difference| between paired outputs of the encoder with all positions set to 0
    with_positions: float  # the same with positions as trained

    @property
    def same_bag(self) -> bool:
        """True if both sentences have the same tokens equally often."""
        return not any(self.only)

    @property
    def moved(self) -> tuple[bool, ...]:
        """For each pair, whether the token has another position in the second sentence."""
        return tuple(first != second for first, second in self.pairs)


@torch.inference_mode()
def compare_orders(network: Transformer, tokenizer: Tokenizer, first: str, second: str) -> OrderComparison:
    """Run both sentences through the encoder, with and without positions, and compare token by token."""
    both = [tokenizer.encode_source(text) for text in (first, second)]
    pairs = match_tokens(*both)
    stages = [torch.from_numpy(encoder_stages(network, tokenizer, ids)) for ids in both]  # (stage, S, d_model) each
    # program: compare
    one, two = (stage[:, [pair[side] for pair in pairs]].double() for side, stage in enumerate(stages))
    distances = (one - two).norm(dim=-1).T  # (pair, stage)
    cosines = (one * two).sum(dim=-1).T / (one.norm(dim=-1) * two.norm(dim=-1)).T
    # end of program
    here, there = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    tap = Intervention({"encoder.embedded": replace_positions(network, changed_table(network, 0, "none"))})
    bare = [to_array(network.encode(network.ids(ids), None, tap)[0]) for ids in both]  # (S, d_model), all positions 0
    counts = [Counter(ids) for ids in both]
    only = tuple(tuple(tokenizer.labels((counts[side] - counts[1 - side]).elements())) for side in (0, 1))
    return OrderComparison(
        (tuple(tokenizer.display(both[0])), tuple(tokenizer.display(both[1]))),
        tuple(pairs),
        (only[0], only[1]),
        stage_names(network.config.n_encoder_layers),
        cosines.numpy(),
        distances.numpy(),
        largest_difference(bare[0][here], bare[1][there]),
        float((one[-1].float() - two[-1].float()).abs().max()),
    )


def match_tokens(own: Sequence[int], other: Sequence[int]) -> list[tuple[int, int]]:
    """Pair the n-th occurrence of each id in `own` with the n-th in `other`; positions, in the order of `own`."""
    # program: match
    left = {token: [place for place, each in enumerate(other) if each == token] for token in other}  # token -> where
    pairs = [(place, left[token].pop(0)) for place, token in enumerate(own) if left.get(token)]
    # end of program
    return pairs
