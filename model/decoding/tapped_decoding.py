"""Greedy translation while a tap intervenes, with the keys, values and queries of earlier positions cached.

A draft of the translation, where it is right, settles many steps in one pass.
"""

from collections.abc import Sequence

import torch

from ..networks.tap import Tap
from ..networks.transformer import Transformer
from ..runtime.progress import InSteps, Progress

SPARE = 4  # tokens that are guessed beyond twice as many as were right the last time


@torch.inference_mode()
def greedy_with_tap_in_steps(
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
        tap: may change what is embedded and every step of attention; see `model.networks.transformer.CachedDecoder`.
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
        decoder.truncate(kept)
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
