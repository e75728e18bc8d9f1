"""How tokens become vectors, and which tokens of the vocabulary have similar ones."""

import math
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F

from ..networks.tap import Recorder
from ..networks.transformer import Transformer
from ..runtime.arrays import largest_difference, to_array
from ..text.tokenizer import Tokenizer


@dataclass(frozen=True, eq=False)
class EmbeddingSteps:
    """Steps from ids to the input of the encoder's first layer, one row a token; all `(S, d_model)` float32."""

    # the tokens, `</s>` last
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    rows: np.ndarray  # rows of the embedding table
    scaled: np.ndarray  # rows x sqrt(d_model) (Vaswani et al. 2017, section 3.4).
    positions: np.ndarray  # vectors added for positions 0 to S - 1: the sinusoids (section 3.5), or as learned; or 0
    embedded: np.ndarray  # scaled + positions, recomputed
    recorded: np.ndarray  # the encoder's input, as recorded by a tap

    @property
    def difference(self) -> float:
        """Largest |difference| between the recomputed sum and the encoder's input."""
        return largest_difference(self.embedded, self.recorded)


@torch.inference_mode()
def recompute_embedding(network: Transformer, tokenizer: Tokenizer, ids: list[int]) -> EmbeddingSteps:
    """Look up `ids`, `</s>` last, scale and add positions outside the network; record the network's own sum."""
    recorder = Recorder()
    network.encode(network.ids(ids), None, recorder)
    # program: step-by-step
    rows = network.embedding.weight[ids]  # (S, d_model), of the table (vocabulary, d_model)
    scaled = rows * math.sqrt(network.config.d_model)
    positions = network.positions[: len(ids)]  # the sinusoids of places 0, 1, 2, ...
    embedded = scaled + positions  # what the first layer of the encoder reads
    # end of program
    steps = map(to_array, (rows, scaled, positions, embedded, recorder.tensors["encoder.embedded"][0]))
    return EmbeddingSteps(tuple(ids), tuple(tokenizer.display(ids)), *steps)


@dataclass(frozen=True)
class Neighbour:
    """A token of the vocabulary and the cosine between its row and the chosen row."""

    id: int
    token: str
    cosine: float


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """The whole vocabulary compared with one token."""

    # the chosen token
    id: int
    token: str
    cosines: np.ndarray  # `(vocabulary,)` float32, cosine of its row with every row; 1 with itself
    nearest: tuple[Neighbour, ...]  # the tokens with the largest cosines, best first, without the token itself
    difference: float  # largest |difference| to `torch.nn.functional.cosine_similarity`

    @property
    def others(self) -> np.ndarray:
        """`(vocabulary - 1,)`: the cosines without the token itself."""
        return np.delete(self.cosines, self.id)


@torch.inference_mode()
def find_neighbours(network: Transformer, tokenizer: Tokenizer, token: int, count: int = 50) -> Neighbourhood:
    """Compute the cosine of one row of the embedding table with all rows.

    Args:
        token: an id of the vocabulary.
        count: number of neighbours to return.

    Raises:
        ValueError: `token` is not in the vocabulary.
    """
    table = network.embedding.weight.float()  # (vocabulary, d_model)
    if not 0 <= token < len(table):
        raise ValueError(f"There is no token {token} in a vocabulary of {len(table)}.")
    count = min(count, len(table) - 1)
    # program: neighbours
    unit = F.normalize(table, dim=1)
    cosines = unit @ unit[token]  # (vocabulary,)
    others = cosines.clone()
    others[token] = -torch.inf
    best = others.topk(count)
    labels = tokenizer.labels([token, *best.indices.tolist()])  # of the token, then of the nearest ones
    # end of program
    difference = float((cosines - F.cosine_similarity(table, table[token][None], dim=1)).abs().max())
    nearest = tuple(
        Neighbour(id_, label, cosine)
        for id_, label, cosine in zip(best.indices.tolist(), labels[1:], best.values.tolist(), strict=True)
    )
    return Neighbourhood(token, labels[0], cosines.cpu().numpy(), nearest, difference)
