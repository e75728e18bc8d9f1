"""One word in many spellings, and how the tokenizer splits each."""

import unicodedata

import streamlit as st

from model.text.spelling import MAX_WORD, list_spellings, tokenize_spellings
from pages.shared import files, tables
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request
from pages.shared.texts import block, column_with_text, fold_check
from views.controls import widgets
from views.html import bars, generated_tokens
from views.text import literal
from views.text.catalogue import Message, say

SPELLINGS = {  # id of a spelling, see `model.text.spelling` -> label
    "as-typed": Message("tokens.spelling.as-typed", "as typed"),
    "lower-case": Message("tokens.spelling.lower-case", "lower case"),
    "title-case": Message("tokens.spelling.title-case", "Title Case"),
    "upper-case": Message("tokens.spelling.upper-case", "UPPER CASE"),
    "plural": Message("tokens.spelling.plural", "plural"),
    "doubled": Message("tokens.spelling.doubled", "a letter doubled"),
    "swapped": Message("tokens.spelling.swapped", "two letters swapped"),
    "first-missing": Message("tokens.spelling.first-missing", "first letter missing"),
    "accents": Message("tokens.spelling.accents", "with accents"),
    "apart": Message("tokens.spelling.apart", "letters apart"),
    "other": Message("tokens.spelling.other", "your other spelling"),
}


def render(request: Request) -> None:
    """Show one word in many spellings."""
    tokenizer = request.service.model.tokenizer
    with column_with_text("tokens", "spelling"):
        with st.container(horizontal=True):
            word = widgets.text(say("tokens.word", "Word"), "word", "cat", say("tokens.word.placeholder", "A word"))
            label = say("tokens.other", "One more spelling, in any script")
            hint = say("tokens.other.placeholder", "Another spelling")
            other = widgets.text(label, "other", "\uace0\uc591\uc774", hint)
        problem = refusal_message(word) or (refusal_message(other) if other.strip() else "")
        if problem:
            st.warning(problem)
            return
        rows = tokenize_spellings(tokenizer, [*list_spellings(word), ("other", other)])
        spelled = [row.text for row in rows]
        token_texts = [" | ".join(map(literal.token, row.tokens)) for row in rows]
        chips = [bars.Cell(generated_tokens.chips(row.tokens, "encoder")) for row in rows]
        columns = [
            tables.TableColumn(
                say("tokens.spelling.column.spelling", "spelling"), [SPELLINGS[row.name]() for row in rows]
            ),
            tables.name_column(say("tokens.spelling.column.text", "text"), spelled),
            tables.TableColumn(say("tokens.spelling.column.count", "count"), [len(row.tokens) for row in rows]),
            tables.TableColumn(say("tokens.spelling.column.common", "in common"), [row.shared for row in rows]),
            tables.TableColumn(say("tokens.spelling.column.tokens", "tokens"), token_texts, chips),
        ]
        tables.render_table(columns, say("tokens.spelling.table", "Tokens of each spelling"))
        label = say("tokens.spelling.csv", "Spellings as CSV")
        files.csv_and_table(*tables.header_and_rows(columns), "spellings", label)
    ids = {row.name: row.ids for row in rows}
    upper, lower = (ids.get(name, ids["as-typed"]) for name in ("upper-case", "lower-case"))
    result = {"upper": len(upper), "lower": len(lower), "common": len({*upper} & {*lower})}
    render_experiment("tokens-spelling", {"word": word.upper()}, result if word == word.upper() else None)
    normal = [" ".join(filter(None, unicodedata.normalize("NFKC", row.text).split(" "))) for row in rows]
    back = sum(tokenizer.decode(row.ids) == text for row, text in zip(rows, normal, strict=True))
    fold_check("tokens", "spelling-check", back=back, all=len(rows))
    texts = {row.name: row.text for row in rows}
    render_program("tokens", "spelling", word=texts["as-typed"], other=texts.get("other", texts["as-typed"]))


def refusal_message(word: str) -> str:
    """Return why `word` cannot be split here, as Markdown; empty if it can."""
    if not any(unicodedata.category(char)[0] not in "CZ" for char in word):
        return literal.markdown(say("tokens.word.none", "There is no word to split yet: type one."))
    return block("tokens", "too-long", length=len(word), most=MAX_WORD) if len(word) > MAX_WORD else ""
