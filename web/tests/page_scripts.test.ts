import { expect, test, vi } from "vitest"

import { LeftPage, PendingValues, writeHistory } from "../src/page/history"
import { oncePerFrame } from "../src/page/dom"
import { topOfBox } from "../src/page/experiment_scroll"
import { StreamlitWords, adoptLanguage, markSwitch, nameButtons, translation } from "../src/page/language"
import { addressOf, lessonAt, type Lesson } from "../src/page/lessons"
import { withMode } from "../src/page/presentation_mode"
import { sharedKey } from "../src/page/theme_choice"

test("the theme has one key for all pages", () => {
  expect(sharedKey("stActiveTheme-/attention-v2")).toBe("stActiveTheme-v2")
  expect(sharedKey("stActiveTheme-/a/b-v1-v12")).toBe("stActiveTheme-v12")
  expect(sharedKey("stActiveTheme-v2")).toBe("stActiveTheme-v2")
  expect(sharedKey("lessons")).toBe("lessons")
})

test("the presentation is a parameter of every address", () => {
  const base = "https://atlas.example/attention?head=1"
  expect(withMode("?head=2", base, true)).toBe("https://atlas.example/attention?head=2&present=1")
  expect(withMode("/heads?present=1&a=2", base, false)).toBe("https://atlas.example/heads?a=2")
  expect(withMode(new URL("https://atlas.example/"), base, true)).toBe("https://atlas.example/?present=1")
})

test("a button whose words are replaced has its name in the language", () => {
  document.head.innerHTML = `<style data-names='{"button": "\uc5c5\ub85c\ub4dc"}'></style>`
  document.body.innerHTML = "<button><p>Upload</p></button>"
  nameButtons()
  expect(document.querySelector("button")!.getAttribute("aria-label")).toBe("\uc5c5\ub85c\ub4dc")
  document.head.innerHTML = document.body.innerHTML = ""
  nameButtons()
})

test("a button of the switch is marked with the language of its name", () => {
  document.body.innerHTML =
    '<div class="st-key-languages"><div class="a st-key-language-pt-BR b"><button>Portugu\u00eas</button></div></div>'
  markSwitch()
  expect(document.querySelector("button")!.lang).toBe("pt-BR")
  document.body.innerHTML = ""
})

test("Streamlit's words are replaced where they are, and put back", () => {
  const words = { ko: { ".menu": { Light: "\ubc1d\uac8c", "Remove {name}": "{name} \ube7c\uae30" } } }
  const streamlit = new StreamlitWords(words)
  document.body.innerHTML =
    '<p>Light</p><div class="menu"><b> Light</b><button aria-label="Remove $& a">cat</button></div>'
  const texts = () => [...document.querySelectorAll("p, b")].map((each) => each.textContent)
  const name = () => document.querySelector("button")!.getAttribute("aria-label")
  streamlit.show("ko")
  streamlit.show("ko")
  expect([texts(), name()]).toEqual([["Light", "\ubc1d\uac8c"], "$& a \ube7c\uae30"])
  document.querySelector("button")!.setAttribute("aria-label", "Remove b") // by Streamlit
  streamlit.show("ko")
  expect(name()).toBe("b \ube7c\uae30")
  streamlit.show("en")
  expect([texts(), name()]).toEqual([["Light", " Light"], "Remove b"])
  document.body.innerHTML = ""
})

test("a text that varies is translated around what varies", () => {
  const texts = { "Search: {name}": "{name} \ucc3e\uae30", Search: "\ucc3e\uae30" }
  expect(translation("Search", texts)).toBe("\ucc3e\uae30")
  expect(translation("Search: a table", texts)).toBe("a table \ucc3e\uae30")
  expect(translation("Search: ", texts)).toBeNull()
  expect(translation("toString", texts)).toBeNull()
})

test("the document has the language that the menu names", () => {
  document.documentElement.lang = "en"
  adoptLanguage()
  expect(document.documentElement.lang).toBe("en")
  document.head.innerHTML = '<style data-language="ko"></style>'
  adoptLanguage()
  expect(document.documentElement.lang).toBe("ko")
  document.head.innerHTML = ""
})

test("a box stays where it was, unless a bar would cover it", () => {
  expect(topOfBox(300, 100, 768)).toBe(300)
  expect(topOfBox(700, 100, 768)).toBe(620) // seen whole above the bar of lessons
  expect(topOfBox(10, 100, 768)).toBe(64) // below the menu
  expect(topOfBox(300, 2000, 768)).toBe(64) // as much of it as there is room for
})

const LESSONS: Lesson[] = [
  { id: "a", number: 1, page: "tokens", key: "part", part: "sizes", first: false, name: "A", address: "lessons?lesson=a" },
  { id: "b", number: 1, page: "tokens", key: "part", part: "steps", first: true, name: "B", address: "lessons?lesson=b" },
  { id: "c", number: 1, page: "circuits", key: "", part: "", first: false, name: "C", address: "lessons?lesson=c" },
]

test("the lesson of an address; a page without a parameter opens its first part", () => {
  const at = (path: string) => lessonAt(LESSONS, new URL(path, "https://atlas.example"))
  expect(at("/tokens?part=sizes")).toBe(0)
  expect(at("/below/tokens?part=steps&text=a")).toBe(1)
  expect(at("/tokens?text=a")).toBe(1)
  expect(at("/tokens?part=other")).toBe(-1)
  expect(at("/masks?part=sizes")).toBe(-1)
  expect(at("/circuits?part=lens")).toBe(2)
})

test("the address of a lesson carries the shared parameters", () => {
  expect(addressOf(LESSONS[0]!, "?part=steps&text=a+b&lang=fr", ["text", "lang"])).toBe("lessons?lesson=a&text=a+b&lang=fr")
  expect(addressOf(LESSONS[0]!, "?part=steps", ["text"])).toBe("lessons?lesson=a")
})

test("several changes in one frame make one update", () => {
  vi.stubGlobal("requestAnimationFrame", (update: () => void) => frames.push(update))
  const frames: (() => void)[] = []
  const update = vi.fn()
  const soon = oncePerFrame(update)
  soon()
  soon()
  expect(frames).toHaveLength(1)
  frames.pop()!()
  soon()
  expect(frames).toHaveLength(1)
  expect(update).toHaveBeenCalledTimes(1)
  vi.unstubAllGlobals()
})

test("addresses of the history: an entry for another page, none for a late answer after Back", () => {
  const [push, replace, onWritten] = [vi.fn(), vi.fn(), vi.fn()]
  Object.assign(history, { pushState: push, replaceState: replace })
  writeHistory({ shared: ["text"], moved: "moved", left: new LeftPage(), onWritten })
  history.pushState(null, "", "/heads?text=a")
  expect(push).toHaveBeenCalledExactlyOnceWith(null, "", "/heads?text=a")
  history.pushState(null, "", `${location.pathname}?head=1`)
  expect(replace).toHaveBeenCalledExactlyOnceWith(null, "", `${location.pathname}?head=1`)
  expect(onWritten).toHaveBeenCalledTimes(2)

  window.dispatchEvent(new PopStateEvent("popstate"))
  history.pushState(null, "", "/heads")
  expect(push).toHaveBeenCalledTimes(1)
  document.body.append(document.createElement("a"))
  document.querySelector("a")!.click()
  history.pushState(null, "", "/heads")
  expect(push).toHaveBeenCalledTimes(2)
})

test("a late answer does not replace a choice that the server has not repeated", () => {
  const replace = vi.fn()
  Object.assign(history, { pushState: vi.fn(), replaceState: replace })
  writeHistory({ shared: ["text"], moved: "moved", left: new LeftPage(), onWritten: vi.fn() })
  const answer = (query: string) => {
    history.pushState(null, "", location.pathname + query)
    return new URL(replace.mock.lastCall![2] as string | URL, location.href).search
  }
  const choose = (detail: Record<string, string | null>) => window.dispatchEvent(new CustomEvent("choosing", { detail }))
  const late = "?kind=encoder&marks=hidden"
  choose({ marks: null, scale: "log" })
  expect(answer(late)).toBe("?kind=encoder&scale=log")
  window.dispatchEvent(new Event("telling"))
  expect(answer(late)).toBe("?kind=encoder&scale=log") // the answer to an earlier action
  expect(answer("?kind=encoder&scale=log&layer=2")).toBe("?kind=encoder&scale=log&layer=2")
  expect(answer(late)).toBe(late) // the server had repeated the choice

  choose({ scale: "log" })
  window.dispatchEvent(new Event("telling"))
  expect(answer(late)).toBe("?kind=encoder&marks=hidden&scale=log")
  expect(answer(late)).toBe(late) // the server has another opinion

  choose({ scale: "log" })
  window.dispatchEvent(new PopStateEvent("popstate")) // Back drops it
  expect(answer(late)).toBe(late)
})

test("a link waits until every pending value is sent, or for a moment", () => {
  vi.useFakeTimers()
  const followed = vi.fn()
  const pending = new PendingValues(followed)
  pending.add("component") // typed text is translated on the stage ...
  pending.add("input") // ... and its box has lost the focus
  pending.sent()
  expect([pending.any, followed.mock.calls.length]).toEqual([true, 0])
  pending.sent()
  expect([pending.any, followed.mock.calls.length]).toEqual([false, 1])
  pending.add("slider")
  pending.add("slider") // one message has its last value
  pending.sent()
  expect(followed).toHaveBeenCalledTimes(2)
  pending.add("input") // nothing to send
  vi.advanceTimersByTime(500)
  expect([pending.any, followed.mock.calls.length]).toEqual([false, 3])
  vi.useRealTimers()
})
