"""The recurrent networks compared with the Transformer: one forward pass and greedy decoding, all shipped ones."""

from __future__ import annotations

import torch

from benchmarks.network import SENTENCE
from benchmarks.timing import Measurement, interleave
from model import RecurrentTranslator, Translator
from model.networks.recurrent_config import VARIANTS
from model.networks.tap import identity_tap
from model.recurrent_translator import SHIPPED

LENGTHS = (8, 32, 128, 256)


@torch.inference_mode()
def recurrent(translator: Translator) -> list[Measurement]:
    """Teacher-forced logits at several lengths, and a sentence of 12 words from ids to ids.

    A recurrence runs token by token, the Transformer in parallel for a given target; decoding is sequential in all.
    """
    networks = {name: RecurrentTranslator.load(name, "cpu") for name in VARIANTS if (SHIPPED / name).is_dir()}
    rows: list[Measurement] = []
    for length in LENGTHS:
        generator = torch.Generator().manual_seed(length)
        source, target = (torch.randint(300, 7000, (1, length), generator=generator) for _ in range(2))
        candidates = {"Transformer": lambda s=source, t=target: translator.network(s, t)}
        for name, each in networks.items():
            network = each.network
            difference = (network(source, target) - network(source, target, identity_tap)).abs().max().item()
            if difference > 1e-3:
                raise AssertionError(f"{name}: logits with a tap differ by {difference} from those without.")
            candidates[name] = lambda n=network, s=source, t=target: n(s, t)
        rows += interleave(f"forward, {length} tokens, all five", candidates, rounds=25)
    generated = {"Transformer": translator.translate(SENTENCE)}
    candidates = {"Transformer": lambda: translator.translate(SENTENCE)}
    for name, each in networks.items():
        generated[name] = each.translate(SENTENCE)
        candidates[name] = lambda e=each: e.translate(SENTENCE)
    counts = {name: 1 + len(translator.tokenizer.encode(text)) for name, text in generated.items()}
    decoding = interleave("greedy translation, 12 words, all five", candidates)
    print("\n".join(f"{row.name}: {1000 * counts[row.name] / row.median:.0f} tokens a second" for row in decoding))
    return rows + decoding
