import { expect, test } from "vitest"

import { grouped } from "../src/core/numbers"
import { barExtent, cellSize, formulaParts, isNumberHidden, ribbonPath } from "../src/views/step_view/panel"
import { type Axis, type Header, labelOf, layoutOf, readNumbers, signedDigits } from "../src/views/step_view/content"
import { dashesOf, downTo, isDrawable, spread, tickTexts, ticksOf } from "../src/views/step_view/curves"

function axis(id: string, count: number, labels: string[] = []): Axis {
  return { id, title: id, labels, count, slider: true, said: "", beside: true, values: [] }
}

test("arrays follow the sliders of their axes and no others", () => {
  const axes = { token: axis("token", 2), unit: axis("unit", 3) }
  const sent: Record<string, number[]> = { h: [0, 1, 2, 10, 11, 12], single: [7], bias: [5, 6] }
  const arrays = { floats: (name: string) => Float32Array.from(sent[name]!) }
  const numbers = { h: ["token", "unit"], single: [], bias: ["token"] }
  const { h, single, bias } = readNumbers({ numbers }, axes, arrays)
  expect(h!.at({ token: 1, unit: 2 })).toBe(12)
  expect(h!.at({ token: 0, unit: 1, layer: 4 })).toBe(1)
  expect([single!.at({}), single!.at({ token: 1 })]).toEqual([7, 7])
  expect(bias!.at({ token: 1, unit: 2 })).toBe(6)
})

test("the layout changes with names and axes, not with the ends of a scale", () => {
  const lines = { finding: "", wide: false, along: "token", curves: [], log: false, own: false }
  const header = (name: string, high: number): Header => ({
    axes: [axis("token", 2)],
    numbers: {},
    whole: [],
    rule: "",
    at: {},
    panels: [{ is: "curves", name, low: 0, high, ...lines }],
    styles: { light: [], dark: [] },
    theme: "light",
    words: { at: "", back: "", forward: "", map: "", chart: "", unread: "" },
  })
  const layout = (name: string, high: number) => JSON.stringify(layoutOf(header(name, high)))
  expect(layout("a", 1)).toBe(layout("a", 2))
  expect(layout("a", 1)).not.toBe(layout("b", 1))
})

test("a ribbon is as wide as its numbers, around its middle, from edge to edge", () => {
  expect(ribbonPath([], 10)).toBe("")
  expect(ribbonPath([20], 10)).toBe("M0.0 38.0L5.0 38.0L10.0 38.0L10.0 58.0L5.0 58.0L0.0 58.0Z")
  const [from, to] = ribbonPath([40, 10], 10).match(/5\.0 [\d.]+|15\.0 [\d.]+/g)!
  expect([from, to]).toEqual(["5.0 28.0", "15.0 43.0"])
})

test("numbers of a ribbon are written where they have room, that of the slider always", () => {
  const shown = (now: number, step: number) => [0, 1, 2, 3, 4, 5].filter((place) => !isNumberHidden(place, now, step))
  expect(shown(5, 60)).toEqual([0, 1, 2, 3, 4, 5])
  expect(shown(5, 30)).toEqual([0, 2, 5])
  expect(shown(4, 30)).toEqual([0, 2, 4])
})

test("numbers and labels as text", () => {
  expect([NaN, -0.5, 12].map(signedDigits)).toEqual(["\u2013", "\u22120.500", "12.0"])
  expect([0, 999, 1234567].map(grouped)).toEqual(["0", "999", "1,234,567"])
  expect([0, 1].map((place) => labelOf(axis("a", 2, ["<b>"]), place))).toEqual(["<b>", "2"])
})

test("heights of values on a scale", () => {
  const plain = { low: -1, high: 1, log: false }
  expect([1, 0, -1].map((value) => downTo(value, plain))).toEqual([8, 93, 178])
  expect(downTo(10, { low: 1, high: 100, log: true })).toBeCloseTo(93, 9)
  expect(downTo(2, { low: 2, high: 2, log: false })).toBe(178)
  expect([NaN, 0, -1, 1].map((value) => isDrawable(value, { log: false }))).toEqual([false, true, true, true])
  expect([NaN, 0, -1, 1].map((value) => isDrawable(value, { log: true }))).toEqual([false, false, false, true])
})

test("ticks are round numbers within the scale, powers of ten on a logarithmic one", () => {
  expect(ticksOf({ low: 0, high: 1, log: false })).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1])
  expect(ticksOf({ low: -0.31, high: 0.44, log: false })).toEqual([-0.2, 0, 0.2, 0.4])
  expect(ticksOf({ low: 0.004, high: 3, log: true })).toEqual([0.01, 0.1, 1])
  expect(ticksOf({ low: 1e-9, high: 1, log: true })).toEqual([1e-9, 1e-7, 1e-5, 1e-3, 1e-1])
  expect(ticksOf({ low: 2, high: 3, log: true })).toEqual([2, 3])
  expect(ticksOf({ low: 0.155, high: 1.85, log: true })).toEqual([0.2, 0.5, 1])
  expect(ticksOf({ low: 20, high: 50, log: true })).toEqual([20, 50])
  expect(ticksOf({ low: 2, high: 2, log: false })).toEqual([2])
  expect(ticksOf({ low: Infinity, high: -Infinity, log: true })).toEqual([])
  expect(tickTexts([-0.2, 0, 0.2])).toEqual(["\u22120.2", "0", "0.2"])
  expect(tickTexts([1e-9, 1e-7, 1e-5])).toEqual(["1e\u22129", "1e\u22127", "0.00001"])
  expect(tickTexts([2.123456, 4.9])).toEqual(["2.12", "4.9"])
  expect(tickTexts([2.123456])).toEqual(["2.12"])
  expect(tickTexts(ticksOf({ low: 1.0001, high: 1.0009, log: false }))).toEqual(["1.0002", "1.0004", "1.0006", "1.0008"])
  expect(tickTexts(ticksOf({ low: 12_340, high: 12_344, log: false }))).toEqual(["12,340", "12,341", "12,342", "12,343", "12,344"])
  expect(tickTexts(ticksOf({ low: 0.213_451, high: 0.213_462, log: true }))).toEqual(["0.213451", "0.213462"])
})

test("labels that would overlap are moved apart, and none leaves the room", () => {
  expect(spread([10, 80], [20, 20], 100)).toEqual([10, 80])
  expect(spread([50, 50], [20, 20], 100)).toEqual([50, 70])
  expect(spread([95, 90, 2], [20, 20, 20], 100)).toEqual([90, 70, 10])
})

test("the first line is solid; others have the dashes of their style, or some of their own", () => {
  expect(dashesOf(0, ["#fff", [5, 5]])).toBe("")
  expect(dashesOf(9, ["#fff", [5, 5]])).toBe("5 5")
  expect([1, 2, 3, 4].map((place) => dashesOf(place, ["#fff", []]))).toEqual(["7 3", "2 3", "9 3 2 3", ""])
})

test("bars start in the middle if there are both signs, and end at the end of the track", () => {
  expect(barExtent(0.5, { top: 2, signed: false })).toEqual([0, 25])
  expect(barExtent(9, { top: 2, signed: false })).toEqual([0, 100])
  expect(barExtent(1, { top: 2, signed: true })).toEqual([50, 25])
  expect(barExtent(-1, { top: 2, signed: true })).toEqual([25, 25])
  expect(barExtent(NaN, { top: 2, signed: false })).toEqual([0, 0])
})

test("cells of a heatmap fill the room within limits", () => {
  expect(cellSize(4, 6, 600)).toEqual([30, 18])
  expect(cellSize(44, 448, 448)).toEqual([1, 10])
  expect(cellSize(1000, 10, 100)).toEqual([10, 2])
})

test("placeholders of a formula", () => {
  const numbers = { h: { dims: [], values: new Float32Array(), at: () => 0 } }
  const axes = { token: axis("token", 2) }
  expect(formulaParts("{token#} is {token}: {h} {x} {}", { numbers, axes })).toEqual([
    { text: "" },
    { axis: "token", counted: true },
    { text: " is " },
    { axis: "token", counted: false },
    { text: ": " },
    { array: "h" },
    { text: " " },
    { text: "{x}" },
    { text: " {}" },
  ])
})
