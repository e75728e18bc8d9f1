import { beforeEach, expect, test } from "vitest"

import { readPlace, type SentPlace, type StagePayload } from "../../src/views/stage/payload"
import { Candidates } from "../../src/views/stage/rail"

const words = { nowText: "Now", was: "was", draw: "Draw", model: "Model", candidates: "Candidates", hold: "" }
const sent: SentPlace = [0.99995, "noir", 0.99995, "de", 0.003857, "des", 0.0000626, "un", 0.0000213, "le", 3.2e-9]
const payload = (changed: object) =>
  ({ words, places: [readPlace(sent)], french: ["noir"], pulled: null, drawn: null, ...changed }) as unknown as StagePayload

/** The numbers of each row, as they are written. */
const rows = (shown: StagePayload) => {
  new Candidates(document.body).show(shown, 0)
  return [...document.querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll(".number")].map((cell) => cell.textContent))
}

beforeEach(() => document.body.replaceChildren())

test("a probability has three digits of its own, however small it is", () => {
  expect(rows(payload({}))).toEqual([["1.00"], ["0.00386"], ["6.26e\u22125"], ["2.13e\u22125"], ["3.20e\u22129"]])
})

test("candidates state that they are French, and no browser translates them", () => {
  rows(payload({}))
  const names = [...document.querySelectorAll<HTMLElement>("tbody th")]
  expect(names.map((name) => [name.lang, name.dataset.said, name.getAttribute("translate")])).toEqual(
    names.map(() => ["fr", "token", "no"]),
  )
})

test("so has the probability before a pull", () => {
  const pulled = { query: 0, kind: "cross", former: [0.5, 0.0000213, 0.00012349, 0.003857, 0] }
  expect(rows(payload({ pulled })).map(([, was]) => was)).toEqual(["0.500", "2.13e\u22125", "1.23e\u22124", "0.00386", "0"])
})

test("and the probability with which sampling draws it", () => {
  const drawn = [[0.999, 0.00085649, 0.0000004, 0, 0]]
  expect(rows(payload({ drawn })).map(([draw]) => draw)).toEqual(["0.999", "8.56e\u22124", "4.00e\u22127", "0", "0"])
})
