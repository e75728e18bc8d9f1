import { describe, expect, it } from "vitest"
import { EnglishEnds, ribbon } from "../../src/views/stage/figure"
import { layOut } from "../../src/views/stage/layout"
import { atRest, ofHeld, restOf, strongestArc } from "../../src/views/stage/pulling"

const keys = (parts: readonly { key: number }[]) => parts.map(({ key }) => key)

describe("weights at rest", () => {
  it("are the strongest up to four fifths, in the order of keys", () => {
    expect(keys(atRest([0.1, 0.5, 0.05, 0.35]))).toEqual([1, 3])
    expect(keys(atRest([0.9, 0.1]))).toEqual([0])
  })
  it("are at most three", () => expect(keys(atRest([0.2, 0.2, 0.2, 0.2, 0.2]))).toEqual([0, 1, 2]))
  it("are at least 0.08", () => expect(keys(atRest([0.5, 0.07, 0.08, 0.07, 0.07, 0.07, 0.14]))).toEqual([0, 2, 6]))
  it("divide the bar from its beginning, and leave the rest", () => {
    const parts = atRest([0.25, 0.05, 0.5, 0.2])
    expect(parts.map(({ from }) => from)).toEqual([0, 0.25, 0.75])
    expect(restOf(parts)).toBeCloseTo(0.05)
  })
})

it("shows a row that is held down to 0.02, and the key that is chosen", () => {
  expect(keys(ofHeld([0.019, 0.961, 0.02]))).toEqual([1, 2])
  expect(keys(ofHeld([0.019, 0.961, 0.02], 0.02, 0))).toEqual([0, 1, 2])
})

it("draws one arc from 0.25 on, not to the token itself", () => {
  expect(strongestArc([0.6, 0.3, 0.1], 0)).toBe(1)
  expect(strongestArc([0.6, 0.2, 0.2], 0)).toBe(-1)
  expect(strongestArc([0.3, 0.3, 0.4], -1)).toBe(2)
})

describe("a ribbon", () => {
  const layout = layOut({ english: [30, 30], french: [20, 30, 30], width: 400, height: 300, unit: 1, phone: false })
  const weights = Float32Array.of(0.75, 0.25, 1, 0)
  const ends = new EnglishEnds(weights, 2)
  it("is as wide as its weight is of the bar", () => {
    expect(ribbon(layout, ends, 0, { key: 0, weight: 0.75, from: 0 }).width).toBeCloseTo(0.75 * layout.bar)
  })
  it("ends in its own part of the bar", () => {
    const line = ribbon(layout, ends, 0, { key: 1, weight: 0.25, from: 0.75 })
    const [x, y] = line.path.split(" ").slice(-2).map(Number)
    expect([x, y]).toEqual([layout.bars[0]!.x + 0.875 * layout.bar, layout.bars[0]!.y].map((value) => Math.round(10 * value) / 10))
  })
  it("lies next to the others of its English token", () => {
    const [first, second] = [ends.offset(0, 0, layout), ends.offset(1, 0, layout)]
    expect(second).toBeGreaterThan(first)
    const squeezed = layout.english_room / (1.75 * layout.bar)
    expect(second - first).toBeCloseTo(0.875 * layout.bar * Math.min(1, squeezed), 3)
  })
})
