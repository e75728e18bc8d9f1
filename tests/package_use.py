"""What a researcher does with the package, with the installed versions: `python -m tests.package_use`.

Opens three tiny checkpoints, a live model and a batch, traces, shows, changes heads and makes a study, and compares the
maps with those that the library itself reports. Where TransformerLens and captum are installed, both run on the same
network while it is open. Prints a line for each step, and one with the versions that it ran with.
"""

from __future__ import annotations

import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch

from attention_atlas import HeadInterventions, Scale, Translator, ablate, open_model, show
from tests.model.hub import tiny

TEXT = "The quick fox wants a car."
NAMES = ("bert", "gpt2", "vit")
VERSIONS = (
    "torch", "transformers", "tokenizers", "huggingface-hub", "numpy", "pillow", "safetensors", "sentencepiece",
    "pyarrow", "accelerate", "tqdm", "transformer-lens", "captum",
)  # fmt: skip


def installed_version(name: str) -> str:
    """The version of a package, or "not installed"."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def reported(model, trace) -> list[np.ndarray]:
    """The maps that the library reports in its eager form, `(head, query, key)` for each layer."""
    network = model.network
    network.set_attn_implementation("eager")
    device = next(network.parameters()).device
    with torch.no_grad():
        if model.vision:
            output = network(torch.from_numpy(trace.received)[None].to(device), output_attentions=True)
        else:
            output = network(torch.tensor([trace.source.ids], device=device), output_attentions=True)
    return [layer[0].float().cpu().numpy() for layer in output.attentions]


def use_checkpoint(name: str, folder: Path) -> None:
    """Open a saved checkpoint, trace it and compare; show it."""
    from PIL import Image

    with open_model(tiny.save(name, folder), device="cpu") as model:
        given = Image.linear_gradient("L").convert("RGB") if model.vision else TEXT
        trace = model.trace(given)
        (kind,) = trace.records
        assert trace.verify().max_difference < 1e-5, trace.verify()
        assert "<iframe" in show(trace)._repr_html_() and show(trace, view="lines").html
        changed = model.trace(given, intervention=HeadInterventions((Scale(kind, ((0, 1),), 0.0),)))
        assert np.abs(changed.logits - trace.logits).max() > 1e-4
        for own, map_ in zip(reported(model, trace), trace.attention(kind), strict=True):
            np.testing.assert_allclose(map_, own, atol=1e-5)


def captum_attributions(network: torch.nn.Module) -> np.ndarray:
    """Integrated gradients of one logit, by captum, on the user's own network."""
    from captum.attr import LayerIntegratedGradients

    ids = torch.tensor([tiny.tokenizer()(TEXT)["input_ids"]])
    method = LayerIntegratedGradients(lambda ids: network(input_ids=ids).logits[:, -1, 7], network.transformer.wte)
    return method.attribute(ids, baselines=torch.zeros_like(ids), n_steps=8).detach().numpy()


def lens_logits(folder: Path, ids: list[int]) -> np.ndarray:
    """The logits that TransformerLens computes from a checkpoint."""
    from transformer_lens.model_bridge import TransformerBridge

    with torch.no_grad():
        return TransformerBridge.boot_transformers(str(folder), device="cpu")(torch.tensor([ids]))[0].numpy()


def use_live(folder: Path) -> None:
    """Open a live GPT-2, trace a batch and ablate heads; installed tools read the same network."""
    network = tiny.network("gpt2")
    before = captum_attributions(network) if find_spec("captum") else None
    live = open_model(network, reader=tiny.tokenizer())
    single, together = live.trace(TEXT), live.trace([TEXT, "A car."])
    np.testing.assert_allclose(together[0].logits, single.logits, atol=1e-4)
    assert ablate(live, single)["decoder"].shape == (2, 4)
    print("live gpt2: opened, traced alone and in a batch, heads ablated")
    if before is not None:
        np.testing.assert_array_equal(captum_attributions(network), before)
        print("captum: the same attributions of the live model before and after")
    if find_spec("transformer_lens"):
        np.testing.assert_allclose(lens_logits(folder, single.source.ids), single.logits, atol=1e-4)
        np.testing.assert_array_equal(live.trace(TEXT).logits, single.logits)
        print("TransformerLens: the same logits as the trace")


def make_study(checkpoint: Path, folder: Path) -> None:
    """Measure every head of a checkpoint over two texts."""
    from pyarrow.parquet import read_table

    from attention_atlas.study import main as study

    texts = folder / "texts.txt"
    texts.write_text(f"{TEXT}\nA car.\n")
    assert study([str(checkpoint), str(texts), "--out", str(folder / "out"), "--device", "cpu"]) == 0
    heads = read_table(folder / "out" / "heads.parquet")
    assert heads.num_rows == 8 and np.isfinite(heads["entropy_mean"].to_numpy()).all()
    print(f"study: {heads.num_rows} heads, {heads.num_columns} columns")


def main() -> int:
    """Run all of it; an error ends the program."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name in NAMES:
            use_checkpoint(name, folder / name)
            print(f"{name}: opened, traced, shown, a head changed")
        use_live(folder / "gpt2")
        make_study(folder / "gpt2", folder)
    trace = Translator.load(device="cpu").trace("I am a student.")
    assert trace.target_text == "Je suis \u00e9tudiant." and trace.verify().max_difference < 1e-5
    print(f"Python {sys.version.split()[0]}, " + ", ".join(f"{name} {installed_version(name)}" for name in VERSIONS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
