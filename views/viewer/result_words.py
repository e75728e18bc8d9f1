"""Names of the tables, axes, units and settings of causal results, in words of the user's language."""

from ..text.catalogue import Message

TITLES = {  # class of a result -> its name
    "ActivationPatching": Message("result.title.patching", "Activation patching"),
    "PathPatching": Message("result.title.paths", "Path patching"),
    "LogitLens": Message("result.title.lens", "Logit lens"),
    "LogitAttribution": Message("result.title.logit", "Logit attribution"),
    "RepeatedIdScores": Message("result.title.repeated", "Repeated id scores"),
    "HeadAblation": Message("result.title.ablation", "Head ablation"),
    "IntegratedGradients": Message("result.title.gradients", "Integrated gradients"),
    "CompositionScores": Message("result.title.composition", "Composition scores"),
    "CopyingScores": Message("result.title.copying", "Copying scores"),
}
UNDEFINED = Message("result.undefined", "not defined")
_MESSAGES = (
    Message("result.attention-output", "attention output"),
    Message("result.attention-weights", "attention weights"),
    Message("result.biases", "biases of"),
    Message("result.cell-state", "cell state"),
    Message("result.column", "column"),
    Message("result.context-vector", "context vector"),
    Message("result.copying-score", "copying score"),
    Message("result.cross", "cross"),
    Message("result.decoder", "decoder"),
    Message("result.divergence", "divergence"),
    Message("result.duplicate", "duplicate"),
    Message("result.effect", "effect"),
    Message("result.embedding", "embedding"),
    Message("result.encoder", "encoder"),
    Message("result.feed-forward", "feed forward"),
    Message("result.feed-forward-output", "feed forward output"),
    Message("result.first", "first"),
    Message("result.frozen", "frozen"),
    Message("result.head", "head"),
    Message("result.head-output", "head output"),
    Message("result.hidden-state", "hidden state"),
    Message("result.id", "id"),
    Message("result.induction", "induction"),
    Message("result.interactions", "interactions"),
    Message("result.keys", "keys"),
    Message("result.layer", "layer"),
    Message("result.logits", "logits"),
    Message("result.mean", "mean"),
    Message("result.metric", "metric"),
    Message("result.nats", "nats"),
    Message("result.pairs", "pairs"),
    Message("result.part", "part"),
    Message("result.pixels", "pixels"),
    Message("result.position", "position"),
    Message("result.previous", "previous"),
    Message("result.probability", "probability"),
    Message("result.queries", "queries"),
    Message("result.rank", "rank"),
    Message("result.receiver", "receiver"),
    Message("result.recomputed", "recomputed"),
    Message("result.remainder", "remainder"),
    Message("result.resample", "resample"),
    Message("result.residual", "residual"),
    Message("result.rest", "rest"),
    Message("result.restored", "restored"),
    Message("result.row", "row"),
    Message("result.second", "second"),
    Message("result.sender", "sender"),
    Message("result.share", "share"),
    Message("result.standard-error", "standard error"),
    Message("result.state", "state"),
    Message("result.to-logits", "to logits"),
    Message("result.top", "top"),
    Message("result.values", "values"),
    Message("result.vision", "vision"),
    Message("result.zero", "zero"),
)
_WORDS = {message.english: message for message in _MESSAGES}
_LONGEST = max(len(english.split(" ")) for english in _WORDS)


def result_title(result: object) -> str:
    """The name of a result's class, such as "Activation patching"; of an unknown class its name in words."""
    name = type(result).__name__
    if name in TITLES:
        return TITLES[name]()
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip().capitalize()


def in_words(name: str) -> str:
    """An identifier such as `encoder_standard_error` in words: the longest known runs of its words are translated.

    What is no word of a result stays as it is, such as numbers and names of classes.
    """
    words, written = name.replace("_", " ").split(" "), []
    while words:
        sizes = range(min(_LONGEST, len(words)), 0, -1)
        size = next((size for size in sizes if " ".join(words[:size]) in _WORDS), 1)
        run, words = " ".join(words[:size]), words[size:]
        written.append(_WORDS[run]() if run in _WORDS else run)
    return " ".join(written)
