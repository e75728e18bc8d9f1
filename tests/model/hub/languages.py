"""Tiny translators whose target language is chosen, with the tokenizers of their kinds and letters for tokens."""

from __future__ import annotations

import functools

import torch
import transformers

from tests.model.hub import tiny

LETTERS = [*"abcdefghijklmnopqrstuvwxyz.,"]
START = ["<s>", "<pad>", "</s>", "<unk>"]

# name -> configuration, its settings, class of the tokenizer, code of a language
KINDS = {
    "nllb": ("M2M100", {"decoder_start_token_id": 2}, "NllbTokenizer", "fra_Latn"),
    "mbart50": ("MBart", {"decoder_start_token_id": 2}, "MBart50Tokenizer", "fr_XX"),
    "mbart": ("MBart", {}, "MBartTokenizer", "fr_XX"),
}


def tokenizer(name: str) -> transformers.PreTrainedTokenizerBase:
    """The tokenizer of a kind, with single letters as its words."""
    architecture = getattr(transformers, KINDS[name][2])
    if name == "nllb":
        return architecture(vocab={token: id_ for id_, token in enumerate([*START, "\u2581", *LETTERS])}, merges=[])
    codes = list(architecture().lang_code_to_id)
    words = [("\u2581", -2.0), *((letter, -3.0) for letter in LETTERS)]
    return architecture(vocab=[*((token, 0.0) for token in START), *words, *((code, 0.0) for code in codes)])


def network(name: str, size: int, forced: int | None = None) -> transformers.PreTrainedModel:
    """A network of a kind with random weights, for so many tokens."""
    config, own, *_ = KINDS[name]
    sizes = tiny.BART | {"vocab_size": size, "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2}
    sizes |= {"decoder_start_token_id": None} | own
    torch.manual_seed(1)
    architecture = getattr(transformers, f"{config}ForConditionalGeneration")
    built = architecture(getattr(transformers, f"{config}Config")(**sizes))
    built.generation_config.forced_bos_token_id = forced
    generator = torch.Generator().manual_seed(1)
    for parameter in built.parameters():
        if parameter.ndim > 1 and parameter.requires_grad:
            torch.nn.init.normal_(parameter, std=0.3, generator=generator)
    return built.eval()


@functools.cache
def pair(name: str) -> tuple[transformers.PreTrainedModel, transformers.PreTrainedTokenizerBase]:
    """Network and tokenizer of a kind."""
    reader = tokenizer(name)
    return network(name, len(reader)), reader
