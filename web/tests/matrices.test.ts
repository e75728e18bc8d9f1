import { expect, test } from "vitest"

import { packed } from "../src/core/colour"
import { cellName, decode, heatmapOf, isOperator, type Matrix } from "../src/core/matrices"
import { floats, pack } from "./packing"

const AXES = { rows: ["the", "cat"], columns: [], row_title: "query", column_title: "key" }

test("the numbers of a payload belong to its matrices by their places, operators have none", () => {
  const items = [{ name: "A" }, { sign: "\u00d7" }, { name: "B" }]
  const bytes = pack({ items, theme: "light" }, { 0: floats([2, 1], 1, 2), 2: floats([1, 2], -Infinity, 0.5) })
  const { items: read, theme } = decode<{ theme: string }>(bytes)
  expect(theme).toBe("light")
  expect(read).toEqual([
    { name: "A", shape: [2, 1], values: Float32Array.of(1, 2) },
    { sign: "\u00d7" },
    { name: "B", shape: [1, 2], values: Float32Array.of(-Infinity, 0.5) },
  ])
  expect(read.filter(isOperator)).toEqual([{ sign: "\u00d7" }])
})

const SETTINGS = {
  masked: { light: "#888888", dark: "#777777" },
  allowed: 150,
}

function matrix(values: number[], more: Partial<Matrix> = {}): Matrix {
  const scales = { light: ["#000000", "#ffffff"], dark: ["#ffffff", "#000000"] }
  const ends = { low: -1, high: 1, top: null, wide: false, paint: false, cursor: null, words: null, scales }
  const masked = ["\u2212\u221e", "masked"] as const
  return { name: "M", ...AXES, ...ends, masked, shape: [1, values.length], values: Float32Array.from(values), ...more }
}

test("a heatmap of a matrix has the shades of its numbers, and their text with all digits of float32", () => {
  const shown = heatmapOf(matrix([-1, 0, 1, 7, -Infinity]), SETTINGS, "light", "{name}, {rows} by {columns}")
  expect([-1, 0, 1, 7].map(shown.shade)).toEqual([0, 128, 255, 255])
  expect([shown.colours[0], shown.colours[255], shown.grey]).toEqual(["#000000", "#ffffff", "#888888"].map(packed))
  expect([shown.write(Math.fround(0.1)), shown.masked, shown.text!.masked]).toEqual(["0.1", "\u2212\u221e, masked", "\u2212\u221e"])
  expect([shown.label, shown.corner, shown.text!.bare]).toEqual(["M, 1 by 5", "query \\ key", false])
})

test("in a heatmap of a mask cells have words, those that are 0 are masked", () => {
  const mask = matrix([0, 1], { low: 0, words: ["hidden", "allowed"], paint: true })
  const shown = heatmapOf(mask, SETTINGS, "dark", "paint {name}")
  expect([...shown.values]).toEqual([-Infinity, 1])
  expect([shown.masked, shown.write(1), shown.shade(1), shown.text!.bare]).toEqual(["hidden", "allowed", 150, true])
  expect([shown.label, shown.grey]).toEqual(["paint M", packed("#777777")])
  expect([...mask.values]).toEqual([0, 1])
})

test("a cell is identified by its labels, or by the titles and indices of its axes", () => {
  const [row, comma, column] = cellName(AXES, 1, 3)
  expect(row).toHaveProperty("textContent", "cat")
  expect(row).toHaveProperty("dataset.said", "token")
  expect([comma, column]).toEqual([", ", "key 3"])
})

test("a weight says which row attends to which column, in the order of the language", () => {
  const nodes = cellName({ ...AXES, columns: ["black"], rows: ["chat \u2192 noir"], attends: true }, 0, 0, "{key} < {query}")
  expect(nodes.map((node) => (typeof node === "string" ? node : node.textContent)).join("")).toBe("black < chat \u2192 noir")
  expect(nodes.filter((node) => typeof node !== "string").every((node) => (node as HTMLElement).dataset.said === "token")).toBe(true)
})
