"""Write the shipped folder of a trained translator: half-precision weights, and `card.json` of measured figures."""

import math
from collections.abc import Collection, Mapping
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
from torch import nn

from model.data.corpus import Corpus
from model.data.near_duplicates import count_one_word_apart, without_near_duplicates
from model.language_model import LanguageModel
from model.lessons.network_comparison import DISTINCT
from model.position_translator import PositionTranslator
from model.recurrent_translator import RecurrentTranslator
from model.runtime.checkpoint import read_json, save_tensors, sha256_of, write_json
from model.runtime.device import choose_device, describe_hardware
from model.runtime.training_record import METRICS, read_metrics
from model.text.tokenizer import Tokenizer
from model.translator import SentenceTranslator, Translator

from .evaluate import DECODINGS, evaluate, evaluate_parts
from .language import LanguageTask
from .optimizer import Recipe
from .readable_card import network_kind, write_readable_card
from .study import held_out_card
from .translation import TranslationTask

DATA = {
    "name": "English-French sentence pairs of the Tatoeba project",
    "source": "tatoeba.org, by way of manythings.org/anki (fra-eng.zip)",
    "licence": "CC BY 2.0 FR; the sentences are the work of Tatoeba's contributors",
}
TIMES = ("seconds", "tokens_per_second")  # of an evaluation, beside its scores
NETWORKS: dict[str, Any] = {  # kind -> class
    "translator": Translator,
    "recurrent": RecurrentTranslator,
    "language": LanguageModel,
    "positions": PositionTranslator,
}


def finish_translator(
    folder: Path,
    tokenizer: Path,
    corpus: Corpus,
    recipe: Recipe,
    network: nn.Module,
    device: torch.device,
    facts: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> None:
    """Write the weights in half precision, evaluate them as written, and write the card.

    Args:
        facts: further entries of the parts "data" and "training" of the card.
    """
    card = {
        **write_weights(folder, network),
        "tokenizer_sha256": sha256_of(tokenizer),
        "data": {
            **DATA,
            "sha256": corpus.sha256,
            "training_pairs": len(corpus.train),
            **split_facts(corpus),
            **facts.get("data", {}),
        },
        "training": {**training_facts(folder, recipe), **facts.get("training", {})},
    }
    write_json(folder / "card.json", card)
    evaluate_translator(folder, corpus, str(device))


def evaluate_translator(
    folder: Path, corpus: Corpus, device: str = "auto", decodings: Collection[str] = DECODINGS
) -> dict:
    """Score the network in `folder`, which may be any that translates, and write `card.json` and `card.md` anew.

    Args:
        decodings: those of "greedy" and "beam 4" to run; the scores of others stay as they are.

    Raises:
        CheckpointError: the folder cannot be read.
        ValueError: the translator was trained on other data, or with fewer held-out sentences, so that it may have seen
            some of these; or a decoding that is not run has no scores on these sentences.
    """
    card = held_out_card(folder, corpus)
    kind = network_kind(card, read_json(folder / "config.json"))
    translator: SentenceTranslator = NETWORKS[kind].load(folder, device)
    add_scores(card, translator, folder, corpus, device, decodings)
    add_facts(card, translator, corpus)
    write_json(folder / "card.json", card)
    write_readable_card(folder)
    return card


def add_facts(card: dict, translator: SentenceTranslator, corpus: Corpus) -> None:
    """Add to `card` what only networks of one kind have."""
    if isinstance(translator, PositionTranslator):
        longest = card["data"]["longest_tokens"]
        card["data"]["used_pairs"] = count_short_pairs(translator.tokenizer, corpus, longest)
    if isinstance(translator, RecurrentTranslator):
        # tokens of the targets in an epoch, `</s>` too
        epoch = sum(len(translator.tokenizer.encode(french)) + 1 for _, french in corpus.train)
        training = card["training"]
        training["tokens_per_second"] = round(epoch * training["epochs"] / max(1, 60 * training["minutes"]))
    if isinstance(translator, LanguageModel):
        distinct = without_near_duplicates(corpus.heldout, corpus.outside_test)
        parts = {"test": corpus.heldout, DISTINCT: distinct, "validation": corpus.validation}
        card["evaluation"]["english_nll"] = {
            name: english_nll(translator, part) for name, part in parts.items() if part
        }


def count_short_pairs(tokenizer: Tokenizer, corpus: Corpus, longest_tokens: int) -> int:
    """Number of training pairs with at most so many tokens a side, `<s>` and `</s>` not counted."""
    return sum(all(len(tokenizer.encode(text)) <= longest_tokens for text in pair) for pair in corpus.train)


def english_nll(model: LanguageModel, sentences: dict[str, list[str]]) -> float:
    """Mean -ln p per token of English sentences, of the tokens after the first and `</s>`, in nats."""
    task = LanguageTask(model.network, model.tokenizer, Corpus([], sentences, ""), Recipe())
    return task.validate(model.network, model.device)["english_nll"]


def add_scores(
    card: dict,
    translator: SentenceTranslator,
    folder: Path,
    corpus: Corpus,
    device: str,
    decodings: Collection[str] = DECODINGS,
) -> None:
    """Add the figures of the test sentences to `card`; see `evaluate_translator`.

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


def split_facts(corpus: Corpus) -> dict:
    """The counts of a split with validation sentences, as an entry of a card; none without them."""
    return {"split": corpus.counts()} if corpus.validation else {}


def duplicate_facts(corpus: Corpus, sentences: int) -> dict:
    """How near the test sentences are to the training data of a network.

    Args:
        sentences: test sentences with a near duplicate outside the test sentences.
    """
    french = {french for _, french in corpus.train}
    references = [text for translations in corpus.heldout.values() for text in translations]
    return {
        "sentences": sentences,
        "sentences_with_trained_reference": sum(
            any(text in french for text in translations) for translations in corpus.heldout.values()
        ),
        "trained_references": sum(text in french for text in references),
        "one_word_apart": count_one_word_apart(corpus.heldout, (english for english, _ in corpus.train)),
    }
