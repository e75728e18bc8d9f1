"""Sentences about a pulled weight and its control, as plain text: for the home page, *Compare* and captions of files.

Tokens are in quotation marks. Where Markdown or HTML is interpreted, escape the whole sentence (`views.text.literal`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from model.pulling.pulls import PullControl, PullSweep
from model.pulling.rows import PulledTranslation
from model.tracing.head_interventions import Heads, OneHot, Pull
from model.tracing.kinds import kind_of
from model.tracing.trace import Trace
from views.text import literal
from views.text.catalogue import Message, say, say_count
from views.text.numbers import signed, three_digits

READS = Message("pull.reads", "A ribbon shows where values are read, not why a word is written.")


@dataclass(frozen=True)
class PulledPlaces:
    """The tokens by which the queries and keys of a kind of attention are named."""

    kind: str  # of attention
    queries: tuple[str, ...]  # labels; in the decoder and in cross-attention the token that is chosen at each place
    keys: tuple[str, ...]  # labels
    ids: tuple[int, ...]  # the translation before the pull; in the decoder `ids[query]` is what `queries[query]` names
    # `layers`, `heads`: how many the kind has
    layers: int
    heads: int

    @classmethod
    def of(cls, trace: Trace, kind: str) -> "PulledPlaces":
        """Name the places of a trace, which is that of the translation before the pull."""
        queries, keys = trace.axes(kind)
        if kind_of(kind).stack == "decoder":
            queries = trace.next_tokens
        layers, heads = trace.records[kind].weights.shape[:2]
        return cls(kind, tuple(queries), tuple(keys), tuple(trace.next_ids), layers, heads)

    @classmethod
    def of_ids(cls, trace: Trace, kind: str, ids: Sequence[int]) -> "PulledPlaces":
        """Name the places of another translation of a traced sentence, by its ids."""
        own = replace(cls.of(trace, kind), ids=tuple(ids))
        if kind_of(kind).stack != "decoder":
            return own
        queries, fed = map(trace.tokenizer.display, (ids, [*trace.target_ids[:1], *ids[:-1]]))
        return replace(own, queries=tuple(queries), keys=own.keys if kind == "cross" else tuple(fed))

    def query(self, place: int) -> str:
        """Name a query, from 0: its token in quotation marks, with its number if the token occurs more than once."""
        return _name(self.queries, place)

    def key(self, place: int) -> str:
        """Name a key, as `query`."""
        return _name(self.keys, place)


def _name(tokens: Sequence[str], place: int) -> str:
    if place >= len(tokens):
        return say("pull.place", "place {place}", place=place + 1)
    token = literal.visible(literal.token(tokens[place]))
    if [literal.token(each) for each in tokens].count(literal.token(tokens[place])) == 1:
        return say("pull.token", "\u201c{token}\u201d", token=token)
    return say("pull.token.numbered", "\u201c{token}\u201d (place {place})", token=token, place=place + 1)


def _quoted(token: str) -> str:
    return say("pull.token", "\u201c{token}\u201d", token=literal.visible(literal.token(token)))


def name_heads(heads: Heads, places: PulledPlaces) -> str:
    """Name the heads of a pull: all of the network, layers with all their heads, single heads."""
    by_layer = {layer: sorted({head for other, head in heads if other == layer}) for layer, _ in sorted(heads)}
    if len(by_layer) == places.layers > 1 and all(len(own) == places.heads for own in by_layer.values()):
        return say("pull.in-all", "all layers")
    names = []
    for layer, own in by_layer.items():
        if len(own) == places.heads:
            names.append(say("pull.in-layer", "layer {layer}", layer=layer + 1))
        else:
            numbers = ", ".join(str(head + 1) for head in own)
            names.append(say("pull.in-head", "layer {layer} head {heads}", layer=layer + 1, heads=numbers))
    return "; ".join(names)


def describe_pull(change: Pull | OneHot, places: PulledPlaces, set_at: str | None = None) -> str:
    """Describe a pull in one line: key, query, heads, and the number added to the score.

    Args:
        set_at: the token of the place when the pull was made; stated if the place has another one now.
    """
    values = {"key": places.key(change.key), "where": name_heads(change.heads, places)}
    if change.query is None:
        return say("pull.only.every", "Every query attends to {key} alone, {where}", **values)
    query = change.query
    values["query"] = places.query(query)
    if isinstance(change, OneHot):
        line = say("pull.only", "{query} attends to {key} alone, {where}", **values)
    elif change.delta == -math.inf:
        line = say("pull.rubbed-out", "{query} does not attend to {key}, {where}", **values)
    else:
        delta = signed(change.delta)
        line = say("pull.added", "{delta} on the score of {key} at {query}, {where}", delta=delta, **values)
    known = query < len(places.queries)
    if set_at is None or (known and literal.token(set_at) == literal.token(places.queries[query])):
        return line
    return say("pull.set-at", "{pull} (set at {token})", pull=line, token=_quoted(set_at))


def forced(pulls: int = 1) -> str:
    """State that the weights are the user's, for the page and for every exported file."""
    return say_count("pull.forced", "You forced this weight.", "You forced {count} weights.", pulls)


def mean_of_heads(heads: int) -> str:
    """State, for a mean over more than one head, that none of them has the weights that are drawn; else empty."""
    if heads < 2:
        return ""
    return say("pull.mean", "This is the mean of {heads} heads: no single head has these weights.", heads=heads)


def describe_sweep(sweep: PullSweep) -> str:
    """State which tokens the place chooses at which weights, as the scale shows."""
    parts = []
    for token, low, high in sweep.words:
        if token is None:
            return ""  # the encoder's queries choose no token
        values = {"token": _quoted(token), "low": three_digits(low), "high": three_digits(high)}
        parts.append(
            say("pull.point", "{token} at {low}", **values)
            if low == high
            else say("pull.stretch", "{token} from {low} to {high}", **values)
        )
    return say("pull.sweep", "By the weight: {words}.", words="; ".join(parts))


def is_unchanged(result: PulledTranslation, places: PulledPlaces, query: int) -> bool:
    """Whether the query chooses the same token as before, or in the encoder the translation is the same."""
    if result.chosen is None:
        return result.ids == places.ids
    return query < len(places.ids) and result.ids[query] == places.ids[query]


def describe_change(control: PullControl, pull: Pull, places: PulledPlaces) -> str:
    """State what the pull changed at its place."""
    result = control.pulled
    if is_unchanged(result, places, pull.query):
        return _still_carried(pull.heads, places)
    if result.chosen is None:
        return say(
            "pull.changed.text", "The translation becomes \u201c{text}\u201d.", text=literal.visible(result.text)
        )
    values = {"token": _quoted(result.chosen), "former": places.query(pull.query)}
    return say("pull.changed", "{token} in place of {former}.", **values)


def _still_carried(heads: Heads, places: PulledPlaces) -> str:
    by_layer = {layer: {head for other, head in heads if other == layer} for layer, _ in heads}
    if not all(len(own) == places.heads for own in by_layer.values()):
        return say("pull.unchanged.heads", "No change: the other heads and layers still carry the word.")
    if len(by_layer) < places.layers:
        return say("pull.unchanged", "No change: the other layers still carry the word.")
    return say("pull.unchanged.all", "No change, though every layer has this weight.")


def describe_others(control: PullControl, places: PulledPlaces) -> str:
    """State for how many other keys the same weight leads to the same token: the control of the pull.

    Empty where the query has no other key.
    """
    count, same = len(control.keys), len(control.same)
    if not count:
        return ""
    if control.pulled.chosen is None:
        if not same:
            return say_count(
                "pull.others.text.none",
                "The one other key does not give this translation.",
                "None of the other {count} keys gives this translation.",
                count,
            )
        return say(
            "pull.others.text.some",
            "The same weight on another token gives this translation, too, for {same} of {count}.",
            same=same,
            count=count,
        )
    token = _quoted(control.pulled.chosen)
    if not same:
        return say_count(
            "pull.others.none",
            "The one other key does not give {token}.",
            "None of the other {count} keys gives {token}.",
            count,
            token=token,
        )
    return say(
        "pull.others.some",
        "The same weight on another token also gives {token} for {same} of {count}.",
        token=token,
        same=same,
        count=count,
    )


def describe_hidden(control: PullControl, pull: Pull, places: PulledPlaces) -> str:
    """State what happens when the query attends to the pulled key in no head of any layer; empty where it must."""
    hidden, key = control.hidden, places.key(pull.key)
    if hidden is None:
        return ""
    if is_unchanged(hidden, places, pull.query):
        if hidden.chosen is None:
            return say(
                "pull.hidden.text.same", "Hiding {key} in every layer leaves the translation as it was.", key=key
            )
        values = {"key": key, "token": _quoted(hidden.chosen)}
        return say("pull.hidden.same", "Hiding {key} in every layer leaves {token}.", **values)
    if hidden.chosen is None:
        text = literal.visible(hidden.text)
        return say("pull.hidden.text", "Hiding {key} in every layer gives \u201c{text}\u201d.", key=key, text=text)
    values = {"key": key, "token": _quoted(hidden.chosen)}
    if control.pulled.chosen is not None and hidden.ids[pull.query] == control.pulled.ids[pull.query]:
        return say("pull.hidden.too", "Hiding {key} in every layer gives {token}, too.", **values)
    return say("pull.hidden.other", "Hiding {key} in every layer gives {token}.", **values)


def describe_tie(control: PullControl) -> str:
    """State that the two best tokens of the pulled place are nearly as probable as each other; empty if not."""
    if not control.nearly_tied:
        return ""
    margin = three_digits(control.pulled.margin)
    return say("pull.tied", "Nearly tied: the two best tokens differ by {margin} in probability.", margin=margin)


def describe_loss(before: float, after: float) -> str:
    """State the loss of the former translation, in nats per token, without and with the pull."""
    values = {"before": three_digits(before), "after": three_digits(after), "change": signed(after - before)}
    return say(
        "pull.loss",
        "Loss of the former translation: {before} before, {after} after ({change}) nats per token.",
        **values,
    )


def control_sentences(control: PullControl, pull: Pull, places: PulledPlaces) -> tuple[str, ...]:
    """Return what must be stated about a pull, in order: forced, change, other keys, hidden key, near tie."""
    sentences = (
        forced(),
        describe_change(control, pull, places),
        "" if is_unchanged(control.pulled, places, pull.query) else describe_others(control, places),
        describe_hidden(control, pull, places),
        describe_tie(control),
    )
    return tuple(filter(None, sentences))


def caption_of_pulls(sentence: str, pulls: Sequence[str], control: Sequence[str] = ()) -> str:
    """Return the caption of an exported file: the sentence, the pulls as `describe_pull` has them, and the control.

    Args:
        control: of the last pull, from `control_sentences`; without it only that the weights are forced.
    """
    described = "; ".join(pulls)
    rest = [forced(len(pulls)), *control[1:]] if control else [forced(len(pulls))]
    return " ".join([literal.visible(sentence), say("pull.caption", "Pulled: {pulls}.", pulls=described), *rest])
