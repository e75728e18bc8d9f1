import { expect, it } from "vitest"

import { type AlignmentHeader, alignmentScene } from "../../src/views/alignment_stage"
import { describeToken, rowOf } from "../../src/views/stage/reading"
import { arcsAtRest } from "../../src/views/stage/pulling"

const words = { englishName: "{token} {place}/{count}", frenchName: "{token} {place}/{count}", attends: "{name} reads {list}", attended: "{name} read by {list}", other: "other" }
const header = { english: ["a", "b"], french: ["un", "deux", "</s>"], rowName: "{read} \u2192 {chosen}", start: "<s>", words } as unknown as AlignmentHeader
const { payload, kind, maps } = alignmentScene(header, Float32Array.of(0.9, 0.1, 0.25, 0.75, 0.5, 0.5))

it("has the alignment as cross-attention, and no weight of self-attention that an arc could show", () => {
  expect(kind).toBe("cross")
  expect(payload.maps.cross.shape).toEqual([1, 1, 3, 2])
  expect(payload.maps.decoder.keys).toEqual(["<s>", "un", "deux"])
  for (const own of ["encoder", "decoder"] as const) {
    const count = payload.maps[own].keys.length
    const arcs = payload.maps[own].queries.map((_, query) => arcsAtRest(rowOf(maps[own], query, count), -1, false))
    expect(arcs.flat()).toEqual([])
  }
})

it("describes a token of either side by the alignment", () => {
  expect(describeToken(payload, kind, maps.cross, { side: "french", place: 1 })).toBe("un \u2192 deux 2/3 reads b 0.750, a 0.250")
  expect(describeToken(payload, kind, maps.cross, { side: "english", place: 0 })).toBe(
    "a 1/2 read by <s> \u2192 un 0.900, deux \u2192 </s> 0.500, un \u2192 deux 0.250",
  )
})
