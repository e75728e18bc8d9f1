"""The parts of a card on the split of the data: counts, where choices were made, and scores without near duplicates."""

from model.data.corpus import Corpus
from model.data.near_duplicates import count_one_word_apart
from model.lessons.network_comparison import DISTINCT

DECODINGS = {"greedy": 1, "beam 4": 4}  # name in a card -> beam


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


def split_lines(split: dict) -> str:
    """Lines of the list of facts about the data: validation sentences, and where choices were made."""
    if not split:
        return """- No validation sentences: averaging, number of epochs and decoding were chosen on the test sentences,
  so the scores below are the best of several attempts and somewhat too high"""
    sentences, pairs = split["validation_sentences"], split["validation_pairs"]
    english, french = split["same_english_left_out"], split["same_french_left_out"]
    return f"""- Validation: {sentences:,} further English sentences with {pairs:,} translations; every choice was made
  on them, none on the test sentences
- Left out of training as near duplicates of test or validation sentences (`model/data/near_duplicates.py`):
  {english:,} pairs by their English, {french:,} by their French alone"""


def duplicate_section(evaluation: dict) -> str:
    """Markdown on test sentences that resemble training sentences; empty for an older card."""
    if "near_duplicates" not in evaluation:
        return ""
    near, total = evaluation["near_duplicates"], evaluation["sentences"]
    known, references = near["trained_references"], evaluation["references"]
    holders = near["sentences_with_trained_reference"]
    text = f"""### Test sentences that resemble training sentences

- {_share(near["sentences"], total)} test sentences have a near duplicate in the data outside them: the
  same letters without case, punctuation and contractions, or a translation with the same letters.
- {_share(known, references)} reference translations are the French of a training pair, character for
  character. They belong to {_share(holders, total)} test sentences.
- {_share(near["one_word_apart"], total)} test sentences differ from a training sentence by one word at most,
  changed, added or left out. They remain in the scores below.

"""
    distinct = evaluation[DISTINCT]
    if distinct:
        sentences, references = distinct["sentences"], distinct["references"]
        rows = "\n".join(
            f"| {name} | {distinct[name]['bleu']:.2f} | {distinct[name]['chrf']:.2f} |"
            for name in DECODINGS
            if name in distinct
        )
        text += f"""The {sentences:,} test sentences without near duplicates, with {references:,} references:

| decoding | BLEU | chrF |
| --- | --- | --- |
{rows}

- -ln p per token on them: {loss_text(distinct)}

"""
    if "validation" in evaluation:
        figures = evaluation["validation"]
        greedy = figures["greedy"]
        text += f"""The {figures["sentences"]:,} validation sentences, on which choices were made: greedy BLEU
{greedy["bleu"]:.2f}, chrF {greedy["chrf"]:.2f}, -ln p per token {loss_text(figures)}.

"""
    return text


def loss_text(figures: dict) -> str:
    """-ln p per token with the translations that it was measured on; an older card has the first ones alone."""
    first = f"{figures['heldout_nll']:.3f} on first translations"
    if "nll" not in figures:
        return first
    scored, every = figures["scored"], "all translations"
    if scored < figures["references"]:
        every = f"the {scored:,} of {figures['references']:,} translations that it has positions for"
        first += " among these"
    return f"{figures['nll']:.3f} on {every} ({first})"


def _share(count: int, total: int) -> str:
    """A count of a total with its percentage, as text."""
    return f"{count:,} of {total:,} ({100 * count / total:.1f} %)"
