// @vitest-environment happy-dom
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"

import { filled } from "../src/core/dom"
import { fitLabel, isolated, writeSentence } from "../src/core/labels"

const NAMES = ["\u05e9\u05dc\u05d5\u05dd", "12", "(abc)", "\u0645\u0631\u062d\u0628\u0627", "\u07d0", "\u{1e900}"]

test("labels from right to left are isolated, others are not changed", () => {
  expect(NAMES.map((name) => isolated(name) !== name)).toEqual([true, false, false, true, true, true])
})

test("isolated labels get elements of their own, and the sentence keeps its order", () => {
  const shown = document.createElement("p")
  writeSentence(shown, `${isolated(NAMES[0]!)} attends to: ${NAMES.slice(1, 4).map(isolated).join(" 0.1, ")} 0.2`)
  expect([...shown.querySelectorAll("bdi")].map(({ textContent }) => textContent)).toEqual([NAMES[0], NAMES[3]])
  expect(shown.textContent).toBe(`${NAMES[0]} attends to: 12 0.1, (abc) 0.1, ${NAMES[3]} 0.2`)
})

test("Python isolates the same characters", () => {
  const read = (file: string, pattern: RegExp) => pattern.exec(readFileSync(file, "utf8"))![1]!.toLowerCase()
  const here = read("src/core/labels.ts", /RIGHT_TO_LEFT = \/(\[.*\])\/u/).replace(/\\u\{(\w+)\}/g, (_, code: string) => `\\u${code}`)
  const there = read("../views/text/literal.py", /_RIGHT_TO_LEFT = re.compile\(\s*"(.*)"/).replace(/\\u0{3}/g, "\\u")
  expect(here).toBe(there)
})

test("a label is cut to what fits, and whole if it fits", () => {
  const measure = (text: string) => 10 * [...text].length
  expect(fitLabel("hash", 40, measure)).toBe("hash")
  expect(fitLabel("0f".repeat(64), 60, measure)).toBe("0f0f0\u2026")
  expect(fitLabel("ab cd", 40, measure)).toBe("ab\u2026")
  expect(fitLabel("\u{1f600}".repeat(9), 35, measure)).toBe("\u{1f600}\u{1f600}\u2026")
  expect(fitLabel("long", 1, measure)).toBe("l\u2026")
})

test("values of a sentence are isolated where it is filled, each once", () => {
  const name = NAMES[0]!
  expect(filled("{token} attends to {key}: {count}", { token: name, key: "a", count: 1234 })).toBe(
    `\u2068${name}\u2069 attends to a: 1,234`,
  )
  expect(filled("{token}", { token: isolated(name) })).toBe(isolated(name))
})
