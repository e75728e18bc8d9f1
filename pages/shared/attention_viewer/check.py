"""The check of what the microscope draws, in words."""

from __future__ import annotations

import streamlit as st

from pages.shared import checks
from pages.shared.attention_viewer.subject import Subject
from views.text import prose


def check_line(subject: Subject) -> None:
    """The check of what is drawn."""
    st.caption(check_in_words(subject))
    with st.expander("What this checks"):
        st.markdown(prose.block("microscope", "What this checks"))


def check_in_words(subject: Subject) -> str:
    """What the check of the record found, as Markdown."""
    check, kind = subject.check, subject.kind
    return prose.block("microscope", "Proof").format(
        difference=checks.said("attention", check.max_difference),
        rows=checks.said("row sums", check.row_sum_error),
        masked_weight=checks.said("mask leak", check.masked_weight) if kind.causal else "0, nothing is masked",
    )
