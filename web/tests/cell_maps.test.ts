import { expect, test } from "vitest"

import { cellIn, cellOf, describeCell, withOwnScale } from "../src/views/cell_maps/cells"

test("the id of a cell names its map, row and column", () => {
  expect(cellOf("head_output-cross", 3, 6)).toBe("head_output-cross.4.7")
  expect(cellIn("head_output-cross.4.7", "head_output-cross", [4, 8])).toEqual([3, 6])
})

test("a cell of another map, outside of the map, or without numbers is none of this map", () => {
  for (const cell of ["other.1.1", "m.5.1", "m.1.9", "m.0.1", "m.x.1", "m", ""]) expect(cellIn(cell, "m", [4, 8])).toBeUndefined()
})

test("a cell in words, with its token marked as data", () => {
  const matrix = { rows: ["0", "1"], columns: ["the", "cat"], row_title: "layer", column_title: "position" }
  const holder = document.createElement("p")
  holder.append(...describeCell(matrix, 1, 1))
  expect(holder.textContent).toBe("layer 1, position cat")
  expect(holder.querySelector("span:last-child")!.getAttribute("data-said")).toBe("token")
})

test("a map of other colours than those before it in its group has a scale of its own", () => {
  const map = (colour: string, leads = false) => ({ scales: { light: ["#fff", colour], dark: ["#000", colour] }, leads })
  const items = [map("blue", true), map("green"), map("blue"), map("green"), map("green", true), map("blue")]
  expect([...withOwnScale(items)]).toEqual([items[0], items[1], items[4], items[5]])
})
