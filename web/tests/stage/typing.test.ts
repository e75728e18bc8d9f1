import { afterEach, beforeEach, expect, test, vi } from "vitest"

import type { Words } from "../../src/views/stage/payload"
import { endsWord } from "../../src/core/live_box"
import { Requests } from "../../src/core/requests"
import { LiveTyping } from "../../src/views/stage/typing"

const words = { pressEnter: "Press Enter.", tooLong: "{count} characters; at most {most}." } as unknown as Words
const limits = { characters: 30, pulls: 12 }
let ended: AbortController

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })
  ended = new AbortController()
})
afterEach(() => {
  ended.abort()
  vi.useRealTimers()
})

function typingOn(sentence: string) {
  const sent = { answer: vi.fn<(name: string, value: unknown) => void>(), unanswered: new Map<string, unknown>() }
  const page = { root: document.createElement("div"), notice: document.createElement("span"), signal: ended.signal }
  const typing = new LiveTyping(page, new Requests<{ text: string }>(sent, "type", () => {}))
  const texts = () => sent.answer.mock.calls.map(([, request]) => (request as { text: string }).text)
  const serial = () => (sent.answer.mock.lastCall![1] as { serial: number }).serial
  const follow = (shown: string, entered = sentence) =>
    typing.follow({ sentence: shown, entered, state: `state of ${entered}`, words, limits })
  const answer = (fields: object = {}, number = serial()) =>
    typing.take({ state: "", pulls: "", type: [{ serial: number, status: "done", ...fields }] })
  follow(sentence)
  return { typing, texts, serial, page, follow, answer }
}

test("a complete word is sent at once, a part of one after a rest", () => {
  const { typing, texts, answer } = typingOn("Hello.")
  typing.type("The cat ")
  vi.advanceTimersByTime(0)
  expect(texts()).toEqual(["The cat "])
  answer()
  typing.type("The cat sl")
  vi.advanceTimersByTime(499)
  typing.type("The cat sle")
  vi.advanceTimersByTime(499)
  expect(texts()).toHaveLength(1)
  vi.advanceTimersByTime(1)
  expect(texts()).toEqual(["The cat ", "The cat sle"])
})

test("one request is on its way at a time, and the newest text follows it", () => {
  const { typing, texts, serial, answer } = typingOn("Hello.")
  for (const text of ["One ", "One two ", "One two three "]) {
    typing.type(text)
    vi.advanceTimersByTime(50)
  }
  expect(texts()).toHaveLength(1)
  answer({}, serial() - 1) // not the answer to it
  expect(texts()).toHaveLength(1)
  answer()
  expect(texts()).toEqual(["One ", "One two three "])
})

test.each([["The old ho", undefined], ["The old ho is big.", 10], ["The old use is big.", 8]])(
  "half a word is not sent when an answer comes or the pause after a late one ends: %j",
  (text, caret) => {
    const { typing, texts, answer } = typingOn("Hello.")
    typing.type("The old ")
    vi.advanceTimersByTime(0)
    typing.type(text, caret)
    answer()
    vi.advanceTimersByTime(499)
    expect(texts()).toEqual(["The old "])
    vi.advanceTimersByTime(1)
    expect(texts()).toEqual(["The old ", text])
    vi.advanceTimersByTime(10_100) // late since 400 ms, so that Enter is needed until 10,400 ms
    typing.type("The old hou")
    answer()
    vi.advanceTimersByTime(499)
    expect([...new Set(texts())]).toEqual(["The old ", text])
    vi.advanceTimersByTime(1)
    expect(texts().at(-1)).toBe("The old hou")
  },
)

test("after a late answer only Enter translates for ten seconds, and the page says so", () => {
  const { typing, texts, page, answer } = typingOn("Hello.")
  typing.type("One ")
  vi.advanceTimersByTime(401)
  answer()
  expect(page.notice.textContent).toBe("Press Enter.")
  typing.type("One two ")
  vi.advanceTimersByTime(9998)
  expect(texts()).toHaveLength(1)
  vi.advanceTimersByTime(2)
  expect(texts()).toEqual(["One ", "One two "])
  expect(page.notice.textContent).toBe("")
})

test("while there is no answer the page says that Enter is needed, and the answer that comes at last is taken", () => {
  const { typing, texts, page, answer } = typingOn("Hello.")
  typing.type("One ")
  vi.advanceTimersByTime(400)
  expect(page.notice.textContent).toBe("Press Enter.")
  vi.advanceTimersByTime(30_000)
  expect(page.notice.textContent).toBe("Press Enter.")
  expect(new Set(texts())).toEqual(new Set(["One "]))
  answer()
  typing.type("One two ")
  vi.advanceTimersByTime(10_000)
  expect([page.notice.textContent, texts().at(-1)]).toEqual(["", "One two "])
})

test("what is shown of an older sentence is dimmed until its translation is there", () => {
  const { typing, page, follow } = typingOn("Hello.")
  const dimmed = () => [page.root.classList.contains("outdated"), document.documentElement.hasAttribute("data-typing")]
  expect(dimmed()).toEqual([false, false])
  typing.type("Good day. ")
  expect(dimmed()).toEqual([true, true])
  follow("Good  day.", "Hello.")
  expect(dimmed()).toEqual([false, true]) // the page's own translation is still the older one
  follow("Good day.", "Good day.")
  expect(dimmed()).toEqual([false, false])
})

test("Enter sends nothing, unless the sentence is the one that the page has", () => {
  const { typing, texts, follow } = typingOn("Hello.")
  typing.type("Hello you")
  typing.enter()
  vi.advanceTimersByTime(5000)
  expect(texts()).toEqual([])
  follow("Hello you", "Hello.")
  typing.type("Hello.")
  typing.enter()
  vi.advanceTimersByTime(499)
  expect(texts()).toEqual([])
  vi.advanceTimersByTime(1)
  expect(texts()).toEqual(["Hello."])
})

test("a reason why a text is refused is shown until another sentence is entered", () => {
  const { typing, page, follow, answer } = typingOn("Hello.")
  typing.type("??? ")
  typing.type("a? ")
  vi.advanceTimersByTime(0)
  answer({ status: "refused", reason: "There is nothing to translate." })
  expect(page.notice.textContent).toBe("There is nothing to translate.")
  follow("New.", "New.")
  expect(page.notice.textContent).toBe("")
})

test.each([["The old ho is big.", 10, false], ["The old is big.", 8, false], ["The old  is big.", 8, true], ["A. B", 3, false]])(
  "%j with the caret at %i ends a word: %s",
  (text, caret, ends) => expect(endsWord(text, caret)).toBe(ends),
)

test.each([
  ["The cat ", true], ["The cat. ", true], ["The cat.", true], ["Un \u00e9t\u00e9, ", true], ["It's \u201cred\u201d ", false],
  ["The ca", false], ["", false], [" ", false], ["- ", false], ["don't ", true], ["7 ", true], ["(a cat) ", true],
])("%j ends a word: %s", (text, ends) => {
  expect(endsWord(text)).toBe(ends)
})
