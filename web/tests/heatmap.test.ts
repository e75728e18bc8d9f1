import { expect, test } from "vitest"

import { AxisLabels, type Cell, type Painted, Strokes, hasRoom, isLabelHidden, wholeScreenCell } from "../src/core/heatmap"
import { MAPS, offerWholeScreen } from "../src/core/whole_screen"
import { distance } from "../src/page/full_screen"

test("narrow labels leave room for the selected one and each other", () => {
  const shown = (selected: number, size: number) => [...Array(8).keys()].filter((place) => !isLabelHidden(place, selected, size))
  expect(shown(3, 12)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  expect(shown(3, 5)).toEqual([0, 3, 6])
  expect(shown(4, 4)).toEqual([0, 4])
  expect(shown(-1, 4)).toEqual([0, 3, 6])
})

test("labels in Hangul are further apart where some are left out", () => {
  const written = (name: string, pixels: number) => {
    const axis = new AxisLabels(document.createElement("div"))
    axis.show(Array<string>(40).fill(name), () => "token")
    axis.write(40 * pixels)
    return [...axis.list.children].filter((span) => span.textContent).length
  }
  expect([written("row 1", 6), written("1\ud589", 6)]).toEqual([20, 14])
  expect([written("row 1", 12), written("1\ud589", 12)]).toEqual([40, 40])
})

test("labels are as far apart as the page's text is large", () => {
  const written = (type: string) => {
    document.documentElement.style.fontSize = type
    const axis = new AxisLabels(document.createElement("div"))
    axis.show(Array<string>(40).fill("row 1"), () => "token")
    axis.write(40 * 12)
    document.documentElement.style.fontSize = ""
    return [...axis.list.children].filter((span) => span.textContent).length
  }
  expect([written("16px"), written("28px"), written("12px")]).toEqual([40, 20, 40])
})

test("a map in the whole screen fills it without leaving it", () => {
  expect(wholeScreenCell([12, 12], 1500, 900, true)).toEqual([75, 75])
  expect(wholeScreenCell([2, 3], 1500, 900, true)).toEqual([96, 96])
  expect(wholeScreenCell([12, 448], 1792, 900, false)).toEqual([4, 40])
  expect(wholeScreenCell([60, 448], 1792, 900, false)).toEqual([4, 15])
})

test("the distance of a point from an extent", () => {
  expect([distance(50, 10, 90), distance(50, 60, 90), distance(50, -40, 20)]).toEqual([0, 10, 30])
})

test("a map has a button for the whole screen where the page has words for it", () => {
  const map = document.createElement("div")
  offerWholeScreen(map)
  expect([map.matches(MAPS), map.querySelector("button")?.className]).toEqual([true, "to-screen absent"])
  map.replaceChildren()
  document.head.innerHTML = '<style data-whole-screen="Whole screen (F)"></style>'
  Object.defineProperty(document, "fullscreenEnabled", { value: true, configurable: true })
  offerWholeScreen(map)
  expect(map.querySelector<HTMLElement>("button.to-screen:not(.absent)")?.ariaLabel).toBe("Whole screen (F)")
  document.head.innerHTML = ""
})

test("numbers are written into cells with room in both directions", () => {
  expect([hasRoom(34, 12), hasRoom(33, 40), hasRoom(40, 11)]).toEqual([true, false, false])
  expect([hasRoom(68, 24, 20), hasRoom(67, 24, 20)]).toEqual([true, false])
})

function paintable(on: boolean[]) {
  const canvas = document.createElement("canvas")
  canvas.setPointerCapture = () => {}
  const painted: (readonly Painted[])[] = []
  const map = {
    canvas,
    cellAt: ({ clientX }: MouseEvent): Cell => [0, clientX],
    isOn: ([, column]: Cell) => on[column]!,
    switch: ([, column]: Cell, state: boolean) => (on[column] = state),
  }
  const strokes = new Strokes(map, (cells) => painted.push(cells))
  const send = (type: string, clientX: number, pointerType = "mouse") =>
    canvas.dispatchEvent(new PointerEvent(type, { clientX, pointerType }))
  return { strokes, painted, send }
}

test("a drag gives all its cells the state that the first one did not have, and sends those that changed once", () => {
  const on = [true, false, true, true]
  const { painted, send } = paintable(on)
  send("pointermove", 3) // without a pressed button
  send("pointerdown", 0)
  for (const place of [1, 2, 2]) send("pointermove", place)
  expect(painted).toEqual([])
  send("pointerup", 2)
  send("click", 2) // of the mouse, after the drag
  expect(on).toEqual([false, false, false, true])
  expect(painted).toEqual([[[0, 0, false], [0, 2, false]]])
})

test("a finger that is dragged paints nothing; a tap and a key switch one cell", () => {
  const on = [true, false]
  const { strokes, painted, send } = paintable(on)
  for (const type of ["pointerdown", "pointermove", "pointerup"]) send(type, 0, "touch")
  expect(painted).toEqual([])
  send("click", 0, "touch")
  strokes.toggle([0, 1])
  expect(on).toEqual([false, true])
  expect(painted).toEqual([[[0, 0, false]], [[0, 1, true]]])
})
