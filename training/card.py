"""Write the shipped folder of a trained translator: half-precision weights, and a card of measured figures."""

import math
import re
from collections.abc import Collection
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

import torch
from torch import nn

from model.data.corpus import Corpus
from model.data.near_duplicates import without_near_duplicates
from model.runtime.checkpoint import read_json, save_tensors, sha256_of, write_json
from model.runtime.device import choose_device, describe_hardware
from model.runtime.training_record import METRICS, read_metrics
from model.translator import SentenceTranslator, Translator

from .evaluate import evaluate, evaluate_parts
from .head_card import write_readable_card
from .optimizer import Recipe
from .split_card import DECODINGS, DISTINCT, duplicate_facts, duplicate_section, loss_text, split_facts, split_lines
from .translation import TranslationTask

DATA = {
    "name": "English-French sentence pairs of the Tatoeba project",
    "source": "tatoeba.org, by way of manythings.org/anki (fra-eng.zip)",
    "licence": "CC BY 2.0 FR; the sentences are the work of Tatoeba's contributors",
}
TIMES = ("seconds", "tokens_per_second")  # of an evaluation, beside its scores


def finish_translator(folder: Path, corpus: Corpus, recipe: Recipe, network: nn.Module, device: torch.device) -> None:
    """Write the weights in half precision, evaluate them as written, and write the card."""
    write_first_card(folder, network, folder / "tokenizer.model", corpus, recipe)
    evaluate_translator(folder, corpus, str(device))


def write_first_card(folder: Path, network: nn.Module, tokenizer: Path, corpus: Corpus, recipe: Recipe) -> None:
    """Write the weights, and the part of the card that precedes their evaluation."""
    card = {
        **write_weights(folder, network),
        "tokenizer_sha256": sha256_of(tokenizer),
        "data": DATA | {"sha256": corpus.sha256, "training_pairs": len(corpus.train)} | split_facts(corpus),
        "training": training_facts(folder, recipe),
    }
    write_json(folder / "card.json", card)


def evaluate_translator(
    folder: Path, corpus: Corpus, device: str = "auto", decodings: Collection[str] = DECODINGS
) -> dict:
    """Score the translator in `folder`, and write `card.json` and `card.md` anew.

    Args:
        decodings: those of "greedy" and "beam 4" to run; the scores of others stay as they are.

    Raises:
        CheckpointError: the folder cannot be read.
        ValueError: the translator was trained on other data, or with fewer held-out sentences, so that it may have seen
            some of these; or a decoding that is not run has no scores on these sentences.
    """
    card = held_out_card(folder, corpus)
    write_scores(card, Translator.load(folder, device), folder, corpus, device, decodings)
    write_readable_card(folder, card_markdown)
    return card


def write_scores(
    card: dict,
    translator: SentenceTranslator,
    folder: Path,
    corpus: Corpus,
    device: str,
    decodings: Collection[str] = DECODINGS,
) -> None:
    """Add the figures of the test sentences to `card` and write it as `card.json`; see `evaluate_translator`.

    Equal scores on other hardware leave hardware and times as they are, so that the card states no mixture.
    """
    card.setdefault("config_sha256", sha256_of(folder / "config.json"))  # older cards have none
    before, hardware = card.get("evaluation", {}), describe_hardware(choose_device(device))
    distinct = without_near_duplicates(corpus.heldout, corpus.outside_test)
    retained = [name for name in DECODINGS if name not in decodings]
    if retained and (before.get("sentences") != len(corpus.heldout) or not before.keys() >= set(retained)):
        raise ValueError(f"The card has no scores of {', '.join(retained)} on these sentences; run every decoding.")
    scores = {name: before[name] for name in retained}
    parts = {name: before[DISTINCT][name] for name in retained if name in before.get(DISTINCT, {})}
    for name in decodings:
        beam = DECODINGS[name]
        scored, of_parts = evaluate_parts(translator, corpus.heldout, {DISTINCT: distinct}, beam)
        scores[name] = asdict(scored)
        if DISTINCT in of_parts:
            parts[name] = asdict(of_parts[DISTINCT])
    same = all(_has_equal_scores(before.get(name, {}), scores[name]) for name in decodings)
    if same and "hardware" in before and before["hardware"] != hardware:
        hardware = before["hardware"]  # the times in the card were measured there
        scores |= {name: before[name] for name in decodings}
    elif before.get("hardware") == hardware:
        for name in decodings:
            scores[name] |= _shorter_time(before.get(name, {}), scores[name])
    card["evaluation"] = {
        **_measure_loss(translator, corpus.heldout),
        "hardware": hardware,
        **{name: scores[name] for name in DECODINGS},
        DISTINCT: {**_measure_loss(translator, distinct), **parts} if distinct else {},
        "near_duplicates": duplicate_facts(corpus, len(corpus.heldout) - len(distinct)),
    }
    if corpus.validation:
        greedy = evaluate(translator, corpus.validation)
        card["evaluation"]["validation"] = {**_measure_loss(translator, corpus.validation), "greedy": asdict(greedy)}
    card["parameters"] = translator.parameters
    write_json(folder / "card.json", card)


def _measure_loss(translator: SentenceTranslator, sentences: dict[str, list[str]]) -> dict:
    """Numbers of sentences and translations, and -ln p per token of the first and of all, by the stored weights."""
    task = TranslationTask(translator.network, translator.tokenizer, Corpus([], sentences, ""), Recipe())
    return {
        "sentences": len(sentences),
        "heldout_nll": task.validate(translator.network, translator.device)["heldout_nll"],
        **measure_all_translations(translator, sentences),
    }


def measure_all_translations(translator: SentenceTranslator, sentences: dict[str, list[str]]) -> dict:
    """-ln p per token of every sentence with each of its translations, and their number; longer ones are left out."""
    task = TranslationTask(translator.network, translator.tokenizer, Corpus([], sentences, ""), Recipe())
    pairs = task.encode((english, french) for english, translations in sentences.items() for french in translations)
    return {
        "references": sum(map(len, sentences.values())),
        "scored": len(pairs),
        "nll": task.mean_loss(translator.network, translator.device, pairs),
    }


def _shorter_time(before: dict, now: dict) -> dict:
    """Seconds and speed of the faster of two evaluations with equal scores on the same hardware."""
    if not _has_equal_scores(before, now) or before.get("seconds", math.inf) >= now["seconds"]:
        return {}
    return {name: before[name] for name in TIMES if name in before}


def _has_equal_scores(before: dict, now: dict) -> bool:
    """Whether two evaluations differ in nothing but their times."""
    return all(before.get(name) == now[name] for name in now if name not in TIMES)


def held_out_card(folder: Path, corpus: Corpus) -> dict:
    """The card of the translator in `folder`, after a check that it has not seen the held-out sentences of `corpus`.

    Raises:
        CheckpointError: there is no card.
        ValueError: see `evaluate_translator`.
    """
    card = read_json(folder / "card.json")
    data = card["data"]
    if data["sha256"] != corpus.sha256:
        raise ValueError("This data file is not the one the translator was trained on, so no sentence is held out.")
    split = data.get("split", {})  # older cards have none: they hold out test sentences only
    tests = split.get("test_sentences")
    if data["training_pairs"] > len(corpus.outside_test) if tests is None else len(corpus.heldout) > tests:
        raise ValueError("The translator was trained on some of these held-out sentences; give a smaller --heldout.")
    if corpus.validation and (
        len(corpus.heldout) != tests or len(corpus.validation) > split.get("validation_sentences", 0)
    ):
        raise ValueError("The translator was trained on some of these validation sentences; give --validation 0.")
    return card


def card_markdown(card: dict, sizes: dict, sections: str = "") -> str:
    """The readable card, from `card.json` and `config.json`; `sections` contain other studies."""
    title = "English-French translator"
    what = f"""An encoder-decoder Transformer as in "Attention Is All You Need": {sizes["n_encoder_layers"]} encoder and
{sizes["n_decoder_layers"]} decoder layers, {sizes["n_heads"]} heads, d_model {sizes["d_model"]}, d_ff {sizes["d_ff"]}.
It has {sizes["vocabulary_size"]:,} joint SentencePiece tokens with byte fallback and {card["parameters"]:,} parameters,
stored in half precision ({card["weights_bytes"] / 1e6:.1f} MB)."""
    return translation_page(title, what, card, sizes, sections)


def translation_page(title: str, what: str, card: dict, sizes: dict, sections: str, training_more: str = "") -> str:
    """The card of any network that translates.

    Args:
        what: description of the network, with its sizes.
        sections: on other studies.
        training_more: further lines of the list of facts about training.
    """
    data, training, evaluation = card["data"], card["training"], card["evaluation"]
    split = data.get("split", {})
    loss = f" after the last epoch: {training['heldout_nll'][-1]:.3f} on first translations"
    if "heldout_nll" in evaluation:  # older cards have none
        loss = f", by these weights: {loss_text(evaluation)}"
    rows = "\n".join(
        f"| {name} | {evaluation[name]['bleu']:.2f} | {evaluation[name]['chrf']:.2f} | "
        f"{evaluation[name]['seconds']:.1f} |"
        for name in DECODINGS
    )
    what += """

It is made for inspection. It was trained on short everyday sentences and cannot replace a production translator."""
    facts = f"""- {pairs_text(data)}
- Held out: {evaluation["sentences"]:,} English sentences with {evaluation["references"]:,} translations, for testing
{split_lines(split)}
- SHA-256 of the text: `{data["sha256"]}`"""
    positions = training["recipe"]["batch_tokens"]
    trained = f"""- {positions:,} padded positions a batch and process; dropout {sizes["dropout"]}
- -ln p per token on the test sentences{loss}{training_more}"""
    quality = f"""On the {evaluation["sentences"]:,} test sentences, all their translations as references:

| decoding | BLEU | chrF | seconds |
| --- | --- | --- | --- |
{rows}

- BLEU: `{evaluation["greedy"]["bleu_signature"]}`
- chrF: `{evaluation["greedy"]["chrf_signature"]}`
- Decoded on {evaluation["hardware"]}, in batches for greedy and sentence by sentence for beam 4.

{duplicate_section(evaluation)}{sections}"""
    return card_page(card, title, what, ", split by English sentence", facts, trained, quality)


def pairs_text(data: dict) -> str:
    """How many pairs a network was trained on, and of how many, where longer ones were left out."""
    pairs = data["training_pairs"]
    if data.get("used_pairs", pairs) == pairs:
        return f"{pairs:,} pairs to train on"
    longest = data["longest_tokens"]
    return f"{data['used_pairs']:,} pairs to train on: those of at most {longest} tokens a side, of {pairs:,}"


def card_page(card: dict, title: str, what: str, split: str, facts: str, trained: str, quality: str) -> str:
    """The card of any network, from its parts.

    Args:
        what: description of the network, with its sizes.
        split, facts: how the data is divided, and further lines on it; `trained` are further lines on training.
        quality: measured figures, and the sections that follow.
    """
    data, tokenizer = card["data"], ""
    if "tokenizer_sha256" in card:
        tokenizer = f"\n- `tokenizer.model`, SHA-256 `{card['tokenizer_sha256']}`, likewise"
    return f"""# Model card: {title}

Written by `python -m training`; every figure is measured on the weights in this folder.

## What it is

{what}

## Data

{data["name"]}{split}.

- Source: {data["source"]}
- Licence: {data["licence"]}
{facts}

## Training

{training_lines(card["training"])}
{trained}

## Quality

{quality}## Files

- `model.safetensors`, SHA-256 `{card["weights_sha256"]}`, verified when it is loaded{tokenizer}
- `config.json`, SHA-256 `{card["config_sha256"]}`, likewise
- `metrics.jsonl`: the training curve, one JSON object a line
"""


def write_weights(folder: Path, network: nn.Module) -> dict:
    """Write the weights in half precision, and return the entries of a card on them and on `config.json`."""
    tensors = {name: tensor.detach().cpu() for name, tensor in network.state_dict().items()}
    # integers, such as batch normalisation's count of batches, are not converted
    tensors = {name: part.half() if part.is_floating_point() else part for name, part in tensors.items()}
    path = folder / "model.safetensors"
    save_tensors(path, tensors, {"format": "pt"})
    return {
        "weights_sha256": sha256_of(path),
        "weights_bytes": path.stat().st_size,
        "config_sha256": sha256_of(folder / "config.json"),
    }


def training_facts(folder: Path, recipe: Recipe) -> dict:
    """Facts of a run from its metrics file: hardware, time, steps, held-out figures and recipe."""
    metrics = read_metrics(folder / METRICS)
    starts = [row for row in metrics if row["event"] == "start"]
    epochs = [row for row in metrics if row["event"] == "epoch"]
    return {
        "hardware": sorted({row["hardware"] for row in starts}),
        "processes": starts[-1]["processes"],
        "torch": sorted({row["torch"] for row in starts}),
        "epochs": len(epochs),
        "steps": epochs[-1]["steps"],
        "minutes": sum(row["seconds"] for row in epochs) / 60,
        "heldout_nll": [row["heldout_nll"] for row in epochs],
        "recipe": recipe.to_dict(),
        # planned epochs and averaging decay, each with the epoch of its change; a run that was resumed with the same
        # recipe adds nothing
        "schedule": [[at + 1, end] for at, end in _list_changes(starts, "epochs") if at < len(epochs)],
        "averages": _list_changes(starts, "average_decay"),
        "restarts": [
            {"epoch": row["epoch"] + 1, "before": earlier["recipe"], "processes": earlier["processes"]}
            for earlier, row in pairwise(starts)
            if row["epoch"] == row.get("begun", {}).get("epoch") > 0
        ],
    }


def _list_changes(starts: list[dict], field: str) -> list[list]:
    """[epochs before, value] of each start whose recipe has another value than the start before."""
    changes: list[list] = []
    for row in starts:
        if not changes or changes[-1][1] != row["recipe"][field]:
            changes.append([row["epoch"], row["recipe"][field]])
    return changes


def training_lines(training: dict) -> str:
    """The part of a card on hardware, time and recipe that all networks share, as Markdown."""
    recipe = training["recipe"]
    optimiser = f"AdamW, peak rate {recipe['learning_rate']:g}"
    if recipe["matrix_learning_rate"]:
        optimiser += f", and Muon for the layers' weight matrices, peak rate {recipe['matrix_learning_rate']:g}"
    fall = "along a cosine" if recipe.get("schedule") == "cosine" else "linearly"
    planned = ", ".join(f"{end} from epoch {first} on" for first, end in training["schedule"])
    restarts = "".join(
        f"\n- Warm restart at epoch {restart['epoch']}: a new optimiser, and warm-up and decay again; until then the\n"
        f"  peak rates were {restart['before']['learning_rate']:g} and {restart['before']['matrix_learning_rate']:g}, "
        f"with {restart['processes']} process{'es' * (restart['processes'] > 1)} of "
        f"{restart['before']['batch_tokens']:,} positions"
        for restart in training.get("restarts", [])
    )
    averages = training.get("averages", [[0, recipe["average_decay"]]])
    averaged = "; ".join(
        (f"after epoch {after} " if after else "") + (f"averaged with decay {decay}" if decay else "not averaged")
        for after, decay in averages
    )
    hardware = re.sub(r"\b1 cores\b", "1 core", "; ".join(training["hardware"]))
    return f"""- Hardware: {hardware}; processes: {training["processes"]}
- PyTorch {", ".join(training["torch"])}
- Time: {training["minutes"]:.1f} minutes for {training["epochs"]} epochs, {training["steps"]:,} steps
- Optimiser: {optimiser}
- Learning rate: {recipe["warmup_steps"]} warm-up steps, then {fall} to zero at the end of the run; epochs planned:
  {planned}{restarts}
- Label smoothing {recipe["label_smoothing"]}, weight decay {recipe["weight_decay"]},
  gradients clipped at {recipe["clip_norm"]}, weights {averaged}
- Precision of the forward and backward pass: {recipe["precision"]}"""
