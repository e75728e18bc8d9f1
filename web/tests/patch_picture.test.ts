import { expect, test } from "vitest"

import { percent } from "../src/core/numbers"
import {
  type PictureWords,
  type Selection,
  describeMap,
  describeMass,
  mapAt,
  mapName,
  outlineOf,
  patchText,
  readExact,
  readPicture,
  selectLargest,
  weightsOver,
} from "../src/views/patch_picture/view"
import { floats, pack } from "./packing"

const WORDS = {
  patch: "row {row}, column {column}",
  weight: "row {row}, column {column}: {weight}",
  toPatch: "CLS attends here with {cls}.",
  toPatchKept: "CLS attends here with {cls}; {share} % in {count}.",
  fromPatch: "Together {sum}, CLS {cls}.",
  fromPatchKept: "Together {sum}, CLS {cls}; {share} % in {count}.",
  strongest: "Strongest: row {row}, column {column}.",
} as PictureWords

// One row of two patches: the weights of CLS, of the first and of the second patch as the query.
const WEIGHTS = Float32Array.of(0.5, 0.25, 0.25, 0.125, 0.25, 0.625, 0.75, 0.125, 0.125)
const SELECTION: Selection = { weights: WEIGHTS, grid: [1, 2], selected: [0, 1] }

test("a panel shows the weights of a query, of a key, or a map of its own", () => {
  expect(weightsOver(SELECTION, "nothing")).toBeNull()
  expect(weightsOver(SELECTION, "cls")).toEqual(Float32Array.of(0.25, 0.25))
  expect(weightsOver(SELECTION, "from")).toEqual(Float32Array.of(0.125, 0.125))
  expect(weightsOver(SELECTION, "to")).toEqual(Float32Array.of(0.625, 0.125))
  expect(weightsOver({ ...SELECTION, weights: Float32Array.of(0, 3, 4) }, 0)).toEqual(Float32Array.of(3, 4))
})

test("the text about a map: what CLS has, and the share in the outline", () => {
  const over = Float32Array.of(0.125, 0.125)
  expect(describeMass(WORDS, SELECTION, "from", over, 0, 0)).toBe("Together 0.250, CLS 0.750.")
  expect(describeMass(WORDS, SELECTION, "from", over, 0.5, 1)).toBe("Together 0.250, CLS 0.750; 50 % in 1.")
  expect(describeMass(WORDS, SELECTION, "to", over, 0, 0)).toBe("CLS attends here with 0.250.")
  expect(describeMass(WORDS, SELECTION, "cls", Float32Array.of(0.25, 0.25), 0, 0)).toBe("Together 0.500, CLS 0.500.")
  expect(describeMap(WORDS, Float32Array.of(1, 2, 9, 3), 2)).toBe("Strongest: row 2, column 1.")
  expect(patchText(WORDS, null, [1, 0], 2)).toBe("row 2, column 1")
  expect(patchText(WORDS, Float32Array.of(1, 2, 9, 3), [1, 0], 2)).toBe("row 2, column 1: 9.00")
  expect(patchText(WORDS, Float32Array.of(0, 0, 0.9731, 0), [1, 0], 2, percent)).toBe("row 2, column 1: 97.3\u00a0%")
})

test.each([
  [0, [0, 0, 0, 0]],
  [0.4, [0, 1, 0, 0]],
  [0.5, [0, 1, 0, 0]],
  [0.51, [0, 1, 0, 1]],
  [1, [1, 1, 0, 1]],
])("the fewest patches that hold %d of a map", (share, expected) => {
  const [selected, count] = selectLargest(Float32Array.of(0.125, 0.5, 0, 0.375), share)
  expect([...selected]).toEqual(expected)
  expect(count).toBe(expected.filter(Boolean).length)
})

test("an outline has the edges between selected patches and the rest", () => {
  expect(outlineOf(Uint8Array.of(0, 1), [1, 2])).toBe("M1 0h1M1 0v1M2 0v1M1 1h1")
  expect(outlineOf(Uint8Array.of(1, 1), [1, 2])).toBe("M0 0h1M0 0v1M1 0h1M2 0v1M0 1h1M1 1h1")
  expect(outlineOf(new Uint8Array(4), [2, 2])).toBe("")
})

test("a picture of any size is followed by the maps of all heads", () => {
  const pixels = ["uint8", [1, 1, 3], Uint8Array.of(1, 2, 3)] as const
  const payload = readPicture(pack({ id: 7 }, { pixels, weights: floats([1, 2, 1, 2], 0.1, 0.2, 0.3, 0.4) }))
  expect([payload.pixels, payload.weights]).toEqual([[1, 1], [1, 2, 1, 2]])
  expect(payload.picture).toEqual(Uint8Array.of(1, 2, 3))
  expect(mapAt(payload, [0, 1])).toEqual(Float32Array.of(0.3, 0.4))
  expect(mapName(payload, [0, 1])).toBe("7,0,1")
  const halves = Uint16Array.of(0x3800, 0, 0x3c00, 0)
  const rounded = readPicture(pack({ id: 7 }, { pixels, weights: ["float16", [1, 2, 1, 2], halves] }))
  expect(mapAt(rounded, [0, 1])).toEqual(Float32Array.of(1, 0))
})

test("the exact numbers of one map have its name", () => {
  const encoded = btoa(String.fromCharCode(...new Uint8Array(Float32Array.of(0.1, 2).buffer)))
  expect(readExact(`7,0,1 ${encoded}`)).toEqual(["7,0,1", Float32Array.of(0.1, 2)])
  expect(readExact("")).toBeNull()
})
