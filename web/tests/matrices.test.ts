import { expect, test } from "vitest"

import { cellName, cellText, decode, isOperator, type Matrix } from "../src/core/matrices"
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

test("the text of a cell: all digits of float32, a word, or masked", () => {
  const numbers = { values: Float32Array.of(0.1, -Infinity), shape: [1, 2] as const, words: null }
  const masked: Matrix["masked"] = ["\u2212\u221e", "masked"]
  expect(cellText({ ...numbers, masked }, 0, 0)).toBe("0.1")
  expect(cellText({ ...numbers, masked }, 0, 1)).toBe("\u2212\u221e, masked")
  const words: Matrix["words"] = ["hidden", "allowed"]
  const mask = { values: Float32Array.of(0, 1), shape: [2, 1] as const, words, masked }
  expect([cellText(mask, 0, 0), cellText(mask, 1, 0)]).toEqual(["hidden", "allowed"])
})

test("a cell is identified by its labels, or by the titles and indices of its axes", () => {
  const [row, arrow, column] = cellName(AXES, 1, 3)
  expect(row).toHaveProperty("textContent", "cat")
  expect(row).toHaveProperty("dataset.said", "token")
  expect([arrow, column]).toEqual([" \u2192 ", "key 3"])
})
