"""Forward passes and translation against torch.nn.Transformer and Hugging Face, on the same weights and threads."""

from __future__ import annotations

from functools import partial

import torch

from benchmarks.peers import TorchTransformer, hugging_face_vit, marian
from benchmarks.timing import Measurement, interleave
from model import DecodingOptions, Translator, VisionClassifier
from model.attribution.head_ablation import ablate_translation_heads, loss_without
from model.decoding.search import greedy_batch
from model.networks.tap import Intervention
from model.tracing.kinds import TRANSLATION
from model.tracing.trace import layer_names, record_trace

SENTENCE = "The animal didn't cross the street because it was too tired."
LENGTHS = (12, 64, 256)


@torch.inference_mode()
def forward(translator: Translator) -> list[Measurement]:
    """Teacher-forced logits of one sentence of 12, 64 and 256 tokens on either side."""
    network, tokenizer = translator.network, translator.tokenizer
    plain, fused, eager = TorchTransformer(network), marian(translator, "sdpa"), marian(translator, "eager")
    rows: list[Measurement] = []
    for length in LENGTHS:
        generator = torch.Generator().manual_seed(length)
        source, target = (torch.randint(300, 7000, (1, length), generator=generator) for _ in range(2))
        ids = source[0].tolist(), target[0].tolist(), target[0].tolist()
        difference = max(
            (network(source, target) - plain(source, target)).abs().max().item(),
            (network(source, target) - fused(input_ids=source, decoder_input_ids=target).logits).abs().max().item(),
        )
        if difference > 1e-3:
            raise AssertionError(f"The candidates do not compute the same thing: logits differ by {difference}.")
        candidates = {
            "ours, fused": lambda s=source, t=target: network(s, t),
            "ours, everything recorded": lambda i=ids: record_trace(network, tokenizer, *i),
            "torch.nn.Transformer": lambda s=source, t=target: plain(s, t),
            "HF Marian, sdpa": lambda s=source, t=target: fused(input_ids=s, decoder_input_ids=t),
            "HF Marian, with attentions": lambda s=source, t=target: eager(
                input_ids=s, decoder_input_ids=t, output_attentions=True
            ),
        }
        rows += interleave(f"forward, {length} tokens", candidates, rounds=25)
    return rows + every_head_off(translator)


@torch.inference_mode()
def every_head_off(translator: Translator) -> list[Measurement]:
    """The loss of a sentence of 12 words without each single head: batched, and one forward pass per head."""
    network, trace = translator.network, translator.trace(SENTENCE)
    source, target = torch.tensor([trace.source_ids]), torch.tensor([trace.target_ids])
    effects = ablate_translation_heads(network, trace)
    for place in (("encoder", 0, 0), ("cross", network.config.n_decoder_layers - 1, 1)):
        kind, layer, head = place
        difference = abs(effects.without[kind][layer, head].mean() - loss_without(network, trace, place))
        if difference > 1e-4:
            raise AssertionError(f"The loss without {place} differs by {difference} from that of a network without it.")
    depths = {"encoder": network.config.n_encoder_layers, "decoder": network.config.n_decoder_layers}
    names = [
        (name, head)
        for kind in TRANSLATION
        for name in layer_names(kind.stack, f"{kind.sublayer}.outputs", depths[kind.stack])
        for head in range(network.config.n_heads)
    ]

    def ablated(head: int, outputs: torch.Tensor) -> torch.Tensor:
        outputs = outputs.clone()  # (batch, head, query, d_k)
        outputs[:, head] = 0
        return outputs

    def one_by_one() -> None:
        for name, head in names:
            network(source, target, Intervention({name: partial(ablated, head)}))

    candidates = {"one batch": lambda: ablate_translation_heads(network, trace), "one forward a head": one_by_one}
    return interleave(f"every head off, {len(names)} heads, 12 words", candidates, rounds=10)


@torch.inference_mode()
def translate(translator: Translator) -> list[Measurement]:
    """One sentence of 12 words, from ids to ids."""
    network = translator.network
    source = translator.tokenizer.encode_source(SENTENCE)
    theirs = marian(translator, "sdpa")
    batch, mask = torch.tensor([source]), torch.ones(1, len(source), dtype=torch.int64)

    def generate(beams: int) -> list[int]:
        return theirs.generate(batch, attention_mask=mask, num_beams=beams, max_new_tokens=128)[0, 1:].tolist()

    if generate(1) != greedy_batch(network, [source])[0]:
        raise AssertionError("Greedy translations differ, so their times cannot be compared.")
    beam = DecodingOptions("beam", beam=4)
    return [
        *interleave(
            "greedy translation",
            {
                "ours": lambda: translator.translate(SENTENCE),
                "ours, streamed with top 5": lambda: list(translator.stream(SENTENCE)),
                "HF generate": lambda: generate(1),
            },
        ),
        *interleave(
            "beam 4 translation",
            {"ours": lambda: translator.translate(SENTENCE, beam), "HF generate": lambda: generate(4)},
        ),
    ]


@torch.inference_mode()
def vision(classifier: VisionClassifier) -> list[Measurement]:
    """One picture through the ViT, with and without its maps."""
    size = classifier.config.image_size
    image = torch.rand(size, size, 3, generator=torch.Generator().manual_seed(size)).numpy()
    pixels = torch.from_numpy(image).permute(2, 0, 1)[None] * 2 - 1
    fused, eager = hugging_face_vit(classifier, "sdpa"), hugging_face_vit(classifier, "eager")
    difference = (classifier.network(pixels) - fused(pixels).logits).abs().max().item()
    if difference > 1e-3:
        raise AssertionError(f"The candidates do not compute the same thing: logits differ by {difference}.")
    candidates = {
        "ours, fused": lambda: classifier.network(pixels),
        "ours, everything recorded": lambda: classifier.trace(image),
        "HF ViT, sdpa": lambda: fused(pixels),
        "HF ViT, with attentions": lambda: eager(pixels, output_attentions=True),
    }
    return interleave(f"ViT forward, {1 + classifier.config.grid**2} tokens", candidates, rounds=25)
