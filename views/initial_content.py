"""The content of a page before Streamlit runs: the default sentence, its translation, on some pages a component."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from . import initial_component, streamlit_internals
from .components.html_export import ComponentSnapshot
from .html import generated_tokens
from .text import literal
from .text.catalogue import say
from .url_state.session_state import LANGUAGE, TEXT

_TO = "fr"  # the language of translations

# The sentence in its box and the translation, where the page will have them. They remain until it has, or has an error,
# at most for 10 seconds from its first element on: that animation has a name of its own, so that it starts then.
_CONTENT = """<style>
@font-face {{font-family: "Source Sans"; font-weight: 100 900; src: url("{font}") format("woff2")}}
.first {{padding-top: 7.75rem}}
.first h1 {{padding-bottom: .2rem; margin: 0}}
.first label {{display: block; font-size: .875rem; height: 1.75rem}}
.first > div.box {{font-size: .875rem; line-height: 2.5rem; padding: 0 .8rem; margin: 0 0 1rem; border-radius: 4px;
  background: var(--box); overflow: hidden; text-overflow: ellipsis; white-space: nowrap}}
@keyframes first-may-leave {{to {{visibility: hidden}}}}
@media (min-width: 1200px) {{.first {{padding-top: 5rem}}}}
@media (max-width: 640px) {{.first {{padding-top: 8rem}}}}
body:has([data-testid=stMain] [data-testid=stElementContainer]) > .first {{display: block;
  animation: first-may-leave 0s 10s forwards}}
body:has([data-testid=stMain] :is([data-testid=stAlert], [data-testid=stException])) > .first {{display: none}}
</style><label>{label}</label><div{token} class="box" lang="en">{sentence}</div>{translation}{below}"""

# Below the translation: an outline, or a component, whose script removes all of this.
# The home page has its title, its purpose and its links in one line: see web/src/page/content.css.
_CONTENT_OUTLINE = f"""<style>
.first {{display: flex; flex-flow: row wrap; align-items: baseline; align-content: flex-start; gap: .5rem 1rem;
  padding-inline: 2.5rem}}
.first > * {{flex: 0 0 100%; box-sizing: border-box}}
.first h1 {{flex: 0 0 auto; font-size: 1.5rem; padding: 0}}
.first > p {{flex: 1 1 20rem; margin: 0; padding-right: 379px}}
.first > label {{display: none}}
.first > div.box {{margin: 0}}
.first > div:last-child {{height: 30rem; margin: 0}}
body:has([data-testid=stMain] [data-testid=stElementContainer]) > .first {{display: flex}}
@media (max-width: 863px) {{
  .first {{padding-inline: 1rem}}
  .first > p {{margin-bottom: 1.75rem; padding: 0}}
}}
@media (max-width: 640px) {{.first > p {{margin-top: -.5rem}}}}
body:has([data-testid=stMain] [lang={_TO}]):has([data-testid=stMain] input) > .first {{display: none}}
</style><div></div>"""
_VIEW = """<style>
.first {overflow: hidden}
.first > div.box {width: calc(62.5% - 1rem); box-sizing: border-box}
.first > section {margin: 1rem 0 0}
@media (max-width: 640px) {
  .first > div.box {width: auto; margin-bottom: 4.9375rem}
  .first > section {margin-top: 5rem}
}
</style>"""


@dataclass(frozen=True)
class InitialContent:
    """The default sentence of a page and its translation."""

    sentence: str
    translation: str
    view: ComponentSnapshot | None = None  # the component below the translation, on a page that begins with one
    # what the page opens with and then writes into its address
    settings: Mapping[str, str] = field(default_factory=dict)

    def is_for(self, query: dict[str, list[str]]) -> bool:
        """Whether the query of a request asks for this sentence and for no other setting but the language."""
        sentence = {TEXT: [self.sentence]}
        written = sentence | {name: [value] for name, value in self.settings.items()}
        return {name: values for name, values in query.items() if name != LANGUAGE} in ({}, sentence, written)


def content_html(content: InitialContent) -> str:
    """The content as HTML in the current language, for an element of the class `first`."""
    font = streamlit_internals.font_file()
    return _CONTENT.format(
        font=f"./static/media/{font.name}" if font else "",
        label=literal.html(say("sentence.label", "English sentence")),
        token=literal.TOKEN,
        sentence=literal.html(content.sentence),
        translation=generated_tokens.labelled_sentence(say("translation", "Translation"), content.translation, _TO),
        below=_VIEW + initial_component.component_html(content.view) if content.view else _CONTENT_OUTLINE,
    )
