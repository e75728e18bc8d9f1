"""Export of the trained weights in Hugging Face's MarianMT layout, for use outside this project.

MarianMT is the same network with one difference in layout: its sinusoid table has all sines in the first half of the
columns and all cosines in the second, where the paper interleaves them. Permuting the d_model axis of every weight
maps one onto the other exactly.
"""

import json
from pathlib import Path

import torch
from torch import Tensor, nn

from ..networks.attention import MultiHeadAttention
from ..networks.config import TransformerConfig
from ..networks.transformer import DecoderLayer, EncoderLayer, Transformer
from ..runtime.checkpoint import save_tensors, write_atomically, write_json
from ..runtime.messages import UserError
from ..text.tokenizer import Tokenizer


class ExportError(UserError, ValueError):
    """The network cannot be written in another library's form; the message states why."""


def stream_permutation(d_model: int) -> Tensor:
    """Return `(d_model,)` int64: column j of Marian's residual stream is our column `permutation[j]`."""
    return torch.cat([torch.arange(0, d_model, 2), torch.arange(1, d_model, 2)])


def marian_config(config: TransformerConfig) -> dict:
    """Return the `config.json` of a MarianMT model of these sizes."""
    return {
        "architectures": ["MarianMTModel"],
        "model_type": "marian",
        "vocab_size": config.vocabulary_size,
        "d_model": config.d_model,
        "encoder_layers": config.n_encoder_layers,
        "decoder_layers": config.n_decoder_layers,
        "encoder_attention_heads": config.n_heads,
        "decoder_attention_heads": config.n_heads,
        "encoder_ffn_dim": config.d_ff,
        "decoder_ffn_dim": config.d_ff,
        "activation_function": "relu",
        "dropout": config.dropout,
        "attention_dropout": 0.0,
        "activation_dropout": 0.0,
        "max_position_embeddings": config.max_positions,
        "scale_embedding": True,
        "share_encoder_decoder_embeddings": True,
        "tie_word_embeddings": True,
        "is_encoder_decoder": True,
        "pad_token_id": config.pad_id,
        "bos_token_id": config.bos_id,
        "eos_token_id": config.eos_id,
        "decoder_start_token_id": config.bos_id,
        "forced_eos_token_id": None,
    }


def marian_tensors(network: Transformer) -> dict[str, Tensor]:
    """Return our weights under MarianMT's names, on the CPU, with the d_model axis permuted.

    Raises:
        ExportError: MarianMT has no form of this network.
    """
    config = network.config
    if config.positions != "sinusoidal":
        raise ExportError(
            "MarianMT has sinusoidal positions, and this network has others ({positions}); export a network with "
            "sinusoidal positions.",
            positions=config.positions,
        )
    order = stream_permutation(config.d_model)
    tensors: dict[str, Tensor] = {
        "model.shared.weight": network.embedding.weight[:, order],
        "final_logits_bias": torch.zeros(1, config.vocabulary_size),
    }

    def linear(name: str, module: nn.Linear, reads_stream: bool, writes_stream: bool) -> None:
        weight = module.weight[:, order] if reads_stream else module.weight
        tensors[f"{name}.weight"] = weight[order] if writes_stream else weight
        tensors[f"{name}.bias"] = module.bias[order] if writes_stream else module.bias

    def attention(name: str, module: MultiHeadAttention) -> None:
        linear(f"{name}.q_proj", module.query, True, False)
        linear(f"{name}.k_proj", module.key, True, False)
        linear(f"{name}.v_proj", module.value, True, False)
        linear(f"{name}.out_proj", module.output, False, True)

    def norm(name: str, module: nn.LayerNorm) -> None:
        tensors[f"{name}.weight"], tensors[f"{name}.bias"] = module.weight[order], module.bias[order]

    def layer_tensors(name: str, layer: EncoderLayer | DecoderLayer) -> None:
        attention(f"{name}.self_attn", layer.self_attention)
        norm(f"{name}.self_attn_layer_norm", layer.self_norm.norm)
        if isinstance(layer, DecoderLayer):
            attention(f"{name}.encoder_attn", layer.cross_attention)
            norm(f"{name}.encoder_attn_layer_norm", layer.cross_norm.norm)
        linear(f"{name}.fc1", layer.feed_forward.expand, True, False)
        linear(f"{name}.fc2", layer.feed_forward.contract, False, True)
        norm(f"{name}.final_layer_norm", layer.feed_forward_norm.norm)

    for index, encoder_layer in enumerate(network.encoder):
        layer_tensors(f"model.encoder.layers.{index}", encoder_layer)
    for index, decoder_layer in enumerate(network.decoder):
        layer_tensors(f"model.decoder.layers.{index}", decoder_layer)
    return {name: tensor.detach().float().cpu().clone() for name, tensor in tensors.items()}


def write_marian(network: Transformer, tokenizer: Tokenizer, folder: Path) -> None:
    """Write a folder that `MarianMTModel.from_pretrained` and `MarianTokenizer.from_pretrained` read.

    `generate` then returns our greedy translations: `generation_config.json` starts the decoder with `<s>` and
    suppresses the special tokens that our decoding suppresses.
    """
    config = network.config
    save_tensors(folder / "model.safetensors", marian_tensors(network), {"format": "pt"})
    write_json(folder / "config.json", marian_config(config))
    generation = {
        "decoder_start_token_id": config.bos_id,
        "bos_token_id": config.bos_id,
        "eos_token_id": config.eos_id,
        "pad_token_id": config.pad_id,
        "suppress_tokens": list(config.never_generated),
        "max_new_tokens": 128,
        "num_beams": 1,
        "do_sample": False,
    }
    write_json(folder / "generation_config.json", generation)
    for side in ("source", "target"):
        write_atomically(folder / f"{side}.spm", tokenizer.path.read_bytes())
    vocabulary = {token: index for index, token in enumerate(tokenizer.tokens(range(len(tokenizer))))}
    write_atomically(folder / "vocab.json", json.dumps(vocabulary, ensure_ascii=False).encode())
    names = {"source_lang": "eng", "target_lang": "fra", "model_max_length": config.max_positions}
    write_json(folder / "tokenizer_config.json", {"tokenizer_class": "MarianTokenizer", **names})
