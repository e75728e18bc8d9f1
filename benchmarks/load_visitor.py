"""A simulated visitor: opens the app, types, pulls a weight, changes head and page, uploads a picture, and pauses."""

from __future__ import annotations

import asyncio
import io
import itertools
import random
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field

import numpy as np
from PIL import Image

from benchmarks.load_protocol import Client, LostConnection, RunResult
from views import navigation
from views.controls.picture_input import LABEL
from views.controls.sentence_input import DEFAULT

THINKING = (2.0, 8.0)  # seconds between two actions
ARRIVAL = 5.0  # seconds in which all visitors arrive, as when a class opens an address
PATIENCE = 300.0  # seconds after which an answer counts as missing
ACTIONS = {
    "sentence": 0.15,
    "typing": 0.10,
    "typing on a page": 0.10,
    "pull": 0.15,
    "head": 0.20,
    "page": 0.20,
    "upload": 0.10,
}
PAGES = ("", *sorted(navigation.page_ids()))
PHOTO = (1600, 1200)
# The initial choices of the maps; a browser sends all of them, half a second after the last change.
FIRST_MAP = {"kind": "encoder", "units": "tokens", "marks": "shown", "layer": "1", "head": "1", "scale": "shared"}

# A pull as the stage requests it: in the last layer, of a place and a key that every sentence has.
PULL = {"kind": "cross", "layer": "4", "head": "mean", "scope": "layer"}
FEWEST_TOKENS = 8
TYPED_WORDS = 4  # that a visitor types before a pause, each with a translation

# Nearly two thousand sentences of twelve words, so that almost no request repeats.
SUBJECTS = ("old teacher", "little sister", "tall doctor", "young farmer", "new neighbour", "tired student")
VERBS = ("bought", "found", "sold", "carried", "lost", "wanted")
OBJECTS = ("a red bicycle", "three green apples", "the morning paper", "some warm bread", "two blue chairs", "my keys")
PLACES = ("in the market last week", "near the station this morning", "on the way home yesterday")
OWNERS = ("The", "My", "Her")
SENTENCES = tuple(
    f"{owner} {subject} {verb} {thing} {place}."
    for owner, subject, verb, thing, place in itertools.product(OWNERS, SUBJECTS, VERBS, OBJECTS, PLACES)
)


@dataclass(frozen=True)
class ActionRecord:
    """One action of a visitor: its name, the time to the answer in milliseconds, and the outcome."""

    action: str
    milliseconds: float
    answer: RunResult


@dataclass
class VisitLog:
    """The record of one visit.

    Attributes:
        lost: connections that ended before the visitor left, each with the reason; the session is lost with it.
    """

    done: list[ActionRecord] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def photo(seed: int) -> bytes:
    """A JPEG of two megapixels, different for each seed."""
    coarse = np.random.default_rng(seed).integers(0, 256, (PHOTO[1] // 40, PHOTO[0] // 40, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(coarse).resize(PHOTO, Image.Resampling.BICUBIC).save(file, "JPEG", quality=85)
    return file.getvalue()


class SimulatedVisitor:
    """One visitor whose actions follow from a seed."""

    def __init__(self, url: str, seed: int, photos: list[bytes], thinking: tuple[float, float] = THINKING) -> None:
        self.log = VisitLog()
        self._random = random.Random(seed)
        self._client = Client(url)
        self._photos = photos
        self._thinking = thinking
        self._map = dict(FIRST_MAP)
        self._serial = 0
        self._sentence = DEFAULT  # that is entered

    async def stay(self, until: float, arrival: float = ARRIVAL, first: Sequence[str] = ()) -> VisitLog:
        """Arrive within `arrival` seconds, do the `first` actions, act, and leave at `until` by the loop's clock."""
        await asyncio.sleep(self._random.uniform(0, arrival))
        try:
            await self.open()
            for action in first:
                await asyncio.sleep(self._random.uniform(*self._thinking))
                await self.act(action)
            while asyncio.get_running_loop().time() < until:
                await asyncio.sleep(self._random.uniform(*self._thinking))
                await self.act()
        except (LostConnection, OSError, TimeoutError) as error:
            self.log.lost.append(f"{type(error).__name__}: {error}")
        finally:
            await self.leave()
        return self.log

    async def open(self) -> None:
        """Open the first page."""
        await self._timed("open", self._client.open())

    async def leave(self) -> None:
        """Close the tab."""
        await self._client.close()

    async def act(self, action: str | None = None) -> None:
        """Do an action, by default a random one, after a change of page if it needs another one."""
        action = action or self._random.choices(tuple(ACTIONS), ACTIONS.values())[0]
        client = self._client
        if action == "page":
            await self.change_page(self._random.choice([page for page in PAGES if page != client.page]))
        elif action == "sentence":
            await self.type(self._random.choice(SENTENCES))
        elif action == "typing":
            await self.type_slowly(self._random.choice(SENTENCES))
        elif action == "typing on a page":
            await self.type_on_page(self._random.choice(SENTENCES))
        elif action == "pull":
            await self.pull()
        elif action == "head":
            if client.page != "attention":
                await self.change_page("attention")
            self._map |= {self._random.choice(("head", "layer")): str(self._random.randint(1, 4))}
            await self._timed("head", client.send_values("attention_grid", chosen=self._map))
        else:
            if client.page != "vision" or LABEL() not in client.controls:
                await self.change_page("vision")
            content = self._random.choice(self._photos)
            if LABEL() in client.controls:  # else the page was refused, which its answer contains
                await self._timed("upload", client.upload(LABEL(), "photo.jpg", content))

    async def type(self, sentence: str) -> None:
        """Type a sentence and press Enter."""
        if "English sentence" not in self._client.controls:
            await self.change_page("")
        self._sentence = sentence
        await self._timed("sentence", self._client.type("English sentence", sentence))

    async def type_slowly(self, sentence: str) -> None:
        """Type the last words of a sentence on the home page, which translates after each of them, then press Enter."""
        await self._go_home()
        words = sentence.split()
        for count in range(len(words) - TYPED_WORDS, len(words)):
            await self._timed("typing", self._ask("type", {"text": " ".join(words[: count + 1]) + " "}))
        await self.type(sentence)

    async def type_on_page(self, sentence: str) -> None:
        """Type the last words of a sentence on *Attention*, which is run after each of them."""
        if self._client.page != "attention":
            await self.change_page("attention")
        words = sentence.split()
        for count in range(len(words) - TYPED_WORDS + 1, len(words) + 1):
            self._sentence = " ".join(words[:count])
            await self._timed("typing on a page", self._client.type("English sentence", self._sentence))

    async def pull(self) -> None:
        """Press a ribbon of the stage, release it at another weight, read its control, and take the pull back."""
        await self._go_home()
        place = {"query": self._random.randrange(FEWEST_TOKENS), "key": self._random.randrange(FEWEST_TOKENS)}
        weight = round(self._random.uniform(0.5, 1), 2)
        for action, given in (("sweep", 0), ("pull", weight), ("control", 0), ("reset", 0)):
            asked = {"text": self._sentence, "action": action, **PULL, **place, "weight": given}
            await self._timed(f"pull, {action}", self._ask("ask", asked | {"pulls": self._client.answer["pulls"]}))

    async def _go_home(self) -> None:
        if self._client.page or "stage" not in self._client.controls:
            await self.change_page("")

    async def _ask(self, name: str, asked: dict[str, object]) -> RunResult:
        """Send a request of the stage; one that is not done counts as a problem."""
        self._serial += 1
        known = {"serial": self._serial, "state": self._client.answer["state"]}
        answer = await self._client.send_values("stage", **{name: asked | known})
        if not self._is_done(name):
            answer.problems.append(f"{name} {asked.get('action', '')}: answered with {self._client.answer}")
        return answer

    def _is_done(self, name: str) -> bool:
        answers = self._client.answer.get(name, [])
        return any(each["serial"] == self._serial and each["status"] == "done" for each in answers)

    async def change_page(self, page: str) -> None:
        """Use the navigation."""
        await self._timed("page", self._client.go_to(page))

    async def _timed(self, action: str, request: Awaitable[RunResult]) -> None:
        started = time.perf_counter()
        answer = await asyncio.wait_for(request, PATIENCE)
        self.log.done.append(ActionRecord(action, 1000 * (time.perf_counter() - started), answer))
