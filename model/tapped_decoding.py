"""Greedy translation by a network in which a tap intervenes: no cached keys and values, since any step may change."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from model.parts import Part, Parts, in_one_go
from model.tap import Tap
from model.transformer import Transformer


@torch.inference_mode()
def greedy_under_in_parts(
    network: Transformer, source_ids: Sequence[int], tap: Tap, limit: int, draft: Sequence[int] = ()
) -> Parts[list[int]]:
    """Translate while `tap` intervenes; each step runs the whole decoder on what is written so far, and is a part.

    Args:
        source_ids: ends with `</s>`.
        limit: most pieces to produce; a disturbed network may never end.
        draft: a translation that is likely to come out in parts, such as the one without the tap. Where it does, one
            pass settles many steps (Leviathan et al. 2023, section 2, with greedy choices). Give one only if the tap
            lets no query see a later piece; the translation is then the same as without a draft.

    Returns:
        Produced ids, `</s>` included where it was reached.
    """
    config = network.config
    device = network.embedding.weight.device
    memory = network.encode(torch.tensor([list(source_ids)], device=device), None, tap)
    written = [config.bos_id]
    while len(written) <= limit and (len(written) == 1 or written[-1] != config.eos_id):
        guessed = _guess(written[1:], draft)[: limit - len(written)]
        stream = network.decode(torch.tensor([[*written, *guessed]], device=device), memory, None, tap)
        logits = network.project(stream[0, len(written) - 1 :])  # (1 + guessed, vocabulary)
        logits[:, [config.pad_id, config.unk_id, config.bos_id]] = -torch.inf
        for best, guess in zip(logits.argmax(dim=-1).tolist(), [*guessed, None], strict=True):
            written.append(best)
            if best != guess or best == config.eos_id:
                break
        yield Part(len(written) - 1, limit)
    return written[1:]


greedy_under = in_one_go(greedy_under_in_parts)


def _guess(written: Sequence[int], draft: Sequence[int]) -> list[int]:
    """What may follow: what follows the newest piece in the draft, where that stands nearest to the same place."""
    if not written:
        return list(draft)
    newest = len(written) - 1
    places = [place for place, piece in enumerate(draft) if piece == written[-1]]
    return list(draft[min(places, key=lambda place: abs(place - newest)) + 1 :]) if places else []
