"""Translation quality on held-out sentences: sacreBLEU and chrF against all references."""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from sacrebleu.metrics import BLEU, CHRF
from tqdm import tqdm

from model.decoding.search import DecodingOptions, beam_search, greedy_batch
from model.sentence_check import MAX_TOKENS
from model.translator import SentenceTranslator

BATCH = 64  # sentences decoded at once
DECODINGS = {"greedy": 1, "beam 4": 4}  # name in a card -> beam


@dataclass(frozen=True)
class CorpusScores:
    """Corpus scores with the signatures that make them reproducible."""

    bleu: float
    chrf: float
    bleu_signature: str
    chrf_signature: str


@dataclass(frozen=True)
class TranslationScores(CorpusScores):
    """The scores, and the speed of decoding."""

    seconds: float
    tokens_per_second: int  # generated tokens, with `</s>`


def evaluate(translator: SentenceTranslator, heldout: dict[str, list[str]], beam: int = 1) -> TranslationScores:
    """Translate every held-out sentence and score the result.

    Args:
        heldout: English sentence -> all its French translations, which all count as references.
        beam: 1 decodes greedily.

    Raises:
        ValueError: no sentences.
    """
    return evaluate_parts(translator, heldout, {}, beam)[0]


def evaluate_parts(
    translator: SentenceTranslator, heldout: dict[str, list[str]], parts: dict[str, Collection[str]], beam: int = 1
) -> tuple[TranslationScores, dict[str, CorpusScores]]:
    """Translate every held-out sentence once, and score all of them and some of them.

    Args:
        heldout, beam: as of `evaluate`.
        parts: name -> English sentences of `heldout` that are also scored by themselves.

    Returns:
        The scores of all sentences, and those of each part that has any.

    Raises:
        ValueError: no sentences.
    """
    if not heldout:
        raise ValueError("There are no held-out sentences to evaluate on.")
    started = time.perf_counter()
    generated = decode_all(translator, list(heldout), beam)
    seconds = time.perf_counter() - started
    hypotheses = {sentence: translator.tokenizer.decode(ids) for sentence, ids in zip(heldout, generated, strict=True)}
    speed = round(sum(map(len, generated)) / seconds)
    scores = TranslationScores(
        **vars(score_translations(hypotheses, heldout)), seconds=seconds, tokens_per_second=speed
    )
    selected = {name: {text: heldout[text] for text in sentences} for name, sentences in parts.items() if sentences}
    return scores, {name: score_translations(hypotheses, part) for name, part in selected.items()}


def score_translations(hypotheses: dict[str, str], heldout: dict[str, list[str]]) -> CorpusScores:
    """Score the translations of the sentences in `heldout` against all their references.

    Args:
        hypotheses: English sentence -> its translation; more than those of `heldout` may be in it.
    """
    # sacreBLEU's layout: stream k holds the k-th translation of every sentence, None where there are fewer
    references = [list(stream) for stream in zip_longest(*heldout.values())]
    translations = [hypotheses[sentence] for sentence in heldout]
    metrics = BLEU(), CHRF()
    bleu, chrf = (metric.corpus_score(translations, references).score for metric in metrics)
    bleu_signature, chrf_signature = (str(metric.get_signature()) for metric in metrics)  # known only after scoring
    return CorpusScores(bleu, chrf, bleu_signature, chrf_signature)


def decode_all(translator: SentenceTranslator, sentences: list[str], beam: int = 1) -> list[Sequence[int]]:
    """Ids that decoding generates, in the order of `sentences`; sentences of similar length are decoded together.

    A sentence with more tokens than the network has positions gets an empty translation.
    """
    encoded = [translator.tokenizer.encode_source(sentence) for sentence in sentences]
    fitting = [index for index, ids in enumerate(encoded) if len(ids) <= translator.config.max_positions]
    order = sorted(fitting, key=lambda index: len(encoded[index]))
    results: list[Sequence[int]] = [[] for _ in encoded]
    with tqdm(total=len(order), desc=f"beam {beam}" if beam > 1 else "greedy", mininterval=2) as bar:
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            produced: Sequence[Sequence[int]]
            if beam == 1:
                produced = greedy_batch(translator.network, [encoded[row] for row in rows], MAX_TOKENS)
            else:
                options = DecodingOptions("beam", beam=beam, max_length=MAX_TOKENS)
                produced = [beam_search(translator.network, encoded[row], options)[0].ids for row in rows]
            for row, ids in zip(rows, produced, strict=True):
                results[row] = ids
            bar.update(len(rows))
    return results
