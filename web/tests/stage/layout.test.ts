import { describe, expect, it } from "vitest"
import { layOut, type Box, type LayoutInput } from "../../src/views/stage/layout"

/** Widths of labels as of 15 pixel letters: of one to nine letters, in a fixed order. */
const labels = (count: number, unit: number) => Array.from({ length: count }, (_, place) => (5 + ((place * 37) % 70)) * unit)

const SCREENS: readonly (readonly [name: string, room: Pick<LayoutInput, "width" | "height" | "unit" | "phone">])[] = [
  ["1280 x 720", { width: 920, height: 336, unit: 1, phone: false }],
  ["1920 x 1080, presenting", { width: 1340, height: 520, unit: 1.75, phone: false }],
  ["390 x 844", { width: 358, height: 300, unit: 1, phone: true }],
]

function overlap(one: Box, other: Box): boolean {
  const apart = (start: number, length: number, from: number, size: number) => start + length <= from + 1e-6 || from + size <= start + 1e-6
  return !apart(one.x, one.width, other.x, other.width) && !apart(one.y, one.height, other.y, other.height)
}

describe.each(SCREENS)("on %s", (_, room) => {
  it.each(Array.from({ length: 30 }, (_, place) => place + 3))("%i tokens do not overlap and are inside", (count) => {
    const layout = layOut({ ...room, english: labels(count, room.unit), french: labels(count + 2, room.unit) })
    const boxes = [...layout.english, ...layout.french, ...layout.bars]
    for (const [place, box] of boxes.entries()) {
      expect(box.x).toBeGreaterThanOrEqual(0)
      expect(box.x + box.width).toBeLessThanOrEqual(layout.width + 1e-6)
      expect(box.y + box.height).toBeLessThanOrEqual(layout.height + 1e-6)
      expect(box.height).toBeGreaterThan(0)
      expect(boxes.slice(place + 1).filter((other) => overlap(box, other))).toEqual([])
    }
    expect(layout.bars).toHaveLength(count + 1)
    expect(new Set(layout.bars.map(({ width, height }) => (layout.rows ? width : height)))).toEqual(new Set([layout.bar]))
    expect(layout.rows).toBe(!room.phone && layout.english.every(({ y }) => y === layout.english[0]!.y))
  })
})

it("places few tokens in rows and many in columns", () => {
  const [, laptop] = SCREENS[0]!
  const rows = (count: number) => layOut({ ...laptop, english: labels(count, 1), french: labels(count, 1) }).rows
  expect([rows(5), rows(12), rows(30)]).toEqual([true, true, false])
})

it("leaves nearly half of the width of columns to the lines of text", () => {
  for (const [, room] of SCREENS.filter(([, { phone }]) => !phone)) {
    const labelsOf30 = labels(30, room.unit)
    expect(layOut({ ...room, english: labelsOf30, french: labelsOf30 }).width).toBeLessThanOrEqual(0.53 * room.width)
  }
})

it("gives a bar up to 56 pixels, and never less than a slot", () => {
  const [, laptop] = SCREENS[0]!
  const bar = (count: number) => layOut({ ...laptop, english: labels(3, 1), french: Array<number>(count).fill(10) }).bar
  expect(bar(6)).toBe(56)
  expect(bar(28)).toBeGreaterThanOrEqual(28)
})
