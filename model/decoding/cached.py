"""The decoder a few target positions at a time, with what earlier ones left kept; with a tap, in its explicit form.

Decoding with it gives the same tokens as decoding without a cache; tests hold the two together. Greedy translation by
a network in which a tap intervenes stands behind it.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from ..networks.tap import Tap
from ..networks.transformer import Transformer
from ..runtime.progress import InSteps, Progress

FIRST_CAPACITY = 32  # target positions a new cache has room for; it doubles when they are used up
SPARE = 4  # tokens that are guessed beyond twice as many as were right the last time


class Cache:
    """Keys and values of earlier positions, and under a tap queries: name -> `(row, head, position, d_k)`."""

    def __init__(self) -> None:
        self.length = 0  # positions that are kept
        self.kept: dict[str, Tensor] = {}

    def __call__(self, name: str, new: Tensor) -> Tensor:
        """`(row, head, new, d_k)` -> `(row, head, length + new, d_k)`: the kept positions in front of new ones."""
        end = self.length + new.shape[2]
        if name not in self.kept:
            self.kept[name] = new.new_empty(*new.shape[:2], FIRST_CAPACITY, new.shape[3])
        while end > self.kept[name].shape[2]:
            self.kept[name] = torch.cat([self.kept[name], torch.empty_like(self.kept[name])], dim=2)
        self.kept[name][:, :, self.length : end] = new
        return self.kept[name][:, :, :end]

    def keep_rows(self, rows: Sequence[int]) -> None:
        """Go on with these rows, in this order; where as many as before, only those that moved are copied."""
        moved = [place for place, row in enumerate(rows) if row != place]
        for name, kept in self.kept.items():
            if len(rows) != len(kept):
                self.kept[name] = kept[list(rows)]
            elif moved:
                filled = kept[:, :, : self.length]
                filled[moved] = filled[[rows[place] for place in moved]]


class CachedDecoder:
    """The decoder at work on one hypothesis of each of several sentences, or on several hypotheses of one sentence.

    Under a tap, what is embedded and every step of attention pass it for all positions so far, as in
    `Transformer.decode`, so its functions see what they are used to. Of each sub-layer's output, of its norm and of the
    residual stream it sees the new positions alone.

    Args:
        network: in evaluation mode.
        memory: `(sentence, source, d_model)` from `network.encode` under the same tap; there is a row for each sentence
            at first.
        source_allowed: `(sentence, 1, 1, source)` from `padding_mask`; None where nothing is padded.
    """

    def __init__(
        self, network: Transformer, memory: Tensor, source_allowed: Tensor | None = None, tap: Tap | None = None
    ) -> None:
        self.network, self.source_allowed, self.tap = network, source_allowed, tap
        self.source = [layer.cross_attention.project_memory(memory) for layer in network.decoder]
        self.sentences = len(memory)
        self.ids = torch.empty(len(memory), 0, dtype=torch.int64, device=memory.device)  # (row, position)
        self.cache = Cache()

    def keep(self, length: int) -> None:
        """Forget all positions from `length` on."""
        self.ids, self.cache.length = self.ids[:, :length], min(self.cache.length, length)

    def extend(self, ids: Tensor) -> Tensor:
        """Take in more tokens, `(row, new)`; without a tap one a row.

        Returns:
            `(row, new, d_model)`, as `Transformer.decode` gives it.

        Raises:
            ValueError: the sequence is longer than the table of positions.
        """
        network, tap, start = self.network, self.tap, self.cache.length
        self.ids = torch.cat([self.ids, ids], dim=1)
        if tap is None:
            stream, allowed = network.embed(ids, start), None
        else:
            stream = tap("decoder.embedded", network.embed(self.ids))[:, start:]
            allowed = network.triangle[:, :, : self.ids.shape[1], : self.ids.shape[1]]
        for index, layer in enumerate(network.decoder):
            name = f"decoder.{index}"
            stream = layer(stream, self.source[index], allowed, self.source_allowed, tap, name, self.cache)
        self.cache.length += ids.shape[1]
        return stream

    def step(self, ids: Tensor) -> Tensor:
        """Take in one more token a row: `(row,)` ids -> `(row, vocabulary)` logits of the tokens that follow.

        Raises:
            ValueError: the table of positions is used up.
        """
        return self.network.project(self.extend(ids[:, None])[:, -1])

    def keep_rows(self, rows: Sequence[int]) -> None:
        """Go on with these hypotheses of the one sentence, in this order, as beam search does after each step.

        Raises:
            ValueError: there is more than one sentence.
        """
        if self.sentences != 1:
            raise ValueError(f"Only the hypotheses of one sentence can be chosen from; there are {self.sentences}.")
        self.ids = self.ids[list(rows)]
        self.cache.keep_rows(rows)


@torch.inference_mode()
def greedy_under_in_steps(
    network: Transformer,
    source_ids: Sequence[int],
    tap: Tap,
    limit: int,
    draft: Sequence[int] = (),
    *,
    looks_ahead: bool = False,
) -> InSteps[list[int]]:
    """Translate while `tap` intervenes; each step of the decoder is a part.

    Args:
        source_ids: ends with `</s>`.
        tap: may change what is embedded and every step of attention; see `model.decoding.cached.CachedDecoder`.
        limit: most tokens to produce; a disturbed network may never end.
        draft: a translation that is likely to come out in parts, such as the one without the tap. Where it does, one
            pass settles many steps (Leviathan et al. 2023, section 2, with greedy choices); the translation is the
            same as without a draft.
        looks_ahead: the tap lets a query see later tokens, so that each new one changes all that came before: nothing
            is kept from step to step, and the draft is of no use.

    Returns:
        Produced ids, `</s>` included where it was reached.
    """
    config = network.config
    decoder = network.begin_decoding(network.ids(source_ids), None, tap)
    generated, most = [config.bos_id], 0 if looks_ahead else len(draft)
    while len(generated) <= limit and (len(generated) == 1 or generated[-1] != config.eos_id):
        guessed = _guess(generated[1:], draft)[: min(most, limit - len(generated))]
        kept = 0 if looks_ahead else len(generated) - 1
        decoder.keep(kept)
        stream = decoder.extend(network.ids([*generated[kept:], *guessed]))
        logits = network.project(stream[0, -1 - len(guessed) :])  # (1 + guessed, vocabulary)
        logits[:, list(config.never_generated)] = -torch.inf
        before = len(generated)
        for best, guess in zip(logits.argmax(dim=-1).tolist(), [*guessed, None], strict=True):
            generated.append(best)
            if best != guess or best == config.eos_id:
                break
        if guessed:
            most = 2 * (len(generated) - before - 1) + SPARE
        yield Progress(len(generated) - 1, limit)
    return generated[1:]


def _guess(generated: Sequence[int], draft: Sequence[int]) -> list[int]:
    """What may follow: what follows the newest token in the draft, where that stands nearest to the same place."""
    if not generated:
        return list(draft)
    newest = len(generated) - 1
    places = [place for place, token in enumerate(draft) if token == generated[-1]]
    return list(draft[min(places, key=lambda place: abs(place - newest)) + 1 :]) if places else []
