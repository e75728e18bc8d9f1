"""Translation as a task for the training loop, for the Transformer and for the recurrent networks."""

import torch
from torch import Tensor, nn

from model.networks.losses import smoothed_cross_entropy
from model.networks.recurrent import RecurrentNetwork
from model.networks.tap import untouched
from model.networks.transformer import Transformer
from model.text.tokenizer import Tokenizer
from model.training.batching import EncodedPair, collate, plan_epoch
from model.training.corpus import Corpus
from model.training.optimizer import Recipe


class TranslationStep(nn.Module):
    """Teacher-forced loss of a batch, as one module, so that DDP can wrap it.

    On a CPU the Transformer's explicit form of attention is used: for sentences of a dozen tokens it trains 1.4 x as
    fast as the fused kernel, whose backward pass is made for long sequences. Recurrent networks run fused.
    """

    def __init__(self, network: Transformer | RecurrentNetwork, smoothing: float) -> None:
        super().__init__()
        self.network = network
        self.smoothing = smoothing

    def forward(self, source: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """Sums over all real target positions: smoothed loss and -ln p of the right tokens.

        Args:
            source: `(batch, source)` ids.
            target: `(batch, target)` ids from `<s>` to `</s>`.
        """
        network = self.network
        explicit = source.device.type == "cpu" and isinstance(network, Transformer)
        hidden = network.hidden(source, target[:, :-1], untouched if explicit else None)  # (batch, target - 1, d_model)
        wanted = target[:, 1:]
        real = wanted != network.config.pad_id
        return smoothed_cross_entropy(hidden[real], network.embedding.weight, wanted[real], self.smoothing)


class TranslationTask:
    """Batches, loss and validation of a network that translates; see `model.training.loop.Task`."""

    def __init__(
        self, network: Transformer | RecurrentNetwork, tokenizer: Tokenizer, corpus: Corpus, recipe: Recipe
    ) -> None:
        self.network = network
        self.step = TranslationStep(network, recipe.label_smoothing)
        self.recipe = recipe
        self.data = f"SHA-256 {corpus.sha256}, {len(corpus.heldout)} English sentences held out"
        longest = network.config.max_positions
        encoded = (EncodedPair(tokenizer.encode_source(e), tokenizer.encode_target(f)) for e, f in corpus.train)
        self.pairs = [pair for pair in encoded if pair.cost < longest]
        first = ((english, translations[0]) for english, translations in corpus.heldout.items())
        encoded = (EncodedPair(tokenizer.encode_source(e), tokenizer.encode_target(f)) for e, f in first)
        self.heldout = [pair for pair in encoded if pair.cost < longest]

    def plan(self, epoch: int, world_size: int) -> list[list[int]]:
        """Global batches: `batch_tokens` for each process."""
        return plan_epoch(self.pairs, self.recipe.batch_tokens * world_size, self.recipe.seed, epoch)

    def load(self, indices: list[int]) -> tuple[tuple[Tensor, Tensor], int]:
        """Source and target ids, and the number of target positions that count."""
        chosen = [self.pairs[index] for index in indices]
        return collate(chosen, self.network.config.pad_id), sum(len(pair.target) - 1 for pair in chosen)

    @torch.inference_mode()
    def validate(self, network: Transformer | RecurrentNetwork, device: torch.device) -> dict[str, float]:
        """Mean -ln p per token on the first translation of every held-out sentence, without smoothing or dropout."""
        step = TranslationStep(network, 0.0).eval()
        total, terms = 0.0, 0
        for indices in plan_epoch(self.heldout, self.recipe.batch_tokens, 0, 0):
            pairs = [self.heldout[index] for index in indices]
            source, target = (ids.to(device) for ids in collate(pairs, network.config.pad_id))
            total += step(source, target)[1].item()
            terms += sum(len(pair.target) - 1 for pair in pairs)
        return {"heldout_nll": total / max(1, terms)}
