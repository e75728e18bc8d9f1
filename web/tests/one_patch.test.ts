import { expect, test } from "vitest"

import { cutPatch, flatten } from "../src/views/one_patch"

// 2 rows and 2 columns of patches of 2 by 2 pixels, whose red is their index in the picture, row by row
const pixels = Uint8Array.from({ length: 3 * 16 }, (_, byte) => (byte % 3 === 0 ? byte / 3 : 0))
const patches = { pixels, width: 4, size: 2, columns: 2 }

function reds(patch: Uint8Array): number[] {
  return [...patch].filter((_, byte) => byte % 3 === 0)
}

test("a patch is cut out of the picture, row by row", () => {
  expect(reds(cutPatch(patches, 0))).toEqual([0, 1, 4, 5])
  expect(reds(cutPatch(patches, 1))).toEqual([2, 3, 6, 7])
  expect(reds(cutPatch(patches, 2))).toEqual([8, 9, 12, 13])
})

test("a patch is flattened channel by channel, from -1 to 1", () => {
  const patch = Uint8Array.of(255, 0, 0, 0, 255, 51)
  const fifth = 2 * Math.fround(0.2) - 1
  expect(flatten(patch)).toEqual([1, -1, -1, 1, -1, fifth])
})
