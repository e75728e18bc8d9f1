"""Greedy translation by a network in which a tap intervenes."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from model.networks.attention import KeyValue, MultiHeadAttention
from model.networks.tap import Tap
from model.networks.transformer import Transformer
from model.runtime.progress import InSteps, Progress, in_one_go

SPARE = 4  # tokens that are guessed beyond twice as many as were right the last time


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
        tap: may change what is embedded and every step of attention; see `TappedDecoder`.
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
    device = network.embedding.weight.device
    memory = network.encode(torch.tensor([list(source_ids)], device=device), None, tap)
    decoder = TappedDecoder(network, memory, tap)
    generated, most = [config.bos_id], 0 if looks_ahead else len(draft)
    while len(generated) <= limit and (len(generated) == 1 or generated[-1] != config.eos_id):
        guessed = _guess(generated[1:], draft)[: min(most, limit - len(generated))]
        decoder.keep(0 if looks_ahead else len(generated) - 1)
        stream = decoder.extend([*generated, *guessed])
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


greedy_under = in_one_go(greedy_under_in_steps)


class TappedDecoder:
    """The decoder under a tap, a few positions at a time.

    The tap sees what is embedded and every step of attention for all positions so far, as in `Transformer.decode`;
    queries, keys and values of earlier positions are kept, so its functions see what they are used to. Of what each
    sub-layer writes, of its norm and of the residual stream it sees the new positions alone.

    Args:
        network: in evaluation mode.
        memory: `(1, source, d_model)` from `network.encode` under the same tap.
    """

    def __init__(self, network: Transformer, memory: Tensor, tap: Tap) -> None:
        self.network, self.tap = network, tap
        self.length = 0  # target positions that are kept
        self._source = [layer.cross_attention.project_memory(memory) for layer in network.decoder]
        self._kept: dict[str, Tensor] = {}  # (1, head, position, d_k) by the name of the step

    def keep(self, length: int) -> None:
        """Forget all positions from `length` on."""
        self.length = min(self.length, length)

    def extend(self, ids: Sequence[int]) -> Tensor:
        """Go on to the end of `ids`, of which the first `length` are those that are kept.

        Returns:
            `(1, new positions, d_model)`, as `Transformer.decode` gives it.

        Raises:
            ValueError: the sequence is longer than the table of positions.
        """
        network, tap = self.network, self.tap
        count = len(ids)
        target = torch.tensor([list(ids)], device=network.embedding.weight.device)
        stream = tap("decoder.embedded", network.embed(target))[:, self.length :]  # (1, new, d_model)
        allowed = network.triangle[:, :, :count, :count]
        for index, layer in enumerate(network.decoder):
            name = f"decoder.{index}"
            new = layer.self_attention.project_memory(stream)
            own = KeyValue(*(self._joined(f"{name}.{step}", part) for step, part in zip(new._fields, new, strict=True)))
            sublayer_output = self._attend(layer.self_attention, stream, own, allowed, f"{name}.self")
            stream = layer.self_norm(stream, sublayer_output, tap, f"{name}.self")
            sublayer_output = self._attend(layer.cross_attention, stream, self._source[index], None, f"{name}.cross")
            stream = layer.cross_norm(stream, sublayer_output, tap, f"{name}.cross")
            sublayer_output = layer.feed_forward(stream, tap, f"{name}.ffn")
            stream = tap(f"{name}.residual", layer.feed_forward_norm(stream, sublayer_output, tap, f"{name}.ffn"))
        self.length = count
        return stream

    def _attend(
        self, attention: MultiHeadAttention, stream: Tensor, kv: KeyValue, allowed: Tensor | None, name: str
    ) -> Tensor:
        queries = self._joined(f"{name}.queries", attention.split_heads(attention.query(stream)))
        heads = attention.heads(queries, kv, allowed, self.tap, name)
        return attention.merge_heads(heads[:, :, -stream.shape[1] :])  # (1, new, d_model)

    def _joined(self, name: str, new: Tensor) -> Tensor:
        """Of the kept positions and the new ones; kept from now on."""
        old = self._kept.get(name)
        joined = new if old is None or not self.length else torch.cat([old[:, :, : self.length], new], dim=2)
        self._kept[name] = joined
        return joined


def _guess(generated: Sequence[int], draft: Sequence[int]) -> list[int]:
    """What may follow: what follows the newest token in the draft, where that stands nearest to the same place."""
    if not generated:
        return list(draft)
    newest = len(generated) - 1
    places = [place for place, token in enumerate(draft) if token == generated[-1]]
    return list(draft[min(places, key=lambda place: abs(place - newest)) + 1 :]) if places else []
