import { expect, test } from "vitest"

import { curve, layOut, shownEdges, thickness } from "../src/views/path_graph/layout"

const node = (id: string, column: number, row: number) => ({ id, label: id, column, row, kind: "encoder" })
const edge = (sender: string, receiver: string, value: number) => ({ id: `${sender}-${receiver}`, sender, receiver, value })
const nodes = [node("t1", 0, 0), node("t2", 0, 1), node("h1", 1, 0), node("h2", 1, 1), node("h3", 1, 2), node("out", 2, 0)]
const edges = [edge("t1", "h3", -4), edge("h3", "out", 2), edge("t2", "h1", 1)]

test("the strongest edges are drawn, and those that are cut", () => {
  const ids = (...chosen: [cut: string[], count: number, least: number]) => shownEdges(edges, ...chosen).map(({ id }) => id)
  expect(ids([], 2, 0)).toEqual(["t1-h3", "h3-out"])
  expect(ids(["t2-h1"], 1, 0)).toEqual(["t1-h3", "t2-h1"])
  expect(ids([], 0, 0)).toEqual([])
  expect(ids([], 3, 50)).toEqual(["t1-h3", "h3-out"]) // 4 and 2 of at most 4
  expect(ids(["t2-h1"], 3, 51)).toEqual(["t1-h3", "t2-h1"])
})

test("heads without an edge are left out, tokens and the answer are not", () => {
  const { places, width, height } = layOut(nodes, edges.slice(0, 2), 3)
  expect([...places.nodes.keys()].sort()).toEqual(["h3", "out", "t1", "t2"])
  const [first, head, out] = ["t1", "h3", "out"].map((id) => places.nodes.get(id)!)
  expect(first!.x < head!.x && head!.x < out!.x && out!.x + out!.width / 2 < width).toBe(true)
  expect(head!.y).toBe(out!.y) // single nodes are in the middle
  expect([...places.nodes.values()].every(({ y }) => y > 0 && y < height)).toBe(true)
})

test("columns without a node are left out where all of them have no room", () => {
  const direct = [edge("t1", "out", 1)]
  const wide = layOut(nodes, direct, 3, 1000)
  expect(wide).toEqual(layOut(nodes, direct, 3))
  expect(wide.places.columns.every((middle) => middle !== undefined)).toBe(true)
  const close = layOut(nodes, direct, 3, wide.width - 1)
  expect(close.places.columns.map((middle) => middle !== undefined)).toEqual([true, false, true])
  expect([...close.places.nodes.keys()]).toEqual([...wide.places.nodes.keys()])
  expect(close.width).toBeLessThan(wide.width - 34)
  const least = layOut(nodes, direct, 3, 1)
  expect(layOut(nodes, direct, 3, least.width + 5).width).toBeCloseTo(least.width + 5)
})

test("a syllable of Hangul takes the place of two letters", () => {
  const width = (label: string) => layOut([{ ...node("t1", 0, 0), label }], [], 1).places.nodes.get("t1")!.width
  expect(width("\ub098\ub294 \uac04\ub2e4")).toBe(width("abcd efgh"))
})

test("inputs of one node arrive at different heights", () => {
  const [from, to] = [{ x: 0, y: 0, width: 10 }, { x: 100, y: 50, width: 10 }]
  expect(new Set(["queries", "keys", "values"].map((input) => curve(from, to, input))).size).toBe(3)
  expect(curve(from, to, "")).toBe("M5 0C50 0 50 50 95 50")
})

test("the strongest edge is the thickest", () => {
  expect([thickness(-4, 4), thickness(2, 4), thickness(0, 4)]).toEqual([8, 4.5, 1])
})
