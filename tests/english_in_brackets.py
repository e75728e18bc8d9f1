"""The English that Korean prose has in brackets after a term: where it lacks, and where it stands once more.

The rule is in docs/korean-terms.md. Terms are those of the glossary whose Korean names have brackets there, read where
they are links; in leads, which have no links, by their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from urllib.parse import unquote_plus

from views.text import glossary, prose
from views.text.catalogue import TEXT

_NAMED = re.compile(r"(.*[가-힣].*)\((.+)\)")
# a link to a term, as in the files or as on a page, with the English after it; or English in brackets after a word
_USE = re.compile(
    r"\[(?P<wording>[^\]]*)\]"
    r'\((?:term:(?P<id>[a-z0-9-]+)|glossary\?find=(?P<find>[^\s"]+) "[^"]*")\)'
    r"[*_]*(?:\((?P<english>[A-Za-z][^()]*)\))?"
    r"|\((?P<plain>[A-Za-z][A-Za-z ,-]*)\)"
)
# verbs: `제거합니다` is no term, nor is what a link calls `주목하는`
_VERB_ENDINGS = "하|합|한|할|해"
_VERBS = frozenset({"attends-to"})


@cache
def terms() -> dict[str, tuple[str, str]]:
    """Id -> Korean name and English name, of those entries of the glossary that have both."""
    definitions = prose_of("glossary").blocks
    named = {id: _NAMED.fullmatch(glossary.term_of(definitions[id])) for id in glossary.WHERE_SHOWN}
    return {id: (match[1], match[2]) for id, match in named.items() if match and id not in _VERBS}


@cache
def prose_of(page: str) -> prose.PageText:
    """Return the Korean texts of a file."""
    return prose.parse((TEXT / "ko" / f"{page}.md").read_text(encoding="utf-8"))


def names_without_english(lead: str) -> list[str]:
    """List the names of terms in a lead that it uses first without their English."""
    firsts = {
        name: re.search(rf"(?<![가-힣]){re.escape(name)}(?!{_VERB_ENDINGS})", lead) for name, _ in terms().values()
    }
    return [name for name, match in firsts.items() if match and lead[match.end() :][:1] != "("]


def links_without_english(texts: Iterable[str]) -> list[str]:
    """List the links of a page's texts, in their order, that name a term first and without its English."""
    missing, given = [], set()
    for text in texts:
        for use in _USE.finditer(text):
            if use["plain"]:
                given.add(_key(use["plain"]))
            elif (id := _id_of(use)) in terms() and re.search("[가-힣]", use["wording"]):
                known = {id, _key(terms()[id][1])}
                if not use["english"] and not known & given:
                    missing.append(f"{use['wording']} ({id}) in: {text[max(0, use.start() - 20) : use.end()]}")
                given |= known
    return missing


def repeated(lead: str, block: str) -> list[str]:
    """List the terms whose English a block has twice, or once more after the lead."""
    given = {_key(use["plain"]) for use in _USE.finditer(lead) if use["plain"]}
    again = []
    for use in _USE.finditer(block):
        if (id := use["id"]) in terms() and use["english"]:
            name = _key(terms()[id][1])
            again += [id] * (name in given)
            given.add(name)
    return again


def _id_of(use: re.Match[str]) -> str:
    return use["id"] or _ids().get(unquote_plus(use["find"]), "")


@cache
def _ids() -> dict[str, str]:
    return {
        glossary.term_of(text): id for id, text in prose_of("glossary").blocks.items() if id in glossary.WHERE_SHOWN
    }


def _key(english: str) -> str:
    """The English of a term in one form: without its plural and without what follows a comma."""
    return english.lower().partition(",")[0].removesuffix("s")
