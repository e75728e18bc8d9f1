"""Training of the decoder-only network on `English </s> French </s>`, with loss on both sides."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from model.data.corpus import Corpus
from model.networks.decoder_only import DecoderOnlyTransformer
from model.networks.losses import smoothed_cross_entropy
from model.networks.masks import pad_batch
from model.networks.tap import identity_tap
from model.text.tokenizer import Tokenizer

from .optimizer import Recipe
from .translation import EncodedPair, describe_data, plan_epoch

SOURCE_WEIGHT = 0.5  # of the loss of the English tokens, relative to that of the French


@dataclass(frozen=True)
class EncodedSequence(EncodedPair):
    """Token ids of one pair that are read as one sequence; see `EncodedPair`."""

    @property
    def cost(self) -> int:
        """Positions that the network reads: all tokens but the last."""
        return len(self.source) + len(self.target) - 2


class LanguageStep(nn.Module):
    """Loss of a batch of sequences, as one module, so that DDP can wrap it.

    On a CPU attention runs in its explicit form, which trains short sequences faster; see `TranslationStep`.
    """

    def __init__(self, network: DecoderOnlyTransformer, smoothing: float, source_weight: float) -> None:
        super().__init__()
        self.network = network
        self.smoothing, self.source_weight = smoothing, source_weight

    def forward(self, ids: Tensor, source_lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Sums over all real positions: smoothed loss, the English part weighted, and -ln p of the right tokens.

        Args:
            ids: `(batch, length)`, padded on the right with `pad_id`.
            source_lengths: `(batch,)` English tokens of each, `</s>` included.
        """
        french, english = self.sums(ids, source_lengths)
        return french[0] + self.source_weight * english[0], french[1] + english[1]

    def sums(self, ids: Tensor, source_lengths: Tensor) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
        """Smoothed loss and -ln p of the French tokens, and of the English tokens after the first."""
        network, labels = self.network, ids[:, 1:]
        hidden = network.states(ids[:, :-1], identity_tap if ids.device.type == "cpu" else None)
        kind = ids.device.type
        if torch.is_autocast_enabled(kind):  # the last norm computes in single precision
            hidden = hidden.to(torch.get_autocast_dtype(kind))
        places = torch.arange(labels.shape[1], device=ids.device)
        english = places < source_lengths[:, None] - 1  # (batch, length - 1)
        french = ~english & (labels != network.config.pad_id)
        weight = network.embedding.weight
        one, other = (
            smoothed_cross_entropy(hidden[part], weight, labels[part], self.smoothing) for part in (french, english)
        )
        return one, other


class LanguageTask:
    """Batches, loss and validation of the decoder-only network; see `training.loop.TrainingTask`."""

    def __init__(
        self,
        network: DecoderOnlyTransformer,
        tokenizer: Tokenizer,
        corpus: Corpus,
        recipe: Recipe,
        source_weight: float = SOURCE_WEIGHT,
    ) -> None:
        self.network = network
        self.step = LanguageStep(network, recipe.label_smoothing, source_weight)
        self.recipe = recipe
        self.data = f"{describe_data(corpus)}, English loss times {source_weight:g}"
        longest = network.config.max_positions
        encoded = (EncodedSequence(tokenizer.encode_source(e), tokenizer.encode_target(f)) for e, f in corpus.train)
        self.pairs: list[EncodedPair] = [pair for pair in encoded if pair.cost <= longest]
        heldout = corpus.validation or corpus.heldout
        first = ((english, translations[0]) for english, translations in heldout.items())
        encoded = (EncodedSequence(tokenizer.encode_source(e), tokenizer.encode_target(f)) for e, f in first)
        self.heldout: list[EncodedPair] = [pair for pair in encoded if pair.cost <= longest]

    def plan(self, epoch: int, world_size: int) -> list[list[int]]:
        """Global batches: `batch_tokens` for each process."""
        return plan_epoch(self.pairs, self.recipe.batch_tokens * world_size, self.recipe.seed, epoch)

    def load(self, indices: list[int]) -> tuple[tuple[Tensor, Tensor], int]:
        """Ids and English lengths, and the number of positions that have a loss."""
        chosen = [self.pairs[index] for index in indices]
        return collate_sequences(chosen, self.network.config.pad_id), sum(pair.cost for pair in chosen)

    @torch.inference_mode()
    def validate(self, network: nn.Module, device: torch.device) -> dict[str, float]:
        """Mean -ln p per token of the first translations, and of their English sentences, on validation sentences.

        Without smoothing or dropout. The English one counts the tokens after the first, and `</s>`.
        """
        assert isinstance(network, DecoderOnlyTransformer)
        step = LanguageStep(network, 0.0, 1.0).eval()
        totals, terms = torch.zeros(2, dtype=torch.float64), torch.zeros(2, dtype=torch.float64)
        for indices in plan_epoch(self.heldout, self.recipe.batch_tokens, 0, 0):
            pairs = [self.heldout[index] for index in indices]
            ids, lengths = (part.to(device) for part in collate_sequences(pairs, network.config.pad_id))
            french, english = step.sums(ids, lengths)
            totals += torch.stack([french[1], english[1]]).double().cpu()
            terms += torch.tensor([sum(len(p.target) - 1 for p in pairs), sum(len(p.source) - 1 for p in pairs)])
        french_nll, english_nll = (totals / terms.clamp(min=1)).tolist()
        return {"heldout_nll": french_nll, "english_nll": english_nll}


def collate_sequences(pairs: list[EncodedPair], pad_id: int) -> tuple[Tensor, Tensor]:
    """Pad to `(batch, length)` int64, and the English lengths `(batch,)`."""
    ids = [[*pair.source, *pair.target[1:]] for pair in pairs]
    return pad_batch(ids, pad_id), torch.tensor([len(pair.source) for pair in pairs])
