"""The networks that are compared, with the shipped weights."""

from __future__ import annotations

import tempfile

import torch
from torch import nn
from transformers import MarianMTModel, ViTForImageClassification

from model import Translator, VisionClassifier
from model.networks.transformer import Transformer


def marian(translator: Translator, attention: str) -> MarianMTModel:
    """Hugging Face's MarianMT with our weights; `attention` is "sdpa" or "eager" (which can return its maps)."""
    with tempfile.TemporaryDirectory() as folder:
        translator.export_marian(folder)
        return MarianMTModel.from_pretrained(folder, attn_implementation=attention).eval()


def hugging_face_vit(classifier: VisionClassifier, attention: str) -> ViTForImageClassification:
    """Hugging Face's ViT with our weights; `attention` as for `marian`."""
    with tempfile.TemporaryDirectory() as folder:
        classifier.export_vit(folder)
        return ViTForImageClassification.from_pretrained(folder, attn_implementation=attention).eval()


class TorchTransformer(nn.Module):
    """`torch.nn.Transformer` with our weights, our embedding and our output projection."""

    def __init__(self, network: Transformer) -> None:
        super().__init__()
        self.network = network
        self.body = torch_body(network)

    def forward(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Logits `(batch, target, vocabulary)` of unpadded ids."""
        network = self.network
        mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        hidden = self.body(network.embed(source), network.embed(target), tgt_mask=mask, tgt_is_causal=True)
        return network.project(hidden)


@torch.no_grad()
def torch_body(network: Transformer) -> nn.Transformer:
    """Encoder and decoder layers as a `torch.nn.Transformer` with our weights.

    Its final norms are removed: post-norm as in the paper has none.
    """
    config = network.config
    body = nn.Transformer(
        config.d_model,
        config.n_heads,
        config.n_encoder_layers,
        config.n_decoder_layers,
        config.d_ff,
        dropout=0.0,
        activation="relu",
        batch_first=True,
    )
    body.encoder.norm = body.decoder.norm = None
    for stack, layers in ((network.encoder, body.encoder.layers), (network.decoder, body.decoder.layers)):
        for ours, theirs in zip(stack, layers, strict=True):
            attentions = [(ours.self_attention, theirs.self_attn)]
            norms = [ours.self_norm, ours.feed_forward_norm]
            if hasattr(theirs, "multihead_attn"):
                attentions.append((ours.cross_attention, theirs.multihead_attn))
                norms.insert(1, ours.cross_norm)
            for mine, module in attentions:
                module.in_proj_weight.copy_(torch.cat([mine.query.weight, mine.key.weight, mine.value.weight]))
                module.in_proj_bias.copy_(torch.cat([mine.query.bias, mine.key.bias, mine.value.bias]))
                module.out_proj.load_state_dict(mine.output.state_dict())
            for number, norm in enumerate(norms, start=1):
                getattr(theirs, f"norm{number}").load_state_dict(norm.norm.state_dict())
            theirs.linear1.load_state_dict(ours.feed_forward.expand.state_dict())
            theirs.linear2.load_state_dict(ours.feed_forward.contract.state_dict())
    return body.eval()
