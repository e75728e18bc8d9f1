"""Greedy generation, some tokens at a time, with or without interventions."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import torch

from ..networks.tap import Tap
from ..runtime.progress import InSteps, Progress
from .eager_attention import CallRecorder
from .forward_run import NO_OUTPUTS, ModelInputs
from .interface import recording_calls
from .library_version import Network, Reader
from .model_inputs import has_decoder

CHUNK = 8  # tokens between two steps
IDS_ALONE = NO_OUTPUTS | {"return_dict_in_generate": False, "output_scores": False, "output_logits": False}
GREEDY: dict[str, Any] = {"do_sample": False, "num_beams": 1, "num_return_sequences": 1, "penalty_alpha": None}
METHODS = (  # settings about how tokens are searched for or computed, which would change or refuse a greedy run of ours
    "num_beams", "num_beam_groups", "num_return_sequences", "do_sample", "penalty_alpha", "dola_layers", "constraints",
    "force_words_ids", "prompt_lookup_num_tokens", "assistant_early_exit", "is_assistant", "use_mtp", "custom_generate",
    "token_healing", "max_time", "cache_implementation", "cache_config", "prefill_chunk_size", "compile_config",
    "return_legacy_cache", "low_memory", "early_stopping", "diversity_penalty", "length_penalty",
)  # fmt: skip


@torch.inference_mode()
def greedy_in_steps(
    network: Network,
    inputs: ModelInputs,
    tokens: int,
    names: Sequence[str | None] = (),
    tap: Tap | None = None,
    *,
    by_interface: bool = True,
    most: int | None = None,
    language: Mapping[str, int] | None = None,
    reader: Reader | None = None,
) -> InSteps[tuple[int, ...]]:
    """New ids by the library's own `generate`, without the prompt, with the end token where it was reached.

    Under a tap there is no key-value cache: every token is generated from all tokens before it, since the effect of an
    intervention on them may change with each token that is added.

    Args:
        tokens: largest number of new tokens.
        most: number of positions, which limits it too; None without a limit.
        names: of the calls of attention in one run of the whole network.
        tap, by_interface: as of `CallRecorder` and `recording_calls`.
        language: arguments that choose the language of a decoder; see `model.hub.languages`.
        reader: the tokenizer, by which texts that the model's settings end with are recognized.
    """
    paired = has_decoder(network)
    ids: torch.Tensor | None = None if paired else inputs["input_ids"]
    prompt = 1 if ids is None else ids.shape[1]
    longest = min(prompt + tokens, most or prompt + tokens)
    ends = _end_ids(network)
    count, chunk = prompt, longest if _ends_with_texts(network) else CHUNK  # a text may end in the next chunk
    while count < longest:
        until = min(longest, count + chunk)
        arguments = dict(inputs)
        if ids is not None and paired:
            arguments["decoder_input_ids"] = ids
        elif ids is not None:
            arguments |= {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        options = generation_options(use_cache=tap is None) | {"max_length": longest, "max_new_tokens": None}
        options |= language or {}
        if count > prompt:
            options |= _continued(network.generation_config, count - prompt)
        options["stopping_criteria"] = [lambda so_far, _, until=until: _is_long_enough(so_far, until)]
        if tap is None:
            new = generate_by_library(network, reader, **arguments, **options)
        else:
            recorder = CallRecorder(_repeat_names(names, until - count), tap, lambda index, call: None)
            with recording_calls(recorder, by_interface):
                new = generate_by_library(network, reader, **arguments, **options)
        ids, count = new, new.shape[1]
        if count < until or int(new[0, -1]) in ends:
            break
        yield Progress(count - prompt, longest - prompt)
    return () if ids is None else tuple(ids[0, prompt:].tolist())


def generate_by_library(network: Network, reader: Reader | None, **arguments: Any) -> torch.Tensor:
    """Call the library's `generate` with the model's own settings, but for `METHODS`, which have their defaults.

    The library fills what an argument leaves out from the settings of the network, so these are exchanged meanwhile.
    """
    own = network.generation_config
    settings, defaults = deepcopy(own), type(own)()
    for name in METHODS:
        if hasattr(settings, name):
            setattr(settings, name, getattr(defaults, name, None))
    if _ends_with_texts(network):
        arguments["tokenizer"] = reader
    network.generation_config = settings
    try:
        return network.generate(**arguments)
    finally:
        network.generation_config = own


def _ends_with_texts(network: Network) -> bool:
    return bool(getattr(network.generation_config, "stop_strings", None))


def generation_options(*, use_cache: bool) -> dict[str, Any]:
    """Arguments that make the library's `generate` return greedy ids alone, whatever the model's settings ask for.

    Settings that choose among the tokens, such as those that may not occur, remain the model's own.
    """
    return {**GREEDY, **IDS_ALONE, "use_cache": use_cache}


def _continued(settings: Any, count: int) -> dict[str, Any]:
    """Settings that count from the end of the prompt, after `count` tokens, which the library takes for its part."""
    options: dict[str, Any] = {}
    if getattr(settings, "begin_suppress_tokens", None) is not None:
        options["begin_suppress_tokens"] = None
    if (least := getattr(settings, "min_new_tokens", None)) is not None:
        options["min_new_tokens"] = max(0, least - count)
    if (decay := getattr(settings, "exponential_decay_length_penalty", None)) is not None:
        options["exponential_decay_length_penalty"] = (decay[0] - count, decay[1])
    return options


def _is_long_enough(ids: torch.Tensor, count: int) -> torch.Tensor:
    """For each sequence, whether it has `count` tokens."""
    return torch.full((ids.shape[0],), ids.shape[1] >= count, device=ids.device)


def _repeat_names(names: Sequence[str | None], times: int) -> tuple[str | None, ...]:
    """Names of the calls while `times` tokens are generated: an encoder runs once, the decoder for each of them."""
    of_encoder = [index for index, name in enumerate(names) if name is not None and name.startswith("encoder.")]
    alone = len(of_encoder) == sum(name is not None for name in names)
    first = 0 if alone or not of_encoder else of_encoder[-1] + 1
    return (*names[:first], *tuple(names[first:]) * times)


def _end_ids(network: Network) -> set[int]:
    """Ids that end a sequence."""
    ids = network.generation_config.eos_token_id
    return set(ids) if isinstance(ids, list) else {ids}
