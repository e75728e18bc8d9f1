"""Export of the trained ViT as a Hugging Face checkpoint, for use outside this project."""

from pathlib import Path

from torch import Tensor

from ..networks.vision import NORM_EPSILON, VisionTransformer
from ..runtime.checkpoint import save_tensors, write_json

# Names in a layer of ours -> of Hugging Face's ViT.
_LAYER = {
    "attention_norm": "layernorm_before",
    "feed_forward_norm": "layernorm_after",
    "attention.query": "attention.q_proj",
    "attention.key": "attention.k_proj",
    "attention.value": "attention.v_proj",
    "attention.output": "attention.o_proj",
    "expand": "mlp.fc1",
    "contract": "mlp.fc2",
}


def vit_tensors(network: VisionTransformer) -> dict[str, Tensor]:
    """Return the weights under the names of `transformers.ViTForImageClassification`."""
    size = network.config.patch_size
    tensors = {
        "vit.embeddings.cls_token": network.class_embedding.view(1, 1, -1),
        "vit.embeddings.position_embeddings": network.position_embedding[None],
        "vit.embeddings.patch_embeddings.projection.weight": network.patch_embedding.weight.unflatten(
            1, (3, size, size)
        ),
        "vit.embeddings.patch_embeddings.projection.bias": network.patch_embedding.bias,
        "vit.layernorm.weight": network.norm.weight,
        "vit.layernorm.bias": network.norm.bias,
        "classifier.weight": network.head.weight,
        "classifier.bias": network.head.bias,
    }
    for number, layer in enumerate(network.layers):
        for ours, theirs in _LAYER.items():
            for parameter in ("weight", "bias"):
                tensors[f"vit.layers.{number}.{theirs}.{parameter}"] = layer.get_parameter(f"{ours}.{parameter}")
    return {name: tensor.detach().float().cpu() for name, tensor in tensors.items()}


def write_vit(network: VisionTransformer, folder: Path) -> None:
    """Write `config.json`, `preprocessor_config.json` and `model.safetensors` into `folder`.

    `ViTForImageClassification.from_pretrained(folder)` returns the same logits and attentions. Its image processor
    scales a picture to the model's size without cropping the middle square first.
    """
    config = network.config
    sizes = {
        "architectures": ["ViTForImageClassification"],
        "model_type": "vit",
        "hidden_size": config.d_model,
        "num_hidden_layers": config.n_layers,
        "num_attention_heads": config.n_heads,
        "intermediate_size": config.d_ff,
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "layer_norm_eps": NORM_EPSILON,
        "image_size": config.image_size,
        "patch_size": config.patch_size,
        "num_channels": 3,
        "qkv_bias": True,
        "id2label": {str(number): name for number, name in enumerate(config.classes)},
        "label2id": {name: number for number, name in enumerate(config.classes)},
    }
    preprocessor = {
        "image_processor_type": "ViTImageProcessor",
        "do_resize": True,
        "size": {"height": config.image_size, "width": config.image_size},
        "resample": 3,
        "do_rescale": True,
        "rescale_factor": 1 / 255,
        "do_normalize": True,
        "image_mean": [0.5] * 3,
        "image_std": [0.5] * 3,
    }
    write_json(folder / "config.json", sizes)
    write_json(folder / "preprocessor_config.json", preprocessor)
    save_tensors(folder / "model.safetensors", vit_tensors(network), {"format": "pt"})
