/** Tokens state their language, and browsers do not translate them: on axes, in tables and in the words of a cell. */

import { readFileSync, readdirSync } from "node:fs"
import { expect, test } from "vitest"

import { dataText, markData, tokenIn } from "../src/core/dom"
import { AxisLabels, buildNumbers } from "../src/core/heatmap"
import { cellNodes, tokensIn, type Languages } from "../src/core/labels"
import { heatmapOf, type Matrix } from "../src/core/matrices"
import { TokenList, fillLocked, fillPair } from "../src/views/attention_lines/figure"
import { describeCell } from "../src/views/cell_maps/cells"
import { makeReadOut, makeSheet, STYLES } from "./attention_lines/sheets"

const CROSS: Languages = ["fr", "en"]
const MATRIX = {
  name: "map",
  rows: ["a", "le"],
  columns: ["a", "the"],
  row_title: "query",
  column_title: "key",
  languages: CROSS,
  attends: true,
  words: null,
  masked: ["", ""],
  scales: { light: ["#ffffff", "#000000"], dark: ["#000000", "#ffffff"] },
  low: 0,
  high: 1,
  top: 1,
  cursor: null,
  shape: [2, 2],
  values: Float32Array.of(0, 1, 1, 0),
} as unknown as Matrix

/** Token, language and whether it is translated, of every token in an element. */
function tokensOf(holder: Element): string[] {
  return [...holder.querySelectorAll<HTMLElement>("[data-said=token]")].map((each) => {
    return `${each.textContent} ${each.getAttribute("lang")} ${each.getAttribute("translate")}`
  })
}

function holding(...nodes: (string | Node)[]): HTMLDivElement {
  const holder = document.createElement("div")
  holder.append(...nodes)
  return holder
}

test("a token of an unknown language has none, and no other data is kept from translation", () => {
  const made = [tokenIn("fr"), tokenIn(), "number", "name", ""] as const
  const attributes = made.map((kind) => {
    const shown = dataText("x", kind)
    return [shown.dataset.said, shown.getAttribute("lang"), shown.getAttribute("translate")]
  })
  expect(attributes).toEqual([
    ["token", "fr", "no"],
    ["token", null, "no"],
    ["number", null, null],
    ["name", null, null],
    [undefined, null, null],
  ])
  expect(markData(document.createElementNS("http://www.w3.org/2000/svg", "text"), "token en").getAttribute("lang")).toBe("en")
})

test("the same word on both axes of a map has the language of its axis, also in the table and in words", () => {
  const shown = heatmapOf(MATRIX, { masked: { light: "#cccccc", dark: "#333333" } }, "light", "{name}", "{key} < {query}")
  const axes = ([shown.rows, shown.columns] as const).map((names, side) => {
    const axis = new AxisLabels(document.createElement("div"))
    axis.show(names, (label) => shown.kindOf(label, side as 0 | 1))
    axis.write(400)
    return tokensOf(axis.list)
  })
  expect(axes).toEqual([["a fr no", "le fr no"], ["a en no", "the en no"]])
  const holder = holding()
  buildNumbers(holder, shown, () => "0")
  expect(tokensOf(holder)).toEqual(["a en no", "the en no", "a fr no", "le fr no"])
  expect(tokensOf(holding(...shown.pair(1, 0)))).toEqual(["a en no", "le fr no"])
  expect(tokensOf(holding(...describeCell(MATRIX, 1, 1)))).toEqual(["le fr no", "the en no"])
  expect(tokensOf(holding(...cellNodes("{query} {key}", "\u05d0", "b", tokensIn(null))))).toEqual(["\u05d0 null no", "b null no"])
})

test("the lines state the language of both sides, of the pair and of the table", () => {
  const sheet = makeSheet({ languages: CROSS })
  const readOut = makeReadOut({}, { languages: CROSS })
  const field = holding()
  const none = () => {}
  const sides = (["query", "key"] as const).map((side, place) => {
    const names = place ? sheet.keys : sheet.queries
    const list = new TokenList(field, side, names.length, { point: none, press: none, type: none, focus: none })
    list.name(side, names, tokensIn(sheet.languages)[place]!)
    return names.map((name) => `${name} ${CROSS[place]} no`)
  })
  expect(tokensOf(field)).toEqual(sides.flat())
  const box = holding()
  fillPair(box, readOut, STYLES, [{ side: "query", place: 0 }, { side: "key", place: 1 }])
  expect(tokensOf(box)).toEqual(["le fr no", "black en no"])
  const table = holding()
  fillLocked(table, makeReadOut({ locked: { side: "query", place: 0 } }, { languages: CROSS }))
  expect(tokensOf(table)).toEqual(["1 the en no", "2 black en no", "3 cat en no"])
})

test("no view states a language in another way than by the kind of data", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => /^(core|views)\W.*\.ts$/.test(name))
  expect(files.length).toBeGreaterThan(50)
  const others = files.filter((name) => /"lang"|"translate"|\.lang = /.test(readFileSync(`src/${name}`, "utf8")))
  expect(others.map((name) => name.replaceAll("\\", "/"))).toEqual(["core/dom.ts"])
})
