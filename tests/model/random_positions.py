"""Networks that differ in their positions, with random weights, in folders as training and both studies write them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from model.lessons import head_formation, positions_compared
from model.lessons.position_effects import STACKS
from model.networks.config import POSITION_KINDS, PositionKind, TransformerConfig
from model.networks.transformer import Transformer
from model.position_translator import TOKENIZER
from model.runtime.checkpoint import save_tensors, sha256_of, snapshot_file, write_json
from model.text.tokenizer import Tokenizer
from model.tracing.kinds import TRANSLATION

LONGEST = 16  # tokens a side of a pair in training
STEPS = (0, 3, 40)
ROLES = (*head_formation.ROLES, head_formation.RAISING)
SIZES = TransformerConfig(d_model=16, n_heads=2, n_encoder_layers=2, n_decoder_layers=2, d_ff=16)


def write_networks(
    folder: Path, kinds: Sequence[PositionKind] = POSITION_KINDS, sizes: TransformerConfig = SIZES
) -> Path:
    """Write networks, snapshots of the sinusoidal one, and the files of both studies; return `folder`."""
    hashes = {kind: _write_network(folder / kind, kind, sizes) for kind in kinds}
    write_comparison(folder, hashes)
    if "sinusoidal" in hashes:
        write_formation(folder / "sinusoidal", hashes["sinusoidal"])
    return folder


def random_network(kind: PositionKind, seed: int = 0, sizes: TransformerConfig = SIZES) -> Transformer:
    """Random weights that half precision can hold, with a learned table for `LONGEST` tokens."""
    config = replace(sizes, vocabulary_size=len(Tokenizer(TOKENIZER)), positions=kind)
    config = replace(config, max_positions=LONGEST + 1) if kind == "learned" else config
    torch.manual_seed(seed)
    network = Transformer(config).requires_grad_(False)
    for parameter in network.parameters():
        parameter.copy_((parameter + torch.randn_like(parameter) * 0.2).half())
    return network.eval()


def _write_network(folder: Path, kind: PositionKind, sizes: TransformerConfig) -> str:
    network = random_network(kind, POSITION_KINDS.index(kind), sizes)
    _save(folder / "model.safetensors", network)
    write_json(folder / "config.json", network.config.to_dict())
    sha256 = sha256_of(folder / "model.safetensors")
    hashes = {"config_sha256": sha256_of(folder / "config.json"), "tokenizer_sha256": sha256_of(TOKENIZER)}
    data = {"data": {"longest_tokens": LONGEST}}
    write_json(folder / "card.json", {"weights_sha256": sha256} | hashes | data)
    (folder / "card.md").write_text("# Random\n")
    return sha256


def _save(path: Path, network: Transformer) -> None:
    save_tensors(path, {name: tensor.half() for name, tensor in network.state_dict().items()})


def band(value: float) -> dict[str, float]:
    """A figure with an interval."""
    return {"value": value, "low": value - 0.5, "high": value + 0.25}


def write_comparison(folder: Path, hashes: dict[PositionKind, str]) -> None:
    """Write what `positions-study` writes: two groups of lengths, the longer one without BLEU and learned positions."""
    names = {kind: f"{kind}-0" for kind in hashes}

    def figures(longest: int, bleu: bool) -> dict[str, dict]:
        values = {}
        for number, (kind, name) in enumerate(names.items()):
            loss = None if kind == "learned" and longest > LONGEST else band(2 + number + longest / 100)
            values[name] = {"loss": loss, "bleu": band(40 - number) if bleu and loss else None}
        for seed in (1, 2):
            values[f"sinusoidal-{seed}"] = {"loss": band(2 + 0.05 * seed + longest / 100), "bleu": None}
        return values

    networks = {name: {"kind": kind} for kind, name in names.items()}
    if "sinusoidal" in hashes:
        networks |= {f"sinusoidal-{seed}": {"kind": "sinusoidal"} for seed in (1, 2)}
    seeds = {"sinusoidal": {"loss": band(2.5) | {"seeds": 3}}}
    sizes = (("shortest", "longest", "sentences", "pairs"), (1, 16, 150, 200), (17, 40, 20, 30))
    first, second = (dict(zip(sizes[0], values, strict=True)) for values in sizes[1:])
    groups = [
        first | {"networks": figures(16, True), "seeds": seeds},
        second | {"networks": figures(40, False), "seeds": {}},
    ]
    shuffled = {
        name: {where: band(1 + number + place) for place, where in enumerate(STACKS)}
        for number, name in enumerate(names.values())
    }
    shuffled |= {
        f"sinusoidal-{seed}": {where: band(1 + place) for place, where in enumerate(STACKS)} for seed in (1, 2)
    }
    facts = {"hardware": "a machine", "longest_tokens": LONGEST, "resamples": 1000, "fewest_pairs": 100}
    content = {"weights_sha256": hashes, "shown": names, "networks": networks, "groups": groups, "shuffled": shuffled}
    write_json(folder / positions_compared.FILE, content | {"facts": facts | {"shuffled_sentences": 50}})


def write_formation(folder: Path, weights_sha256: str, steps: Sequence[int] = STEPS) -> None:
    """Write snapshots, and what `formation` writes of two seeds: one head of each role forms at the end.

    The other seed has none that raises the aligned token.
    """
    for number, step in enumerate(steps):
        _save(snapshot_file(folder, step), random_network("sinusoidal", number + 1))
    heads = [_heads(place == len(steps) - 1) for place in range(len(steps))]
    forming = {"kind": "cross", "layer": 1, "head": 0, "step": steps[-1], "effects": [band(0.1)] * len(steps)}
    forms = {role: [forming | {"needed": False, "needed_at_end": True}] for role in ROLES}
    curves = {name: [1.0, 0.5, 0.25] for name in ("loss", "nll", "rate", "gradient_norm")} | {"step": [1, 20, 40]}
    run = {"seed": 0, "heldout_nll": [9.0, 7.5, 3.25][: len(steps)], "heads": heads, "forms": forms, "curves": curves}
    other = run | {"seed": 1, "forms": forms | {head_formation.RAISING: []}}
    write_json(
        folder / head_formation.FILE,
        {
            "weights_sha256": weights_sha256,
            "snapshots_sha256": {f"step-{step:06d}": sha256_of(snapshot_file(folder, step)) for step in steps},
            "steps": list(steps),
            "runs": [run, other],
            "facts": {"hardware": "a machine", "sentences": 12, "links": 40},
        },
    )


def _heads(formed: bool) -> dict[str, dict]:
    table = json.loads(json.dumps([["mixed", "mixed"], ["mixed", "same"]]))
    result: dict[str, dict] = {kind.name: {"labels": json.loads(json.dumps(table))} for kind in TRANSLATION}
    shares = [[0.5, 0.51], [0.9 if formed else 0.5, 0.48]]
    ranks = [[4000.0, 3999.5], [12.0, 4100.0]]
    result["cross"][head_formation.SENT] = {
        "target_raised": shares,
        "source_raised": [[0.5, 0.25], [0.55, 0.6]],
        "target_rank": ranks,
        "source_rank": [[4000.0, 6000.0], [3000.0, 3500.0]],
    }
    needed, not_needed = band(1.0), band(0.1)
    for kind in result.values():
        kind["effects"] = [[needed, not_needed], [needed, needed if formed else not_needed]]
    if formed:
        result["cross"]["labels"][1][0] = "aligned"
        result["encoder"]["labels"][0][1] = "previous"
        result["encoder"]["labels"][1][0] = "end"
    return result
