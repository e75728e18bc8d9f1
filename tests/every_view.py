"""The list of every view of the app: a page with one of its parts open, for tests that visit all views.

`tests/browser/test_walk.py` compares it with the pages, so that no new part is missing here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlencode

from views import navigation

# Each page by its folder's name: the parameter that selects a part, and the parts; the first is the default.
PARTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "translate": ("", ()),
    "attention": ("look", ("maps", "lines", "one-weight")),
    "heads": ("", ()),
    "compare": ("b", ("changed", "other")),
    "attribution": ("", ()),
    "circuits": ("part", ("patching", "paths", "noise", "lens", "logit", "states")),
    "lessons": ("", ()),
    "history": (
        "part",
        (
            "one-word",
            "forgetting",
            "gates",
            "one-vector",
            "attention-over-states",
            "without-projections",
            "recurrence",
            "ladder",
        ),
    ),
    "tokens": (
        "part",
        ("step-by-step", "neighbours", "dimensions", "spelling", "contexts", "word-order", "sizes"),
    ),
    "positions": (
        "facet",
        (
            "table",
            "wavelengths",
            "why-sinusoids",
            "similarity",
            "rotation",
            "orthogonality",
            "basis",
            "vectors",
            "other-models",
            "trained-model",
            "compared",
        ),
    ),
    "masks": ("masks", ("your-sentence", "causality", "padding")),
    "inside": ("inside", ("seven-steps", "one-query", "heads", "memory", "scaling", "feed-forward", "add-norm")),
    "decoding": ("part", ("step-by-step", "linear-softmax", "teacher-forcing", "beam-search", "kv-cache", "one-stack")),
    "loss": ("part", ("token-by-token", "smoothing-gradient", "training-curves", "heads-that-form")),
    "glossary": ("", ()),
    "vision": (
        "view",
        (
            "patches",
            "cls",
            "any-patch",
            "layers",
            "positions",
            "convolution",
            "heads",
            "causes",
            "full-maps",
            "what-if",
        ),
    ),
    "models": ("", ()),
}


@dataclass(frozen=True)
class View:
    """A page with a part open.

    Attributes:
        page: name of the page's folder.
        key: the parameter of the address that selects a part; empty on a page of one part.
        part: id of the part; empty on a page of one part.
        more: further settings that show more of the part than the defaults.
    """

    page: str
    key: str = ""
    part: str = ""
    more: dict[str, str] = field(default_factory=dict, hash=False)

    @property
    def id(self) -> str:
        """A name for reports and for choosing tests: page, part and further settings."""
        return "/".join(filter(None, (self.page, self.part, *self.more.values())))

    @property
    def settings(self) -> dict[str, str]:
        """The parameters of its address except sentence and picture; none for the first part."""
        return ({} if self.opens_first else {self.key: self.part}) | self.more

    @property
    def place(self) -> int:
        """Index of the part among those of its page."""
        return PARTS[self.page][1].index(self.part)

    @property
    def opens_first(self) -> bool:
        """Whether the page opens with this part."""
        return self.part in ("", *PARTS[self.page][1][:1])

    @property
    def path(self) -> str:
        """Of its address, without the slash at the beginning."""
        return "" if self.page == HOME else self.page

    def address(self, **more: str) -> str:
        """Path and query, without the slash at the beginning."""
        query = urlencode(self.settings | more)
        return f"{self.path}?{query}" if query else self.path


PAGES = {place.id: place.title() for place in navigation.PAGES}  # in the menu's order
HOME = next(iter(PAGES))


def _each_part() -> Iterator[View]:
    for page in PAGES:
        key, parts = PARTS[page]
        yield from [View(page, key, part) for part in parts] or [View(page)]


VIEWS = tuple(_each_part())
# Parts with something large that is shown only after a further choice.
UNFOLDED = (
    View("vision", "view", "layers", {"integrate": "600"}),
    View("vision", "view", "causes", {"cause": "logit"}),
    View("vision", "view", "causes", {"cause": "patching", "patchlayer": "5"}),
    View("vision", "view", "causes", {"cause": "noise", "samples": "2"}),
    View("circuits", "part", "patching", {"headcells": "each"}),
    View("circuits", "part", "states", {"network": "lstm-vector"}),
    View("attribution", "", "", {"integrate": "12"}),
    View("heads", "", "", {"replacement": "resample"}),
    View("attention", "look", "maps", {"units": "words"}),
    View("history", "part", "one-vector", {"bottleneck": "lengths"}),
    View("history", "part", "one-vector", {"bottleneck": "clauses"}),
    View("history", "part", "attention-over-states", {"attending": "ribbons"}),
    View("history", "part", "attention-over-states", {"attending": "beside"}),
    View("history", "part", "attention-over-states", {"attending": "viewer"}),
    View("tokens", "part", "step-by-step", {"step": "positions"}),
    View("decoding", "part", "beam-search", {"nodes": "all"}),
    View("decoding", "part", "teacher-forcing", {"forced_input": "tokens"}),
    View("decoding", "part", "one-stack", {"one_stack": "copying", "text": "Tom was born in Boston in 1987."}),
    View("decoding", "part", "one-stack", {"one_stack": "prefix"}),
    View("decoding", "part", "one-stack", {"one_stack": "scores"}),
    View("positions", "facet", "table", {"cells": "angles", "form": "column", "length": "8", "width": "4"}),
    View("positions", "facet", "vectors", {"space": "pair"}),
    View("positions", "facet", "other-models", {"numbered": "learned"}),
    View("positions", "facet", "compared", {"rivals": "lengths"}),
    View("positions", "facet", "compared", {"rivals": "shuffled"}),
    View("inside", "inside", "add-norm", {"dropped": "1 feed-forward, inside"}),
)
