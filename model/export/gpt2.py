"""Export of the decoder-only network as a Hugging Face GPT-2 checkpoint, for use outside this project."""

from pathlib import Path

import torch
from torch import Tensor

from ..networks.decoder_only import NORM_EPSILON, DecoderOnlyConfig, DecoderOnlyTransformer
from ..runtime.checkpoint import save_tensors, write_json
from ..text.tokenizer import WORD_MARK, Tokenizer

# Names in a layer of ours -> of GPT-2, of linear maps and of norms.
_LINEAR = {"self_attention.output": "attn.c_proj", "expand": "mlp.c_fc", "contract": "mlp.c_proj"}
_NORMS = {"self_norm": "ln_1", "feed_forward_norm": "ln_2"}


def gpt2_config(config: DecoderOnlyConfig) -> dict:
    """Return the `config.json` of a `GPT2LMHeadModel` of these sizes."""
    return {
        "architectures": ["GPT2LMHeadModel"],
        "model_type": "gpt2",
        "vocab_size": config.vocabulary_size,
        "n_positions": config.max_positions,
        "n_embd": config.d_model,
        "n_layer": config.n_layers,
        "n_head": config.n_heads,
        "n_inner": config.d_ff,
        "activation_function": "gelu_new",
        "resid_pdrop": config.dropout,
        "embd_pdrop": config.dropout,
        "attn_pdrop": 0.0,
        "layer_norm_epsilon": NORM_EPSILON,
        "tie_word_embeddings": True,
        "pad_token_id": config.pad_id,
        "bos_token_id": config.bos_id,
        "eos_token_id": config.eos_id,
    }


def gpt2_tensors(network: DecoderOnlyTransformer) -> dict[str, Tensor]:
    """Return the weights under the names of `transformers.GPT2LMHeadModel`, on the CPU.

    GPT-2 stores a linear map as `(in, out)`, and the maps to queries, keys and values of all heads as one.
    """
    tensors = {
        "transformer.wte.weight": network.embedding.weight,
        "transformer.wpe.weight": network.position_embedding,
        "transformer.ln_f.weight": network.norm.weight,
        "transformer.ln_f.bias": network.norm.bias,
    }
    for number, layer in enumerate(network.decoder):
        name, attention = f"transformer.h.{number}", layer.self_attention
        inputs = (attention.query, attention.key, attention.value)
        tensors[f"{name}.attn.c_attn.weight"] = torch.cat([module.weight for module in inputs]).T  # (in, 3 out)
        tensors[f"{name}.attn.c_attn.bias"] = torch.cat([module.bias for module in inputs])
        for ours, theirs in _LINEAR.items():
            tensors[f"{name}.{theirs}.weight"] = layer.get_parameter(f"{ours}.weight").T
            tensors[f"{name}.{theirs}.bias"] = layer.get_parameter(f"{ours}.bias")
        for ours, theirs in _NORMS.items():
            for part in ("weight", "bias"):
                tensors[f"{name}.{theirs}.{part}"] = layer.get_parameter(f"{ours}.{part}")
    return {name: tensor.detach().float().cpu().contiguous().clone() for name, tensor in tensors.items()}


def fast_tokenizer(tokenizer: Tokenizer) -> dict:
    """Return the same tokenizer as a `tokenizer.json`; `</s>` typed in a text is the end of a sentence there."""
    pieces = tokenizer.tokens(range(len(tokenizer)))
    special = (tokenizer.pad_id, tokenizer.unk_id, tokenizer.bos_id, tokenizer.eos_id)
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    marks = {"type": "Metaspace", "replacement": WORD_MARK, "prepend_scheme": "always", "split": True}
    replacements = (({"String": WORD_MARK}, " "), ({"Regex": "^ +| +$"}, ""), ({"Regex": " {2,}"}, " "))
    replace = [{"type": "Replace", "pattern": pattern, "content": content} for pattern, content in replacements]
    return {
        "version": "1.0",
        "added_tokens": [{"id": token, "content": pieces[token], **plain} for token in special],
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFKC"}, *replace]},
        "pre_tokenizer": marks,
        "post_processor": None,
        "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, marks]},
        "model": {
            "type": "Unigram",
            "unk_id": tokenizer.unk_id,
            "vocab": list(zip(pieces, tokenizer.scores(), strict=True)),
            "byte_fallback": True,
        },
    }


def write_gpt2(network: DecoderOnlyTransformer, tokenizer: Tokenizer, folder: Path) -> None:
    """Write a folder that `GPT2LMHeadModel.from_pretrained` and `AutoTokenizer.from_pretrained` read.

    `generate` continues a text as ours does, and translates one that ends with `</s>`.
    """
    config = network.config
    save_tensors(folder / "model.safetensors", gpt2_tensors(network), {"format": "pt"})
    write_json(folder / "config.json", gpt2_config(config))
    generation = {
        "bos_token_id": config.bos_id,
        "eos_token_id": config.eos_id,
        "pad_token_id": config.pad_id,
        "suppress_tokens": list(config.never_generated),
        "max_new_tokens": 128,
        "do_sample": False,
    }
    write_json(folder / "generation_config.json", generation)
    write_json(folder / "tokenizer.json", fast_tokenizer(tokenizer))
    names = tokenizer.tokens([tokenizer.pad_id, tokenizer.unk_id, tokenizer.bos_id, tokenizer.eos_id])
    special = dict(zip(("pad_token", "unk_token", "bos_token", "eos_token"), names, strict=True))
    sizes = {"model_max_length": config.max_positions, "clean_up_tokenization_spaces": False}
    write_json(folder / "tokenizer_config.json", {"tokenizer_class": "PreTrainedTokenizerFast", **special, **sizes})
