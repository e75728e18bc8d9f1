"""What a researcher does with the package, with the installed versions: `python -m tests.package_use`.

Opens three tiny checkpoints, a live model and a batch, traces, shows, changes heads and makes a study, and compares the
maps with those that the library itself reports. Prints one line with the versions that it ran with.
"""

from __future__ import annotations

import sys
import tempfile
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch

from attention_atlas import HeadInterventions, Scale, Translator, ablate, open_model, show
from tests.model.hub import tiny

TEXT = "The quick fox wants a car."
NAMES = ("bert", "gpt2", "vit")
VERSIONS = ("torch", "transformers", "tokenizers", "huggingface-hub", "numpy", "pillow", "safetensors", "sentencepiece")


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


def main() -> int:
    """Run all of it; an error ends the program."""
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            use_checkpoint(name, Path(folder, name))
        live = open_model(tiny.network("gpt2"), reader=tiny.tokenizer())
        single, together = live.trace(TEXT), live.trace([TEXT, "A car."])
        np.testing.assert_allclose(together[0].logits, single.logits, atol=1e-4)
        assert ablate(live, single)["decoder"].shape == (2, 4)
        if find_spec("pyarrow"):
            from attention_atlas.study import main as study

            texts = Path(folder, "texts.txt")
            texts.write_text(f"{TEXT}\nA car.\n")
            assert (
                study([str(Path(folder, "gpt2")), str(texts), "--out", str(Path(folder, "out")), "--device", "cpu"])
                == 0
            )
    trace = Translator.load(device="cpu").trace("I am a student.")
    assert trace.target_text == "Je suis \u00e9tudiant." and trace.verify().max_difference < 1e-5
    print(f"Python {sys.version.split()[0]}, " + ", ".join(f"{name} {version(name)}" for name in VERSIONS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
