"""Translation as a task of the training loop, for the Transformer and for the recurrent networks.

Batches of sentence pairs are limited by tokens: pairs of similar length, in an order that follows from seed and epoch.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from model.data.corpus import Corpus
from model.networks.interfaces import TranslationNetwork
from model.networks.losses import smoothed_cross_entropy
from model.networks.masks import pad_batch
from model.networks.tap import identity_tap
from model.networks.transformer import Transformer
from model.text.tokenizer import Tokenizer

from .optimizer import Recipe


@dataclass(frozen=True)
class EncodedPair:
    """Token ids of one pair: `source` ends with `</s>`, `target` starts with `<s>` and ends with `</s>`."""

    source: list[int]
    target: list[int]

    @property
    def cost(self) -> int:
        """Positions the pair fills on its longer side."""
        return max(len(self.source), len(self.target) - 1)


def plan_epoch(pairs: list[EncodedPair], batch_tokens: int, seed: int, epoch: int) -> list[list[int]]:
    """Group pair indices into batches of at most `batch_tokens` padded positions on either side.

    Pairs are shuffled, sorted by length inside large windows so that little is padded, cut into batches, and the
    batches shuffled. Each pair is in exactly one batch.

    Args:
        pairs: the encoded training pairs.
        batch_tokens: positions of a batch with padding; a longer pair is a batch of its own.
        seed: of the run.
        epoch: number of the pass over the data; each epoch has another order.

    Returns:
        Lists of indices into `pairs`.
    """
    order = list(range(len(pairs)))
    shuffler = random.Random(f"{seed}/{epoch}")
    shuffler.shuffle(order)
    window = 40 * batch_tokens  # pairs; several hundred batches
    batches: list[list[int]] = []
    for start in range(0, len(order), window):
        part = sorted(order[start : start + window], key=lambda i: (pairs[i].cost, len(pairs[i].source)))
        batch: list[int] = []
        for index in part:  # sorted, so the newest pair is the longest so far
            if batch and pairs[index].cost * (len(batch) + 1) > batch_tokens:
                batches.append(batch)
                batch = []
            batch.append(index)
        batches.append(batch)
    shuffler.shuffle(batches)
    return batches


def collate(pairs: list[EncodedPair], pad_id: int) -> tuple[Tensor, Tensor]:
    """Pad to `(batch, source)` and `(batch, target)` int64."""
    return pad_batch([pair.source for pair in pairs], pad_id), pad_batch([pair.target for pair in pairs], pad_id)


def describe_data(corpus: Corpus) -> str:
    """The data file and its split, as the metrics file records them; a run can be resumed with the same only."""
    text = f"SHA-256 {corpus.sha256}, {len(corpus.heldout)} English sentences held out"
    return text + (f", {len(corpus.validation)} for validation" if corpus.validation else "")


class TranslationStep(nn.Module):
    """Teacher-forced loss of a batch, as one module, so that DDP can wrap it.

    On a CPU the Transformer's explicit form of attention is used: for sentences of a dozen tokens it trains 1.4 x as
    fast as the fused kernel, whose backward pass is optimised for long sequences. Recurrent networks run fused.
    """

    def __init__(self, network: TranslationNetwork, smoothing: float) -> None:
        super().__init__()
        self.network = network
        self.smoothing = smoothing

    def forward(self, source: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """Sums over all real target positions: smoothed loss and -ln p of the right tokens.

        `source` is `(batch, source)` ids, `target` `(batch, target)` ids from `<s>` to `</s>`.
        """
        network = self.network
        explicit = source.device.type == "cpu" and isinstance(network, Transformer)
        hidden = network.hidden(
            source, target[:, :-1], identity_tap if explicit else None
        )  # (batch, target - 1, d_model)
        labels = target[:, 1:]
        real = labels != network.config.pad_id
        return smoothed_cross_entropy(hidden[real], network.embedding.weight, labels[real], self.smoothing)


class TranslationTask:
    """Batches, loss and validation of a network that translates; see `training.loop.TrainingTask`."""

    def __init__(
        self,
        network: TranslationNetwork,
        tokenizer: Tokenizer,
        corpus: Corpus,
        recipe: Recipe,
        longest_tokens: int | None = None,
    ) -> None:
        """Encode the pairs that the network has positions for.

        Args:
            longest_tokens: pairs with more on a side, `<s>` and `</s>` not counted, are left out of training and
                validation.
        """
        self.network = network
        self.step = TranslationStep(network, recipe.label_smoothing)
        self.recipe = recipe
        self.data = describe_data(corpus)
        longest = network.config.max_positions - 1
        if longest_tokens is not None:
            self.data += f", at most {longest_tokens} tokens a side"
            longest = longest_tokens + 1
        self.tokenizer, self.longest = tokenizer, longest
        self.pairs = self.encode(corpus.train)
        heldout = corpus.validation or corpus.heldout
        self.heldout = self.encode((english, translations[0]) for english, translations in heldout.items())

    def encode(self, pairs: Iterable[tuple[str, str]]) -> list[EncodedPair]:
        """Encode those pairs that are short enough."""
        tokenizer = self.tokenizer
        encoded = (EncodedPair(tokenizer.encode_source(e), tokenizer.encode_target(f)) for e, f in pairs)
        return [pair for pair in encoded if pair.cost <= self.longest]

    def plan(self, epoch: int, world_size: int) -> list[list[int]]:
        """Global batches: `batch_tokens` for each process."""
        return plan_epoch(self.pairs, self.recipe.batch_tokens * world_size, self.recipe.seed, epoch)

    def load(self, indices: list[int]) -> tuple[tuple[Tensor, Tensor], int]:
        """Source and target ids, and the number of target positions that count."""
        chosen = [self.pairs[index] for index in indices]
        return collate(chosen, self.network.config.pad_id), sum(len(pair.target) - 1 for pair in chosen)

    @torch.inference_mode()
    def validate(self, network: nn.Module, device: torch.device) -> dict[str, float]:
        """Mean -ln p per token, without smoothing or dropout, on the first translation of every validation sentence.

        A corpus without validation sentences is measured on its test sentences.
        """
        return {"heldout_nll": self.mean_loss(network, device, self.heldout)}

    @torch.inference_mode()
    def mean_loss(self, network: nn.Module, device: torch.device, heldout: list[EncodedPair]) -> float:
        """Mean -ln p per token of pairs, without smoothing or dropout."""
        assert isinstance(network, TranslationNetwork)
        step = TranslationStep(network, 0.0).eval()
        total, terms = 0.0, 0
        for indices in plan_epoch(heldout, self.recipe.batch_tokens, 0, 0):
            pairs = [heldout[index] for index in indices]
            source, target = (ids.to(device) for ids in collate(pairs, network.config.pad_id))
            total += step(source, target)[1].item()
            terms += sum(len(pair.target) - 1 for pair in pairs)
        return total / max(1, terms)
