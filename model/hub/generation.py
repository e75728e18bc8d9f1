"""What a network generates greedily, some tokens at a time, with or without somebody who intervenes."""

from collections.abc import Sequence

import torch
from torch import nn

from ..networks.tap import Tap
from ..runtime.progress import InSteps, Progress
from .eager_attention import CallRecorder
from .forward_run import ModelInputs
from .interface import recording_calls
from .model_inputs import max_positions

CHUNK = 8  # tokens between two steps


@torch.inference_mode()
def greedy_in_steps(
    network: nn.Module,
    inputs: ModelInputs,
    tokens: int,
    names: Sequence[str | None] = (),
    tap: Tap | None = None,
    *,
    by_interface: bool = True,
) -> InSteps[tuple[int, ...]]:
    """New ids by the library's own `generate`, without what started it, the end included where it was reached.

    Under a tap every token is generated from all tokens before it anew, without a cache: what an intervention does to
    them may change with each token that is added.

    Args:
        tokens: at most so many; no more than there are positions.
        names: of the calls of attention in one run of the whole network.
        tap, by_interface: as of `Pass` and `looking`.
    """
    paired = network.config.is_encoder_decoder
    ids = None if paired else inputs["input_ids"]
    there = 1 if paired else ids.shape[1]
    most = min(there + tokens, max_positions(network) or there + tokens)
    ends = _ends(network)
    count = there
    while count < most:
        until = min(most, count + CHUNK)
        given = dict(inputs)
        if ids is not None and paired:
            given["decoder_input_ids"] = ids
        elif ids is not None:
            given |= {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        options = {"max_length": most, "max_new_tokens": None, "do_sample": False, "num_beams": 1}
        options["stopping_criteria"] = [lambda so_far, _, until=until: _enough(so_far, until)]
        if tap is None:
            ids = network.generate(**given, **options)
        else:
            watch = CallRecorder(_repeated(names, until - count), tap, lambda place, call: None)
            with recording_calls(watch, by_interface):
                ids = network.generate(**given, **options, use_cache=False)
        count = ids.shape[1]
        if count < until or int(ids[0, -1]) in ends:
            break
        yield Progress(count - there, most - there)
    return () if ids is None else tuple(ids[0, there:].tolist())


def _enough(ids: torch.Tensor, count: int) -> torch.Tensor:
    """For each sequence, whether it has so many tokens."""
    return torch.full((ids.shape[0],), ids.shape[1] >= count, device=ids.device)


def _repeated(names: Sequence[str | None], times: int) -> tuple[str | None, ...]:
    """Names of the calls while so many tokens are generated: an encoder runs once, the decoder for each of them."""
    of_encoder = [place for place, name in enumerate(names) if name is not None and name.startswith("encoder.")]
    alone = len(of_encoder) == sum(name is not None for name in names)
    first = 0 if alone or not of_encoder else of_encoder[-1] + 1
    return (*names[:first], *tuple(names[first:]) * times)


def _ends(network: nn.Module) -> set[int]:
    """Ids that end what is generated."""
    told = network.generation_config.eos_token_id
    return set(told) if isinstance(told, list) else {told}
