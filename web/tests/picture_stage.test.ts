import { beforeEach, describe, expect, it, vi } from "vitest"

import {
  Flow,
  type PictureStagePayload,
  type StageWords,
  describeLayer,
  readIn,
  shareOf,
  sharesAtRest,
  sharesShown,
  strongest,
} from "../src/views/picture_stage"

const WORDS = {
  patch: "row {row}, column {column}",
  layers: "CLS in every layer",
  attends: "CLS in {name} attends to: {list}.",
  read: "Read as: {class} {probability}.",
  layer: "Layer {layer}",
  mean: "Mean",
  own: "CLS itself",
  other: "other patches",
} as StageWords

// CLS, then one row of four patches
const ROW = Float32Array.of(0.25, 0.5, 0.03125, 0.15625, 0.0625)

const payload = {
  words: WORDS,
  grid: [1, 4],
  names: [["1", "mean"], ["1"]],
  weights: [2, 1, 1, 5],
  maps: Float32Array.of(...ROW, ...ROW),
  classes: ["church", "horn"],
  read: [[0.125, 0.875]],
} as unknown as PictureStagePayload

describe("the parts of the bar of CLS", () => {
  it("begin with CLS itself, then in the order of the patches those that are outlined", () => {
    const { own, parts, rest } = sharesShown(ROW, 0.8)
    expect(own).toBe(0.25)
    expect(parts).toEqual([
      { patch: 0, weight: 0.5, from: 0.25 },
      { patch: 2, weight: 0.15625, from: 0.75 },
    ])
    expect(rest).toBe(0.09375)
    expect(sharesShown(ROW, 0).parts.length).toBe(4) // without an outline all of so few
  })

  it("of a layer at rest are its few strong patches", () => {
    expect(sharesAtRest(ROW).parts.map(({ patch }) => patch)).toEqual([0])
    expect(sharesAtRest(Float32Array.of(0.2, 0.2, 0.2, 0.2, 0.2)).parts).toEqual([])
  })

  it("have a place for any patch", () => {
    const shares = sharesShown(ROW, 0.8)
    expect(shareOf(shares, ROW, 2)).toBe(shares.parts[1])
    expect(shareOf(shares, ROW, 3)).toEqual({ patch: 3, weight: 0.0625, from: 0.90625 })
    expect(strongest(ROW.subarray(1), 2)).toEqual([0, 2])
  })
})

it("a layer in words has its strongest patches and the class that is read there", () => {
  expect(describeLayer(payload, 0, "1")).toBe(
    "CLS in Layer 1 attends to: CLS itself 0.250; row 1, column 1 0.500; row 1, column 3 0.156; row 1, column 4 0.0625; other patches 0.0313. Read as: horn 87.5\u00a0%.",
  )
  expect(describeLayer(payload, 1, "1")).toMatch(/^CLS in Mean attends to: .*0\.0313\.$/)
  expect(readIn(payload, 1)).toBeNull()
})

it("a layer is headed as the best of ten where no class may be right", () => {
  const headings = (words: StageWords) => {
    const field = document.createElement("div")
    new Flow(field, document.createElement("div"), { ...payload, words }, { look: vi.fn(), choose: vi.fn() })
    return [...field.querySelectorAll(".reading")].map((each) => each.textContent)
  }
  expect(headings(WORDS)).toEqual(["horn87.5\u00a0%"])
  expect(headings({ ...WORDS, headed: "Layer {layer}: best of ten" })).toEqual(["Layer 1: best of tenhorn87.5\u00a0%"])
})

describe("the layers as buttons", () => {
  const look = vi.fn()
  const choose = vi.fn()
  let tokens: HTMLButtonElement[]

  beforeEach(() => {
    vi.clearAllMocks()
    const field = document.createElement("div")
    const frame = document.createElement("div")
    field.append(frame)
    document.body.replaceChildren(field)
    const flow = new Flow(field, frame, payload, { look, choose })
    flow.draw({ payload, layer: "1", head: "1", kept: 0.8, patch: 1 })
    tokens = [...field.querySelectorAll("button")]
  })

  it("one of them is pressed, and in the order of the Tab key", () => {
    expect(tokens.map((token) => [token.textContent, token.ariaPressed ?? token.getAttribute("aria-pressed"), token.tabIndex])).toEqual([
      ["Layer 1", "true", 0],
      ["Mean", "false", -1],
    ])
    expect(document.querySelectorAll(".reading").length).toBe(1)
    expect(document.querySelectorAll(".front .ribbon").length).toBe(3) // with that of the patch
    expect(Array.from(document.querySelectorAll(".weights span"), ({ textContent }) => textContent)).toEqual(["0.0313", "0.0313"])
  })

  it("arrow keys move among them, Escape frees, a press chooses", () => {
    tokens[0]!.focus()
    tokens[0]!.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown" }))
    expect(document.activeElement).toBe(tokens[1])
    tokens[1]!.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }))
    expect(look).toHaveBeenLastCalledWith(null)
    tokens[1]!.click()
    expect(choose).toHaveBeenCalledWith("mean")
  })
})
