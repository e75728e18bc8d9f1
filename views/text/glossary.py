"""The glossary: which part of the app shows each term, and links to terms in other texts.

The definitions are the blocks of `assets/text/<language>/glossary.md`, each with its term in bold at the beginning. In
other prose a term is marked `[its wording there](term:id)`.
"""

import html
import re
from collections.abc import Callable
from urllib.parse import urlencode

PAGE = "glossary"
JOINER = "\u2060"  # no line ends at it, and it is no punctuation to Markdown
# Term -> page, and the query that opens the part.
WHERE_SHOWN: dict[str, tuple[str, str]] = {
    "ablation": ("heads", ""),
    "add-norm": ("inside", "inside=add-norm"),
    "alibi": ("positions", "facet=other-models"),
    "argmax": ("decoding", "part=linear-softmax"),
    "attends-to": ("attention", ""),
    "attention-distance": ("vision", "view=positions"),
    "attention-head": ("inside", "inside=heads"),
    "attention-map": ("attention", ""),
    "attribution": ("attribution", ""),
    "autoregressive": ("decoding", ""),
    "basis": ("positions", "facet=vectors"),
    "batch": ("masks", "masks=padding"),
    "beam-search": ("decoding", "part=beam-search"),
    "beam-width": ("decoding", "part=beam-search"),
    "bidirectional": ("history", ""),
    "bleu": ("history", "part=ladder"),
    "bos-eos": ("tokens", ""),
    "broadcasting": ("inside", "inside=heads"),
    "calibration": ("vision", "view=cls"),
    "causal-mask": ("masks", "masks=causality"),
    "cell-state": ("history", "part=gates"),
    "cls": ("vision", "view=cls"),
    "context-vector": ("history", "part=attention-over-states"),
    "contiguous": ("inside", "inside=memory"),
    "cosine-similarity": ("tokens", "part=neighbours"),
    "cross-attention": ("attention", "kind=cross"),
    "cross-entropy": ("loss", ""),
    "d-ff": ("inside", "inside=feed-forward"),
    "d-k": ("inside", "inside=scaling"),
    "d-model": ("tokens", "part=sizes"),
    "decoder": ("attention", "kind=decoder"),
    "diffuse": ("heads", ""),
    "dropout": ("inside", "inside=add-norm"),
    "embedding": ("tokens", ""),
    "encoder": ("attention", "kind=encoder"),
    "encoder-decoder": ("translate", ""),
    "entropy": ("heads", ""),
    "equivariance": ("vision", "view=convolution"),
    "faithfulness": ("vision", "view=layers"),
    "feed-forward": ("inside", "inside=feed-forward"),
    "fourier": ("positions", "facet=basis"),
    "gate": ("history", "part=gates"),
    "gradient-relevance": ("vision", "view=layers"),
    "greedy": ("decoding", ""),
    "hidden-state": ("history", ""),
    "hypothesis": ("decoding", "part=beam-search"),
    "inductive-bias": ("vision", "view=convolution"),
    "inference": ("decoding", "part=teacher-forcing"),
    "intervention": ("compare", ""),
    "label-smoothing": ("loss", "part=smoothing-gradient"),
    "layer-norm": ("inside", "inside=add-norm"),
    "leave-one-out": ("attribution", ""),
    "length-penalty": ("decoding", "part=beam-search"),
    "linear-combination": ("positions", "facet=vectors"),
    "linear-layer": ("decoding", "part=linear-softmax"),
    "logits": ("decoding", "part=linear-softmax"),
    "long-term": ("history", "part=forgetting"),
    "lstm": ("history", "part=gates"),
    "mask": ("masks", ""),
    "masked-keys": ("masks", ""),
    "multi-head": ("inside", "inside=heads"),
    "nats": ("loss", ""),
    "one-hot": ("compare", ""),
    "padding": ("masks", "masks=padding"),
    "patch": ("vision", "view=patches"),
    "permutation": ("tokens", "part=word-order"),
    "positional-encoding": ("positions", ""),
    "probability": ("decoding", ""),
    "qkv": ("inside", "inside=seven-steps"),
    "query-token": ("inside", "inside=one-query"),
    "receptive-field": ("vision", "view=convolution"),
    "relu": ("inside", "inside=feed-forward"),
    "residual-stream": ("inside", "inside=add-norm"),
    "rnn": ("history", ""),
    "rollout": ("vision", "view=layers"),
    "rope": ("positions", "facet=other-models"),
    "sampling": ("decoding", ""),
    "scaled-dot-product": ("inside", "inside=seven-steps"),
    "scores": ("inside", "inside=scaling"),
    "self-attention": ("attention", "kind=encoder"),
    "sentencepiece": ("tokens", "part=spelling"),
    "seq2seq": ("history", "part=one-vector"),
    "shifted-right": ("decoding", "part=teacher-forcing"),
    "sink": ("attention", ""),
    "softmax": ("decoding", "part=linear-softmax"),
    "span": ("positions", "facet=vectors"),
    "special-tokens": ("tokens", ""),
    "stride": ("inside", "inside=memory"),
    "sub-layer": ("inside", "inside=add-norm"),
    "teacher-forcing": ("decoding", "part=teacher-forcing"),
    "temperature": ("decoding", ""),
    "tensor": ("inside", "inside=memory"),
    "token": ("tokens", "part=spelling"),
    "top-k": ("decoding", ""),
    "top-p": ("decoding", ""),
    "uniform-attention": ("heads", ""),
    "vanishing-gradient": ("history", "part=forgetting"),
    "view": ("inside", "inside=memory"),
    "vision-transformer": ("vision", ""),
    "vocabulary": ("tokens", "part=neighbours"),
    "wavelength": ("positions", "facet=wavelengths"),
    "weights": ("inside", "inside=seven-steps"),
    "word-alignment": ("history", "part=attention-over-states"),
}
_MARKED = re.compile(r"\]\(term:([a-z0-9-]+)\)")
_LINKED = re.compile(rf'\[([^\]]*)\]\({PAGE}\?find=\S+ "[^"]*"\)')
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+)(?<=\S)\*")
_LINK = re.compile(r'\[([^\]]*)\]\((?:https?://|/|[a-z]+[?:])[^()\s]*(?: "[^"]*")?\)')
_TERM = re.compile(r"\*\*(.+?)\*\*")


def term_of(text: str) -> str:
    """The term that a definition explains."""
    match = _TERM.search(text)
    assert match is not None, "a definition begins with its term in bold"
    return match[1]


def plain_text(text: str) -> str:
    """Prose in one line without Markdown's marks, for files and text alternatives; of a link its words remain."""
    plain = _LINK.sub(r"\1", text).replace("**", "").replace("`", "").replace(JOINER, "")
    return re.sub(r"[ \t\n]+", " ", _EMPHASIS.sub(r"\1", plain)).strip()  # not of no-break spaces, as `split` does


def link_terms(text: str, explain: Callable[[str], str]) -> str:
    """Markdown in which every marked term is a link to its entry, with the definition as its title.

    `web/src/page/glossary_tooltip.ts` shows the title on hover, touch and focus.

    Args:
        explain: returns the definition for an id.
    """

    def link(match: re.Match) -> str:
        definition = explain(match[1])
        return f'](glossary?{urlencode({"find": term_of(definition)})} "{html.escape(plain_text(definition))}")'

    return _MARKED.sub(link, text)


def unlink_terms(text: str) -> str:
    """Remove the links that `link_terms` made, and what keeps lines together on a page."""
    return _LINKED.sub(r"\1", text).replace(JOINER, "")
