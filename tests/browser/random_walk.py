"""Random walks through the app, compared with a simple model of the view after each step.

The model does not know how settings are stored: what all pages share, what each page has of its own, and the entries
of the history, each a picture of the view when it was left.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qs, urlencode, urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.choices import choose, option
from tests.browser.conftest import open_page, ready
from tests.browser.menu import link_to
from views import navigation
from views.controls import samples, sentence_input

SENTENCES = ("I am a student.", "Where did you learn to cook?", "She & he #1 = 100%+.", "Caf\u00e9 \u2603")


@dataclass(frozen=True, eq=False)
class Choice:
    """A setting of some options in a row of buttons."""

    name: str
    options: dict[str, str]  # id -> label of its button
    first: str
    always_in_url: bool = False  # in the address once it was chosen, the first one, too


METHOD = Choice("method", {"greedy": "Greedy", "beam": "Beam"}, "greedy")
KIND = Choice("kind", {"encoder": "Encoder", "decoder": "Decoder", "cross": "Cross"}, "cross", True)
UNITS = Choice("units", {"tokens": "Tokens", "words": "Whole words"}, "tokens")
SHARED = (METHOD, KIND, UNITS)
# Each page of the walks: its path, its title, the shared settings that it shows, its own ones.
PAGES = {
    "Attention Atlas": ("/", (METHOD,), ()),
    "Attention": (
        "/attention",
        (METHOD, KIND, UNITS),
        (
            Choice("scale", {"shared": "Shared", "own": "Per head", "log": "Logarithmic"}, "shared", True),
            Choice("marks", {"shown": "Shown", "hidden": "Hidden"}, "shown"),
        ),
    ),
    "Tokens": ("/tokens", (), (Choice("step", {"tokens": "1 Tokens", "ids": "2 Ids"}, "tokens"),)),
    "Lessons": ("/lessons", (), ()),  # the way to Tokens
    "Heads": ("/heads", (METHOD,), (Choice("sort", {"effect": "Effect", "label": "Label"}, "effect"),)),
    "Vision": ("/vision", (), (Choice("view", {"patches": "Patches", "any-patch": "Any patch"}, "patches"),)),
}
VISION = "Vision"
WITHOUT_SENTENCE = (VISION, "Lessons")  # a lesson opens with its own sentence
FOUND = ("layer", "head")  # settings that *Attention* chooses for each sentence


@dataclass(frozen=True)
class View:
    """A page, the settings chosen for all pages, and those chosen for this one."""

    page: str = "Attention Atlas"
    shared: dict[str, str] = field(default_factory=lambda: {"text": sentence_input.DEFAULT})
    own: dict[str, str] = field(default_factory=dict)

    @property
    def address(self) -> tuple[str, dict[str, list[str]]]:
        named = {KIND.name: KIND.first} if self.page == "Attention" else {}
        return PAGES[self.page][0], {name: [value] for name, value in (named | self.shared | self.own).items()}

    def opened_by_address(self) -> View:
        """Return the view with all that its address names as chosen."""
        kind = {KIND.name: KIND.first} if self.page == "Attention" else {}
        return replace(self, shared=kind | self.shared)

    def controls(self) -> Iterator[tuple[Choice, str]]:
        """Yield the rows of buttons on the page, each with the selected option."""
        _, shared, own = PAGES[self.page]
        for choice in shared:
            yield choice, self.shared.get(choice.name, choice.first)
        for choice in own:
            yield choice, self.own.get(choice.name, choice.first)


class Model:
    """The expected state of a visit."""

    def __init__(self, view: View) -> None:
        self.forget(view)
        self.history, self.place = [view], 0

    def forget(self, view: View) -> None:
        """Reset the visit to this view."""
        self.view = view
        self.own = {view.page: view.own}

    def become(self, view: View, entry: bool) -> None:
        """Change the view, with or without a new history entry."""
        self.view = view
        self.own[view.page] = view.own
        if entry:
            self.place += 1
            del self.history[self.place :]
            self.history.append(view)
        self.history[self.place] = view

    def go(self, page: str) -> None:
        own = self.own.get(page, {})
        if page == VISION:
            own = {"picture": samples.NAMES[0]} | own
        self.become(View(page, self.view.shared, own), entry=page != self.view.page)

    def write(self, text: str) -> None:
        self.become(replace(self.view, shared=self.view.shared | {"text": text}), text != self.view.shared["text"])

    def choose(self, choice: Choice, value: str) -> None:
        shared = choice in SHARED
        before = dict(self.view.shared if shared else self.view.own)
        if value == before.get(choice.name, choice.first):
            return
        before.pop(choice.name, None)
        if value != choice.first or choice.always_in_url:
            before[choice.name] = value
        self.become(replace(self.view, **{"shared" if shared else "own": before}), entry=False)

    def show_picture(self, name: str) -> None:
        self.become(replace(self.view, own=self.view.own | {"picture": name}), name != self.view.own["picture"])

    def move(self, by: int) -> None:
        self.place += by
        self.view = self.history[self.place] = self.history[self.place].opened_by_address()
        self.own[self.view.page] = self.view.own


def _first(title: str) -> str:
    """Return the first page of the section that contains a page."""
    return navigation.section_of(next(place for place in navigation.PAGES if place.title() == title)).pages[0].title()


class Walk:
    """One walk of one visitor: every step is done in the browser and in the model."""

    def __init__(self, browser: Browser, url: str, seed: int) -> None:
        self.browser, self.url, self.random = browser, url, random.Random(seed)
        self.steps: list[str] = []
        self.context = self._context()
        self.page = self.context.new_page()
        self.model = Model(View())
        open_page(self.page, url)
        self.check(self.page)

    def _context(self) -> BrowserContext:
        return self.browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")

    def step(self) -> None:
        """Do a random action and check the page."""
        view, chance = self.model.view, self.random
        actions: list[Callable[[], None]] = [self._menu, self._menu]
        actions += [self._choose] * 3 if any(view.controls()) else []
        actions += [self._picture] * 2 if view.page == VISION else []
        actions += [self._write] * 2 if view.page not in WITHOUT_SENTENCE else []
        actions += [self._back] * 2 if self.model.place else []
        actions += [self._forward] * 2 if self.model.place + 1 < len(self.model.history) else []
        actions += [self._reload, self._copy, self._leave]
        chance.choice(actions)()
        self.check(self.page)

    def check(self, page: Page) -> None:
        """Assert that the address, the sentence and every control agree with the model."""
        view = self.model.view
        expect(page.locator('[data-testid="stMain"] h1')).to_have_text(view.page)
        ready(page)
        path, query = view.address
        expected = [path, sorted([name, *values] for name, values in query.items())]
        page.wait_for_function(
            """([expected, found]) => {
                const settings = [...new URLSearchParams(location.search)].filter(([name]) => !found.includes(name))
                return JSON.stringify([location.pathname, settings.sort()]) === JSON.stringify(expected)
            }""",
            arg=[expected, FOUND],
        )
        address = urlsplit(page.url)
        settings = {name: values for name, values in parse_qs(address.query).items() if name not in FOUND}
        assert (address.path, settings) == (path, query)
        if view.page not in WITHOUT_SENTENCE:
            expect(page.get_by_label("English sentence")).to_have_value(view.shared["text"])
        elif view.page == VISION:
            page.locator(f'.strip-root[data-shown="{view.own["picture"]}"]').wait_for()
        for choice, value in view.controls():
            expect(option(page, choice.options[value])).to_be_checked()

    def _note(self, what: str) -> None:
        self.steps.append(what)

    def _menu(self) -> None:
        title = self.random.choice([title for title in PAGES if title != self.model.view.page])
        self._note(f"menu {title}")
        first, open_first = (_first(name) for name in (title, self.model.view.page))
        if first != open_first and first != title:
            self.model.go(first)
        link_to(self.page, title).click()
        self.model.go(title)

    def _write(self) -> None:
        text = self.random.choice(SENTENCES)
        self._note(f"write {text}")
        box = self.page.get_by_label("English sentence")
        box.fill(text)
        box.press("Enter")
        self.model.write(text)

    def _choose(self) -> None:
        choice, _ = self.random.choice(list(self.model.view.controls()))
        value = self.random.choice(list(choice.options))
        self._note(f"{choice.name} {value}")
        choose(self.page, choice.options[value])
        self.model.choose(choice, value)

    def _picture(self) -> None:
        sample = self.random.choice(samples.SAMPLES)
        self._note(f"picture {sample.id}")
        self.page.get_by_role("radio", name=sample()).click()
        self.model.show_picture(sample.id)

    def _back(self) -> None:
        self._note("back")
        self.page.go_back()
        self.model.move(-1)

    def _forward(self) -> None:
        self._note("forward")
        self.page.go_forward()
        self.model.move(1)

    def _reload(self) -> None:
        self._note("reload")
        self.page.reload()
        self.model.forget(self.model.view.opened_by_address())

    def _copy(self) -> None:
        """Check that another visitor sees the same view by the link, and that nothing changes here."""
        self._note("copy")
        context = self._context()
        other = context.new_page()
        open_page(other, self.page.url)
        self.check(other)
        context.close()

    def _leave(self) -> None:
        """Continue in another browser, with the link."""
        self._note("leave")
        path, query = self.model.view.address
        self.context.close()
        self.context = self._context()
        self.page = self.context.new_page()
        open_page(self.page, f"{self.url}{path}?{urlencode(query, doseq=True)}")
        self.model = Model(self.model.view.opened_by_address())
