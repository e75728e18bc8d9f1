"""Composition between heads, and copying, computed from their weights (Elhage et al. 2021).

Composition of an earlier with a later head is the Frobenius norm of the product of their matrices divided by the
product of their norms: of W_OV of the earlier head with W_QK of the later one by queries (Q) or keys (K), with its W_OV
by values (V) ("A Mathematical Framework for Transformer Circuits", two-layer attention-only transformers). Random
matrices give a share above 0, stated as `chance`; only a share well above it shows that the later head reads what the
earlier one writes.

The copying score of a head is the sum of the eigenvalues of its whole OV circuit, from the embedding of a token to the
logits of all tokens, divided by the sum of their absolute values. It is above 0 if attending to a token raises that
token's own logit on average over all tokens, below 0 if it lowers it; a single token can differ from that average (the
same paper, copying heads). The circuit begins at embeddings, so only heads that read
their values from the stream of their queries have a score. Cross-attention reads them from the encoder's output: what
its heads send is measured in `model.causal.sent_tokens`.

Biases and norms are left out: the norm of each position has another scale, and a post-norm network has them between all
layers. A score is a statement about weights, not about any input.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor

from ..runtime.progress import InSteps, Progress, as_one_call
from .causal_error import CausalError
from .path_patching import Connection, connections
from .result_tables import CausalResult, Table, TableAxis
from .resumable import HeadMatrices, ResumableNetwork

DRAWS = 20  # random pairs whose mean is the chance
TOKENS = 8192  # rows of the embedding that are in double precision at a time


@dataclass(frozen=True, eq=False, repr=False)
class CompositionScores(CausalResult):
    """Composition of all pairs of heads that causality allows."""

    scores: dict[Connection, np.ndarray]
    """Connection -> `(earlier layer, earlier head, later layer, later head)` float64 in [0, 1]; NaN where the later
    head cannot depend on the earlier one.
    """
    chance: float
    """Mean score of random matrices of these sizes."""
    difference: float
    """Largest |difference| of the strongest score of each connection from the product of the whole `(d_model, d_model)`
    matrices.
    """

    @property
    def tables(self) -> dict[str, Table]:
        names = ("sender_layer", "sender_head", "receiver_layer", "receiver_head")
        return {
            connection.name: Table(
                values,
                tuple(TableAxis.counted(name, size) for name, size in zip(names, values.shape, strict=True)),
                "share",
            )
            for connection, values in self.scores.items()
        }


class NoCopyingScore(CausalError, KeyError):
    """Heads without a copying score were asked for theirs; the message states why they have none."""

    __str__ = CausalError.__str__  # that of KeyError quotes


@dataclass(frozen=True, eq=False, repr=False)
class CopyingScores(CausalResult, Mapping[str, np.ndarray]):
    """Copying scores of all heads that read and write one stream; also a mapping from their kinds to the scores."""

    scores: dict[str, np.ndarray]
    """Kind of attention -> `(layer, head)` float64 in [-1, 1]."""
    difference: float
    """Largest |difference| of the sum of a head's eigenvalues from the trace of its circuit, computed from the
    `(d_model, d_model)` matrices, as a share of the sum of their absolute values.
    """
    left_out: tuple[str, ...] = ()
    """Kinds whose values are of another stream than their queries, so that they have no score."""

    @property
    def tables(self) -> dict[str, Table]:
        return {
            kind: Table(
                values,
                (TableAxis.counted("layer", len(values)), TableAxis.counted("head", values.shape[1])),
                "copying score",
            )
            for kind, values in self.scores.items()
        }

    def __getitem__(self, kind: str) -> np.ndarray:
        """Return the scores of a kind.

        Raises:
            NoCopyingScore: its heads have none.
        """
        if kind in self.scores:
            return self.scores[kind]
        if kind in self.left_out:
            raise NoCopyingScore(
                "Heads of kind {kind} have no copying score: their values come from the encoder's output, not from "
                "embeddings of tokens. Kinds with scores: {kinds}.",
                kind=kind,
                kinds=", ".join(self.scores),
            )
        raise NoCopyingScore("There are no copying scores of {kind}; kinds: {kinds}.", kind=kind, kinds=", ".join(self))

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)


@torch.inference_mode()
def composition_in_steps(resumable: ResumableNetwork) -> InSteps[CompositionScores]:
    """Compute the composition of every pair of heads."""
    places = [(kind, layer) for kind in resumable.kinds for layer in range(resumable.stacks[kind.stack])]
    all_connections = connections(resumable)
    done, total = 0, len(places) + len(all_connections) * max(resumable.stacks.values())
    matrices = {}
    for kind, layer in places:
        matrices[kind.name, layer] = resumable.head_matrices(kind, layer)
        done += 1
        yield Progress(done, total)
    scores, difference = {}, 0.0
    for connection in all_connections:
        sizes = resumable.stacks[connection.sender.stack], resumable.stacks[connection.receiver.stack]
        table = np.full((sizes[0], resumable.n_heads, sizes[1], resumable.n_heads), np.nan)
        for first in range(sizes[0]):
            for second in filter(partial(connection.allows, first), range(sizes[1])):
                earlier = matrices[connection.sender.name, first]
                later = matrices[connection.receiver.name, second]
                table[first, :, second] = _scores(earlier, later, connection.input).cpu().numpy()
            done += 1
            yield Progress(min(done, total), total)
        scores[connection] = table
        if np.isnan(table).all():  # a single layer has no earlier heads
            continue
        strongest = np.unravel_index(int(np.nanargmax(table)), table.shape)
        sender, head, receiver, other = map(int, strongest)
        whole = _dense(
            *(part[head] for part in matrices[connection.sender.name, sender][2:]),
            *(part[other] for part in _read_by(matrices[connection.receiver.name, receiver], connection.input)),
        )
        difference = max(difference, abs(whole - float(table[strongest])))
    width, inner = matrices[resumable.kinds[0].name, 0].query.shape[1:]
    return CompositionScores(scores, _chance(width, inner), difference)


composition = as_one_call(composition_in_steps)


def _read_by(later: HeadMatrices, name: str) -> tuple[Tensor, Tensor]:
    """The matrix of a head as two factors, the one that reads the stream by this input first."""
    return {
        "queries": (later.query, later.key),
        "keys": (later.key, later.query),
        "values": (later.value, later.output),
    }[name]


def _scores(earlier: HeadMatrices, later: HeadMatrices, name: str) -> Tensor:
    """`(earlier head, later head)`; only products of d_k x d_k matrices."""
    reads, rest = _read_by(later, name)
    # value @ (output.mT @ reads) @ rest.mT, whose norm follows from the Gram matrices of its outer factors
    inner = torch.einsum("hdk,gdl->hgkl", earlier.output, reads)  # (earlier, later, d_k, d_k)
    product = _gram(earlier.value)[:, None] @ inner @ _gram(rest)[None]
    squared = (product * inner).sum(dim=(-2, -1))
    own = _norm(earlier.value, earlier.output)[:, None] * _norm(reads, rest)[None]
    return (squared.clamp(min=0).sqrt() / own.clamp(min=torch.finfo(torch.float64).tiny)).clamp(max=1)


def _gram(factor: Tensor) -> Tensor:
    return factor.mT @ factor


def _norm(first: Tensor, second: Tensor) -> Tensor:
    """Frobenius norms of `first @ second.mT`, `(head,)`."""
    return (_gram(first) * _gram(second)).sum(dim=(-2, -1)).clamp(min=0).sqrt()


def _dense(value: Tensor, output: Tensor, reads: Tensor, rest: Tensor) -> float:
    """The score of one pair by its whole matrices."""
    earlier, later = value @ output.mT, reads @ rest.mT
    own = torch.linalg.norm(earlier) * torch.linalg.norm(later)
    return float(torch.linalg.norm(earlier @ later) / own) if own else 0.0


def _chance(width: int, inner: int) -> float:
    """Mean score of random matrices `(width, inner)`."""
    generator = torch.Generator().manual_seed(0)
    draws = torch.randn(DRAWS, 8, 1, width, inner, generator=generator, dtype=torch.float64)
    pairs = ((HeadMatrices(*draw[:4]), HeadMatrices(*draw[4:])) for draw in draws)
    return float(torch.stack([_scores(earlier, later, "queries") for earlier, later in pairs]).mean())


@torch.inference_mode()
def copying_scores_in_steps(resumable: ResumableNetwork) -> InSteps[CopyingScores]:
    """Compute the copying score of every head whose values are of the stream that reaches the logits.

    The eigenvalues of the circuit of all tokens, E W_OV U^T with the output matrix U, which is E in our networks, are
    those of the d_k x d_k matrix W_O U^T E W_V, but for zeros. 0 for a head without output.

    Raises:
        CausalError: the network reads no tokens.
    """
    embedding, output = resumable.token_matrices()
    pairs = zip(output.split(TOKENS), embedding.split(TOKENS), strict=True)
    products = torch.stack([written.double().mT @ read.double() for written, read in pairs]).sum(dim=0)
    written = [kind for kind in resumable.kinds if kind.stack == resumable.output_stack]
    kinds = [kind for kind in written if resumable.key_stack(kind) == kind.stack]
    scores, difference = {}, 0.0
    for number, kind in enumerate(kinds):
        table = np.zeros((resumable.stacks[kind.stack], resumable.n_heads))
        for layer in range(len(table)):
            matrices = resumable.head_matrices(kind, layer)
            eigenvalues = torch.linalg.eigvals(matrices.output.mT @ products @ matrices.value)  # (head, d_k)
            size = eigenvalues.abs().sum(dim=-1).clamp(min=torch.finfo(torch.float64).tiny)
            share = eigenvalues.real.sum(dim=-1) / size
            traces = torch.einsum("hdk,hek,ed->h", matrices.value, matrices.output, products)  # of W_V W_O^T P
            difference = max(difference, float((eigenvalues.sum(dim=-1) - traces).abs().div(size).max()))
            table[layer] = share.clamp(-1, 1).cpu().numpy()
            yield Progress(number * len(table) + layer + 1, len(kinds) * len(table))
        scores[kind.name] = table
    return CopyingScores(scores, difference, tuple(kind.name for kind in written if kind not in kinds))


copying_scores = as_one_call(copying_scores_in_steps)
