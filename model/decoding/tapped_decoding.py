"""Greedy translation while a tap intervenes, with the keys, values and queries of earlier positions cached.

A draft of the translation, where it is right, settles many steps in one pass.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..networks.tap import Tap
from ..networks.transformer import CachedDecoder, Transformer
from ..runtime.progress import InSteps, Progress

SPARE = 4  # tokens that are guessed beyond twice as many as were right the last time


@dataclass(frozen=True)
class GeneratedTokens:
    """The tokens of a translation, without `<s>`; `</s>` included if it was reached."""

    ids: tuple[int, ...] = ()
    """The tokens."""
    probabilities: tuple[float, ...] = ()
    """Of each, given those before it."""


@torch.inference_mode()
def greedy_with_tap_in_steps(
    network: Transformer,
    source_ids: Sequence[int],
    tap: Tap,
    limit: int,
    draft: Sequence[int] = (),
    *,
    looks_ahead: bool = False,
    memory: Tensor | None = None,
) -> InSteps[GeneratedTokens]:
    """Translate while `tap` intervenes; each step of the decoder is a part.

    Args:
        source_ids: ends with `</s>`.
        tap: may change the embedding sums and every step of attention; see `model.networks.transformer.CachedDecoder`.
        limit: most tokens to generate; a network under interventions may never end.
        draft: a likely translation, such as the one without the tap. Where it agrees, one pass decodes many tokens
            (Leviathan et al. 2023, section 2, with greedy choices); the result is the same as without a draft.
        looks_ahead: the tap lets a query attend to later tokens, so each new token changes all earlier positions:
            nothing is cached, and the draft is ignored.
        memory: the encoder's output under the tap, `(1, source, d_model)`, if it is known.
    """
    config = network.config
    if memory is None:
        memory = network.encode(network.ids(source_ids), None, tap)
    decoder = CachedDecoder(network, memory, None, tap)
    generated, most = [config.bos_id], 0 if looks_ahead else len(draft)
    probabilities: list[float] = []
    while len(generated) <= limit and (len(generated) == 1 or generated[-1] != config.eos_id):
        guessed = guess_next(generated[1:], draft)[: min(most, limit - len(generated))]
        cached = 0 if looks_ahead else len(generated) - 1
        decoder.truncate(cached)
        stream = decoder.extend(network.ids([*generated[cached:], *guessed]))
        logits = network.project(stream[0, -1 - len(guessed) :])  # (1 + guessed, vocabulary)
        chances = logits.float().softmax(dim=-1)
        logits[:, list(config.never_generated)] = -torch.inf
        before = len(generated)
        for best, guess in zip(logits.argmax(dim=-1).tolist(), [*guessed, None], strict=True):
            generated.append(best)
            if best != guess or best == config.eos_id:
                break
        newest = network.ids(generated[before:])[0]
        probabilities += chances[: len(newest)].gather(-1, newest[:, None])[:, 0].tolist()
        if guessed:
            most = 2 * (len(generated) - before - 1) + SPARE
        yield Progress(len(generated) - 1, limit)
    return GeneratedTokens(tuple(generated[1:]), tuple(probabilities))


def guess_next(generated: Sequence[int], draft: Sequence[int]) -> list[int]:
    """Guess the next tokens: those after the newest token in the draft, at the occurrence nearest to its position.

    A token that the draft lacks is taken for a replacement of the one at its position.
    """
    newest = len(generated) - 1
    occurrences = [position for position, token in enumerate(draft) if generated and token == generated[-1]]
    nearest = min(occurrences, key=lambda position: abs(position - newest), default=newest)
    return list(draft[nearest + 1 :])
