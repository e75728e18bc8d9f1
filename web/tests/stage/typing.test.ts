import { afterEach, beforeEach, expect, test, vi } from "vitest"

import type { Words } from "../../src/views/stage/payload"
import { endsWord, LiveTyping } from "../../src/views/stage/typing"

const words = { pressEnter: "Press Enter." } as unknown as Words
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
  const send = vi.fn()
  const page = { root: document.createElement("div"), notice: document.createElement("span"), signal: ended.signal }
  const typing = new LiveTyping(page, send)
  typing.follow({ sentence, entered: sentence, words })
  return { typing, send, page }
}

test("a complete word is sent at once, a part of one after a rest", () => {
  const { typing, send } = typingOn("Hello.")
  typing.type("The cat ")
  vi.advanceTimersByTime(0)
  expect(send.mock.calls).toEqual([[1, "The cat "]])
  typing.take({ typed: 1 })
  typing.type("The cat sl")
  vi.advanceTimersByTime(499)
  typing.type("The cat sle")
  vi.advanceTimersByTime(499)
  expect(send).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1)
  expect(send).toHaveBeenLastCalledWith(2, "The cat sle")
})

test("one request is on its way at a time, and the newest text follows it", () => {
  const { typing, send } = typingOn("Hello.")
  for (const text of ["One ", "One two ", "One two three "]) {
    typing.type(text)
    vi.advanceTimersByTime(50)
  }
  expect(send).toHaveBeenCalledTimes(1)
  typing.take({ typed: 7 }) // not the answer to it
  expect(send).toHaveBeenCalledTimes(1)
  typing.take({ typed: 1 })
  expect(send.mock.calls).toEqual([[1, "One "], [2, "One two three "]])
})

test("after a late answer only Enter translates for ten seconds, and the page says so", () => {
  const { typing, send, page } = typingOn("Hello.")
  typing.type("One ")
  vi.advanceTimersByTime(401)
  typing.take({ typed: 1 })
  expect(page.notice.textContent).toBe("Press Enter.")
  typing.type("One two ")
  vi.advanceTimersByTime(9998)
  expect(send).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(2)
  expect(send).toHaveBeenLastCalledWith(2, "One two ")
  expect(page.notice.textContent).toBe("")
})

test("what is shown of an older sentence is dimmed until its translation is there", () => {
  const { typing, page } = typingOn("Hello.")
  const dimmed = () => [page.root.classList.contains("outdated"), document.documentElement.hasAttribute("data-typing")]
  expect(dimmed()).toEqual([false, false])
  typing.type("Good day. ")
  expect(dimmed()).toEqual([true, true])
  typing.follow({ sentence: "Good  day.", entered: "Hello.", words })
  expect(dimmed()).toEqual([false, true]) // the page's own translation is still the older one
  typing.follow({ sentence: "Good day.", entered: "Good day.", words })
  expect(dimmed()).toEqual([false, false])
})

test("Enter sends nothing, unless the sentence is the one that the page has", () => {
  const { typing, send } = typingOn("Hello.")
  typing.type("Hello you")
  typing.enter()
  vi.advanceTimersByTime(5000)
  expect(send).not.toHaveBeenCalled()
  typing.follow({ sentence: "Hello you", entered: "Hello.", words })
  typing.type("Hello.")
  typing.enter()
  vi.advanceTimersByTime(499)
  expect(send).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(send.mock.calls).toEqual([[1, "Hello."]])
})

test("a reason why a text is refused is shown until another sentence is entered", () => {
  const { typing, page } = typingOn("Hello.")
  typing.type("??? ")
  typing.type("a? ")
  vi.advanceTimersByTime(0)
  typing.take({ typed: 1, refused: "There is nothing to translate." })
  expect(page.notice.textContent).toBe("There is nothing to translate.")
  typing.follow({ sentence: "New.", entered: "New.", words })
  expect(page.notice.textContent).toBe("")
})

test.each([
  ["The cat ", true], ["The cat. ", true], ["The cat.", true], ["Un \u00e9t\u00e9, ", true], ["It's \u201cred\u201d ", false],
  ["The ca", false], ["", false], [" ", false], ["- ", false], ["don't ", true], ["7 ", true], ["(a cat) ", true],
])("%j ends a word: %s", (text, ends) => {
  expect(endsWord(text)).toBe(ends)
})
