import { expect, test } from "vitest"

import { type MapSets, chosenIndex, linkedTo, needsServer, placeIn, readMapSets, withinSet } from "../src/views/attention_map"
import { floats, pack } from "./packing"

const item = { name: "m", rows: ["a"], columns: ["b", "c"], low: [0, 0], high: [1, 2], tops: [1, 2] }
const header = {
  sets: { own: { items: [item], names: [["1", "2"], ["1"]] }, cross: { items: [item], names: [["1"], ["1"]] } },
  along: ["layer", "head"],
  exact: ["own", 1, 0],
}
const SHAPE = [2, 1, 1, 2]
const halves = (...bits: number[]) => ["float16", SHAPE, Uint16Array.from(bits)] as const // 0x3c00 is 1, 0x3800 is 0.5

test("maps of half precision, the chosen one with every digit", () => {
  const own = halves(0, 0x3c00, 0x3800, 0x3800)
  const sent = { "own 0": own, "cross 0": halves(0, 0, 0, 0x3c00), "exact 0": floats([1, 2], 0.1, 0.9) }
  const { sets } = readMapSets(pack(header, sent))
  const [first, second] = [sets.own!.items[0]!.at([0, 0]), sets.own!.items[0]!.at([1, 0])]
  expect([...first.values]).toEqual([0, 1])
  expect([first.rounded, first.high, first.shape]).toEqual([true, 1, [1, 2]])
  expect([...second.values]).toEqual([...Float32Array.of(0.1, 0.9)])
  expect([second.rounded, second.high, second.top]).toEqual([false, 2, 2])
  expect([...sets.cross!.items[0]!.at([1, 0]).values]).toEqual([0, 1])
})

test("all numbers with every digit", () => {
  const { sets } = readMapSets(pack(header, { "own 0": floats(SHAPE, 1, 2, 3, 4), "cross 0": floats(SHAPE, 5, 6, 7, 8) }))
  expect([...sets.cross!.items[0]!.at([1, 0]).values]).toEqual([7, 8])
  expect(sets.cross!.items[0]!.at([1, 0]).rounded).toBe(false)
})

test("maps without a choice are one set", () => {
  const plain = { sets: { "": { items: [{ ...item, low: [0], high: [1], tops: [1] }], names: [] } }, along: [], exact: null }
  const maps = readMapSets(pack(plain, { " 0": floats([1, 2], 0.25, 0.75) }))
  expect([...maps.sets[""]!.items[0]!.at([]).values]).toEqual([0.25, 0.75])
  expect(chosenIndex(maps, {})).toEqual(["", []])
})

const maps = { ...header, held: null } as unknown as MapSets

test("the chosen set and the index in it", () => {
  expect(placeIn([3, 4, 9, 9], [2, 1])).toBe(9)
  expect(chosenIndex(maps, { kind: "own", layer: "2", head: "1" })).toEqual(["own", [1, 0]])
  expect(chosenIndex(maps, { layer: "1", head: "1" })).toEqual(["own", [0, 0]])
  expect(withinSet(maps, { kind: "cross", layer: "2", head: "1" })).toEqual({ kind: "cross", layer: "1", head: "1" })
})

test("only the server has maps of other choices than those it sent", () => {
  const held = { ...maps, held: { layer: "1" } }
  expect([needsServer(held, { layer: "2" }), chosenIndex(held, { layer: "2" })]).toEqual([true, null])
  expect(chosenIndex(held, { layer: "1" })).toEqual(["own", [0, 0]])
})

test("the same cell of another map, by the rows and columns that both have", () => {
  const links = [[[0, 2], [1]], [[1, 3], [0]]] as const
  expect(linkedTo(links, 0, 1, [2, 1])).toEqual([3, 0])
  expect(linkedTo(links, 0, 1, [1, 1])).toEqual([-1, 0])
  expect(linkedTo(null, 0, 1, [4, 5])).toEqual([4, 5])
})
