"""The check of what the attention viewer draws, in words."""

from __future__ import annotations

import streamlit as st

from pages.shared import checks
from pages.shared.attention_viewer.subject import Subject
from views.text import prose
from views.text.catalogue import say

_OF = {"sdpa": "", "score": "-of-a-score"}  # ends the ids of the texts on a record that is verified so


def check_line(subject: Subject) -> None:
    """The check of what is drawn."""
    st.caption(check_in_words(subject))
    with st.expander(say("shared.what-this-checks", "What this checks")):
        st.markdown(prose.block("attention_viewer", f"what-this-checks{_OF[subject.record.verified_by]}"))


def check_in_words(subject: Subject) -> str:
    """What the check of the record found, as Markdown."""
    check, kind = subject.check, subject.kind
    return prose.block(
        "attention_viewer",
        f"check{_OF[subject.record.verified_by]}",
        difference=checks.said("attention", check.max_difference),
        rows=checks.said("row sums", check.row_sum_error),
        masked_weight=checks.said("mask leak", check.masked_weight)
        if kind.causal
        else say("viewer.check.unmasked", "0, nothing is masked"),
    )
