"""The page *Glossary*: every term of the papers and the tutorials, with a link to the section that shows it."""

import re
from urllib.parse import urlencode

import streamlit as st

from views.controls import widgets
from views.html import term_list
from views.text import catalogue, glossary, prose
from views.text.catalogue import Untranslated, say
from views.url_state import bound_settings

PAGE = glossary.PAGE


def render() -> None:
    """Render the search box and the matching terms."""
    st.title(prose.title(PAGE), anchor=False)
    st.markdown(prose.lead(PAGE))
    label = say("glossary.find", "Find a term")
    query = widgets.text(label, "find", "", say("glossary.any", "all terms"), width=360)
    with catalogue.using_language(catalogue.ENGLISH):
        english = {id: glossary.term_of(prose.block(PAGE, id)) for id in glossary.WHERE_SHOWN}
    entries = [
        term_list.GlossaryEntry(Untranslated(glossary.term_of(text))(), text, *_link(id), english[id])
        for id, text in _texts_by_term().items()
    ]
    matches = term_list.matching_entries(entries, query)
    if matches:
        st.html(term_list.terms_html(matches))
    else:
        st.info(prose.block("glossary", "none"))


def _texts_by_term() -> dict[str, str]:
    """Return the texts of all terms, by id, sorted by the terms' names."""
    texts = {id: prose.block(PAGE, id) for id in glossary.WHERE_SHOWN}
    return dict(sorted(texts.items(), key=lambda item: re.sub(r"\W", "", glossary.term_of(item[1])).casefold()))


def _link(id: str) -> tuple[str, str]:
    """Return title and address of the section that shows a term, with the user's own sentence."""
    page, query = glossary.WHERE_SHOWN[id]
    keep = urlencode(bound_settings.shared_query(), doseq=True)
    title = prose.title(page) if page != "translate" else say("menu.home", "Translate")
    return title, f"{'.' if page == 'translate' else page}?{'&'.join(filter(None, (query, keep)))}"


render()
