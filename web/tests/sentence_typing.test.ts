import { afterEach, beforeEach, expect, test, vi } from "vitest"

import { LeftPage, writeHistory } from "../src/page/history"
import { SentenceTyping } from "../src/page/sentence_typing"

const root = document.documentElement
const { happyDOM } = window as unknown as { happyDOM: { setURL: (address: string) => void } }
const visit = (address: string) => happyDOM.setURL(address)
const listening = vi.spyOn(window, "addEventListener")
let [push, replace] = [vi.fn(), vi.fn()]
let sent: string[] = []
let typing: SentenceTyping
let input: HTMLInputElement

/** What Streamlit does with an input: it sends a changed text on Enter, or when the focus is lost. */
function streamlit(box: HTMLInputElement): void {
  let known = box.value
  const commit = () => {
    if (box.value !== known) sent.push((known = box.value))
  }
  box.addEventListener("keydown", ({ key }) => key === "Enter" && commit())
  box.addEventListener("focusout", commit)
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  visit("https://atlas.example/attention?text=Hello.")
  ;[push, replace, sent] = [vi.fn(), vi.fn(), []]
  const go = (_: unknown, __: string, target: string | URL) => visit(new URL(target, location.href).href)
  Object.assign(history, { pushState: push.mockImplementation(go), replaceState: replace.mockImplementation(go) })
  document.body.innerHTML = '<div class="st-key-text"><input value="Hello."></div>'
  input = document.querySelector("input")!
  streamlit(input)
  typing = new SentenceTyping(["", "circuits"], { en: "Press Enter.", "": "Press Enter." })
  writeHistory({ shared: ["text"], moved: "moved", left: new LeftPage(), onWritten: () => typing.follow() })
})
afterEach(() => {
  window.dispatchEvent(new PopStateEvent("popstate"))
  for (const [name, listener, options] of listening.mock.calls) window.removeEventListener(name, listener, options)
  listening.mockClear()
  vi.useRealTimers()
})

function type(text: string): void {
  input.value = text
  input.dispatchEvent(new InputEvent("input", { bubbles: true }))
  vi.advanceTimersByTime(0)
}
/** The page has answered: it writes its address. */
function answer(text: string, path = "/attention"): void {
  history.pushState(null, "", `${path}?${new URLSearchParams({ text }).toString()}`)
}
function leave(): void {
  input.dispatchEvent(new FocusEvent("focusout", { bubbles: true }))
}
const pushed = () => push.mock.calls.map(([, , target]) => new URL(target as string, location.href).searchParams.get("text"))
const outdated = () => root.hasAttribute("data-outdated")

test("a complete word is sent at once, a part of one after a rest, and neither makes an entry", () => {
  type("The cat ")
  expect([sent, outdated()]).toEqual([["The cat "], true])
  answer("The cat ")
  expect([pushed(), outdated(), location.search]).toEqual([[], false, "?text=The+cat+"])
  type("The cat sl")
  vi.advanceTimersByTime(499)
  expect(sent).toHaveLength(1)
  vi.advanceTimersByTime(1)
  expect(sent).toEqual(["The cat ", "The cat sl"])
  answer("The cat sl")
  expect(pushed()).toEqual([])
})

test("the newest text follows an answer, at the end of a word or after a rest", () => {
  for (const text of ["One ", "One two ", "One two three "]) type(text)
  expect(sent).toEqual(["One "])
  answer("One ")
  expect(sent).toEqual(["One ", "One two three "])
  type("One two three fo")
  answer("One two three ")
  expect([sent.length, outdated()]).toEqual([2, true])
  vi.advanceTimersByTime(500)
  expect(sent.at(-1)).toBe("One two three fo")
})

test("an entered sentence is one entry after the sentence before", () => {
  type("The cat ")
  answer("The cat ")
  type("The cat sleeps.")
  leave()
  expect(sent.at(-1)).toBe("The cat sleeps.")
  answer("The cat sleeps.")
  expect(pushed()).toEqual(["The cat sleeps."])
  expect((replace.mock.lastCall as string[])[2]).toBe("https://atlas.example/attention?text=Hello.")
})

test("a sentence whose result is there makes its entry when the box is left, or when its answer comes", () => {
  type("One. ")
  answer("One. ")
  leave()
  leave()
  expect([pushed(), sent]).toEqual([["One. "], ["One. "]])
  type("Two. ")
  leave()
  expect(pushed()).toEqual(["One. "])
  answer("Two. ")
  expect([pushed(), sent]).toEqual([["One. ", "Two. "], ["One. ", "Two. "]])
})

test("an answer to another choice does not make an entry of what is typed", () => {
  type("One ")
  history.pushState(null, "", "/attention?text=Hello.&head=2")
  answer("One ")
  history.pushState(null, "", "/attention?text=One+&head=3")
  expect(pushed()).toEqual([])
  leave()
  expect(pushed()).toEqual(["One "])
  expect((replace.mock.lastCall as string[])[2]).toBe("https://atlas.example/attention?text=Hello.&head=2")
})

test("a sentence that is typed back makes no entry, another page makes one after what was typed", () => {
  type("One. ")
  answer("One. ")
  type("Hello.")
  vi.advanceTimersByTime(500)
  answer("Hello.")
  leave()
  expect(pushed()).toEqual([])
  type("Two. ")
  answer("Two. ")
  answer("Two. ", "/heads")
  expect(push.mock.calls.map(([, , target]) => new URL(target as string, location.href).pathname)).toEqual(["/attention", "/heads"])
})

test("after a late answer only Enter sends for ten seconds, and the page says so", () => {
  type("One ")
  vi.advanceTimersByTime(401)
  expect([root.hasAttribute("data-late"), root.style.getPropertyValue("--late")]).toEqual([true, '"Press Enter."'])
  answer("One ")
  type("One two ")
  vi.advanceTimersByTime(9998)
  expect(sent).toEqual(["One "])
  vi.advanceTimersByTime(2)
  expect([sent, root.hasAttribute("data-late")]).toEqual([["One ", "One two "], false])
})

test("an entered sentence that is late is answered, and typing goes on", () => {
  type("One ")
  vi.advanceTimersByTime(401)
  type("One two.")
  leave()
  answer("One two.") // the first run was replaced
  vi.advanceTimersByTime(10_000)
  type("One two. Three ")
  expect(sent).toEqual(["One ", "One two.", "One two. Three "])
})

test("a composition is not sent before its end", () => {
  type("A")
  input.value = "A \ud558"
  input.dispatchEvent(new InputEvent("input", { bubbles: true, isComposing: true }))
  vi.advanceTimersByTime(5000)
  expect(sent).toEqual([])
  input.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true }))
  vi.advanceTimersByTime(500)
  expect(sent).toEqual(["A \ud558"])
})

test("what is doubtful in the middle of a word is not shown there", () => {
  const hidden = () => root.hasAttribute("data-mid-word")
  type("Le chat dort s")
  vi.advanceTimersByTime(500)
  expect(hidden()).toBe(true)
  document.body.insertAdjacentHTML("beforeend", '<div class="st-key-not-english"></div>')
  answer("Le chat dort s")
  type("Le chat dort sur ")
  expect(hidden()).toBe(true)
  answer("Le chat dort sur ")
  expect(hidden()).toBe(false)
  type("Le chat dort sur l")
  vi.advanceTimersByTime(500)
  expect(hidden()).toBe(false) // it was shown
})

test("another sentence of the page, Back, and pages that wait for Enter", () => {
  type("One. ")
  leave()
  answer("One. ")
  answer("An example.")
  expect([pushed(), outdated()]).toEqual([["One. ", "An example."], false])
  type("Two ")
  visit("https://atlas.example/attention?text=One.")
  window.dispatchEvent(new PopStateEvent("popstate"))
  expect(outdated()).toBe(false)
  visit("https://atlas.example/circuits?text=One.")
  type("Three ")
  expect(sent).toEqual(["One. ", "Two "])
})
