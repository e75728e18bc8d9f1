"""Tiny models of many architectures with random weights, and a tokenizer trained on a few sentences, all built here."""

from __future__ import annotations

import functools
from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

TEXT = [
    "The quick brown fox jumps over the lazy dog.",
    "The animal didn't cross the street because it was too tired.",
    "I want to buy a car, and she wants to sell one.",
]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
VOCABULARY = 320

SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 40}
TEXT_SIZES = SIZES | {"vocab_size": VOCABULARY, "max_position_embeddings": 64, "pad_token_id": 0}
ENDS = {"bos_token_id": 2, "eos_token_id": 3}
GROUPED = TEXT_SIZES | ENDS | {"num_key_value_heads": 2, "head_dim": 8}
BART = {
    "vocab_size": VOCABULARY, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
    "decoder_attention_heads": 4, "encoder_ffn_dim": 40, "decoder_ffn_dim": 40, "max_position_embeddings": 64,
    "pad_token_id": 0, "decoder_start_token_id": 2, "forced_eos_token_id": None, **ENDS,
}  # fmt: skip
PICTURE = SIZES | {"image_size": 32, "patch_size": 8}

# name -> class of the configuration without "Config", class of the network without it, sizes
TEXT_MODELS: dict[str, tuple[str, str, dict]] = {
    "bert": ("Bert", "ForMaskedLM", TEXT_SIZES),
    "bert-classes": ("Bert", "ForSequenceClassification", TEXT_SIZES | {"num_labels": 3}),
    "roberta": ("Roberta", "ForMaskedLM", TEXT_SIZES | {"type_vocab_size": 1}),
    "distilbert": ("DistilBert", "ForMaskedLM", {
        "vocab_size": VOCABULARY, "dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 40,
        "max_position_embeddings": 64,
    }),
    "albert": ("Albert", "ForMaskedLM", TEXT_SIZES | {"embedding_size": 16}),
    "modernbert": ("ModernBert", "ForMaskedLM", TEXT_SIZES | ENDS | {
        "cls_token_id": 2, "sep_token_id": 3, "local_attention": 4, "global_attn_every_n_layers": 2,
    }),
    "deberta": ("DebertaV2", "ForMaskedLM", TEXT_SIZES | {
        "relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_biased_input": False,
    }),
    "gpt2": ("GPT2", "LMHeadModel", {
        "vocab_size": VOCABULARY, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64, **ENDS,
    }),
    "gpt-neox": ("GPTNeoX", "ForCausalLM", TEXT_SIZES | ENDS),
    "gpt-j": ("GPTJ", "ForCausalLM", {
        "vocab_size": VOCABULARY, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64, "rotary_dim": 4, **ENDS,
    }),
    "bloom": ("Bloom", "ForCausalLM", {"vocab_size": VOCABULARY, "hidden_size": 32, "n_layer": 2, "n_head": 4, **ENDS}),
    "llama": ("Llama", "ForCausalLM", GROUPED),
    "mistral": ("Mistral", "ForCausalLM", GROUPED | {"sliding_window": 4}),
    "qwen3": ("Qwen3", "ForCausalLM", GROUPED),
    "gemma2": ("Gemma2", "ForCausalLM", GROUPED | {"sliding_window": 4, "query_pre_attn_scalar": 8}),
    "gemma3": ("Gemma3Text", "Gemma3ForCausalLM", GROUPED | {"sliding_window": 4, "query_pre_attn_scalar": 8}),
    "gpt-oss": ("GptOss", "ForCausalLM", GROUPED | {
        "sliding_window": 4, "num_local_experts": 2, "num_experts_per_tok": 1,
    }),
    "t5": ("T5", "ForConditionalGeneration", {
        "vocab_size": VOCABULARY, "d_model": 32, "d_kv": 8, "d_ff": 40, "num_layers": 2, "num_heads": 4,
        "decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": 3,
    }),
    "bart": ("Bart", "ForConditionalGeneration", BART),
    "marian": ("Marian", "MTModel", BART),
    "pegasus": ("Pegasus", "ForConditionalGeneration", BART),
}  # fmt: skip
PICTURE_MODELS: dict[str, tuple[str, str, dict]] = {
    "vit": ("ViT", "ForImageClassification", PICTURE | {"num_labels": 3}),
    "deit": ("DeiT", "ForImageClassification", PICTURE | {"num_labels": 3}),
    "dinov2": ("Dinov2", "Model", PICTURE | {"mlp_ratio": 2}),
    "clip-vision": ("CLIPVision", "Model", PICTURE),
}

FOUR_LAYERS = GROUPED | {"num_hidden_layers": 4}
UNLIKE_LAYERS: dict[str, tuple[str, str, dict]] = {  # attention in layers 2 and 4; other numbers of heads in these
    "lfm2": ("Lfm2", "ForCausalLM", FOUR_LAYERS | {"layer_types": ["conv", "full_attention"] * 2}),
    "granite-hybrid": ("GraniteMoeHybrid", "ForCausalLM", FOUR_LAYERS | {
        "layer_types": ["mamba", "attention"] * 2, "mamba_n_heads": 4, "mamba_d_head": 16, "mamba_d_state": 8,
        "mamba_n_groups": 1,
    }),
    "laguna": ("Laguna", "ForCausalLM", FOUR_LAYERS | {
        "num_attention_heads_per_layer": [4, 8, 4, 8], "layer_types": ["full_attention", "sliding_attention"] * 2,
        "sliding_window": 4, "num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 16,
        "shared_expert_intermediate_size": 16,
    }),
}  # fmt: skip


@functools.cache
def tokenizer() -> transformers.PreTrainedTokenizerFast:
    """A byte-level tokenizer with the special tokens of BERT."""
    backend = Tokenizer(models.BPE(unk_token="[UNK]"))
    backend.normalizer = normalizers.NFC()
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    backend.train_from_iterator(
        TEXT, trainers.BpeTrainer(vocab_size=VOCABULARY - 5, special_tokens=SPECIAL, initial_alphabet=alphabet)
    )
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = {"pad_token": 0, "unk_token": 1, "cls_token": 2, "sep_token": 3, "mask_token": 4}
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, **{name: SPECIAL[place] for name, place in names.items()}
    )


def network(name: str) -> transformers.PreTrainedModel:
    """Build a network of this architecture with random weights, the same in every process and in any order of tests."""
    kind, suffix, sizes = {**TEXT_MODELS, **PICTURE_MODELS, **UNLIKE_LAYERS}[name]
    config = getattr(transformers, f"{kind}Config")(**sizes)
    model = getattr(transformers, suffix if suffix.startswith("Gemma") else kind + suffix)
    torch.manual_seed(1)
    built = model(config).eval()
    # A generator of its own: how many numbers the library draws for weights that are replaced here makes no difference.
    generator = torch.Generator().manual_seed(1)
    for parameter in built.parameters():  # far enough from 0 that maps are not uniform
        if parameter.ndim > 1 and parameter.requires_grad:
            torch.nn.init.normal_(parameter, std=0.3, generator=generator)
    return built


def processor() -> transformers.ViTImageProcessor:
    return transformers.ViTImageProcessor(size={"height": 32, "width": 32})


def save(name: str, folder: Path) -> Path:
    """Save that network as a checkpoint; returns the folder."""
    network(name).save_pretrained(folder)
    (processor() if name in PICTURE_MODELS else tokenizer()).save_pretrained(folder)
    return folder
