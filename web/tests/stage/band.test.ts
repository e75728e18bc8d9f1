import { afterEach, expect, it, vi } from "vitest"

import { svgElement } from "../../src/core/dom"
import { between, drawBand, foldRibbons, shifted, stacked } from "../../src/views/stage/lane"

afterEach(() => vi.unstubAllGlobals())

const STRANDS = [
  { key: 3, weight: 0.5 },
  { key: 1, weight: 0.25 },
]
const MIDDLES = [10, 20, 30, 40, 50, 60, 70]

it("strands are next to each other in the order of keys, as wide as their weights", () => {
  expect(stacked(STRANDS)).toEqual([
    { key: 1, weight: 0.25, y: -6, width: 6 },
    { key: 3, weight: 0.5, y: 3, width: 12 },
  ])
  expect(stacked([{ key: 0, weight: 0 }])[0]!.width).toBe(1)
})

it("the band is one line, but for scores and weights", () => {
  const svg = svgElement("svg", {}, document.body)
  const strands = drawBand(svg, MIDDLES, STRANDS)
  expect([...strands.keys()]).toEqual([1, 3])
  expect(strands.get(3)!.getAttribute("d")).toBe("M40 21C45 21 45 18 50 18")
  expect(Array.from(svg.querySelectorAll(".whole"), (line) => line.getAttribute("d"))).toEqual(["M10 18L30 18", "M50 18L70 18"])
  expect([svg.querySelectorAll(".score").length, svg.querySelectorAll(".station").length]).toEqual([2, 7])
  expect(drawBand(svg, [], STRANDS).size).toBe(0) // without stations
  const down = drawBand(svg, MIDDLES, STRANDS, true)
  expect(down.get(3)!.getAttribute("d")).toBe("M21 40C21 45 18 45 18 50")
  const stations = [...svg.querySelectorAll(".station")]
  expect(stations.map((one) => [one.getAttribute("cx"), one.getAttribute("cy")])[1]).toEqual(["18", "20"])
})

it("a path is moved, and is mixed with one of the same form", () => {
  expect(shifted("M1 2C3 4 5 6 7 8", [10, -2])).toBe("M11 0C13 2 15 4 17 6")
  expect(between("M0 0C0 0 0 0 10 10", "M10 20C0 0 0 0 0 0", 0.5)).toBe("M5 10C0 0 0 0 5 5")
})

it("ribbons move into their strands, which end as they were", () => {
  const steps: FrameRequestCallback[] = []
  vi.stubGlobal("requestAnimationFrame", (step: FrameRequestCallback) => steps.push(step))
  vi.stubGlobal("matchMedia", () => ({ matches: false }))
  const strand = drawBand(svgElement("svg", {}, document.body), MIDDLES, STRANDS).get(3)!
  const fold = { from: "M0 0C0 0 0 0 9 9", width: 8, strand, shift: [0, -100] } as const
  foldRibbons([fold], new AbortController().signal)
  expect(strand.getAttribute("d")).toBe("M0 -100C0 -100 0 -100 9 -91")
  steps.pop()!(performance.now() + 10_000)
  expect([strand.getAttribute("d"), strand.getAttribute("stroke-width")]).toEqual(["M40 21C45 21 45 18 50 18", "12"])
  expect(steps).toEqual([])
  vi.stubGlobal("matchMedia", () => ({ matches: true }))
  foldRibbons([fold], new AbortController().signal) // for those who prefer less motion nothing moves
  expect(strand.getAttribute("d")).toBe("M40 21C45 21 45 18 50 18")
})
