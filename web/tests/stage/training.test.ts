import { afterEach, beforeEach, expect, it, vi } from "vitest"

import { mapOf } from "../../src/views/stage/payload"
import { PACE, STEP, Training, TrainingSteps } from "../../src/views/stage/training"
import { floats, pack } from "../packing"

const kind = { layers: ["1", "mean"], heads: ["1", "2", "mean"] }
const heads = { encoder: [["", ""]], cross: [["aligned", "mixed"]], decoder: [["", ""]] }
const step = (number: number, losses: number[], roles: number[][]) => ({
  step: number,
  places: [[0.5, "un", 0.5, "le", 0.25]],
  losses,
  text: "un",
  finished: true,
  labels: heads,
  roles: { encoder: [[[], []]], cross: [roles], decoder: [[[], []]] },
  heldout: 2,
})
const names = [["0", "0"], ["40", "40"], ["3000", "3 000"]]
const header = {
  words: { stepIs: "step {step} of {last}", play: "Play", pause: "Pause" },
  controls: [{ name: STEP, label: "", options: names, first: "3000" }],
  ...{ english: ["a", "b"], french: ["un"], rowName: "{read} \u2192 {chosen}", start: "<s>", decimals: 3, theme: "light" },
  kinds: { encoder: kind, cross: kind, decoder: kind },
  roles: [{ name: "alignment", mark: "A" }, { name: "copying", mark: "C" }],
  steps: [step(0, [8], [[], []]), step(40, [4], [[], [0]]), step(3000, [1], [[0, 1], [0]])],
}
const cross = [0.5, 0.5, 0.25, 0.75, 0.125, 0.875, 1, 0, 0.75, 0.25, 0.5, 0.5] // (step, layer, head, query, key)
const bytes = pack(header, {
  encoder: floats([3, 1, 2, 2, 2], ...Array<number>(24).fill(0.5)),
  cross: floats([3, 1, 2, 1, 2], ...cross),
  decoder: floats([3, 1, 2, 1, 1], 1, 1, 1, 1, 1, 1),
})
const training = new Training(bytes)

it("has the maps of every step, with their means", () => {
  const map = (at: number, head: string) => [...mapOf(training.payload(at), "cross", { layer: "1", head })]
  expect([map(0, "1"), map(1, "2"), map(2, "1")]).toEqual([[0.5, 0.5], [1, 0], [0.75, 0.25]])
  expect(map(1, "mean")).toEqual([0.5625, 0.4375])
  expect(training.payload(1).places[0]!.top).toEqual([["un", 0.5], ["le", 0.25]])
  expect(training.payload(1)).toBe(training.payload(1))
})

it("notes what a head does at a step, and counts the heads of every role", () => {
  expect(training.noteOf(2, "cross", { layer: "1", head: "1" })).toEqual({ mark: "AC", label: "aligned" })
  expect(training.noteOf(0, "cross", { layer: "1", head: "1" })?.mark).toBe("")
  expect(training.noteOf(2, "cross", { layer: "1", head: "mean" })).toBeNull()
  expect(training.counts(2).map(([, count]) => count)).toEqual([2, 1])
  expect([training.most, training.mean(1)]).toEqual([8, 4])
})

it("the last step is that of an address without one", () => {
  expect([training.indexOf("40"), training.indexOf(undefined), training.indexOf("x")]).toEqual([1, 2, 2])
})

const play = vi.fn<(index: number) => void>()
const choose = vi.fn<(index: number) => void>()
let steps: TrainingSteps

beforeEach(() => {
  vi.useFakeTimers()
  vi.clearAllMocks()
  document.body.replaceChildren()
  steps = new TrainingSteps(document.body, { play: (at) => (play(at), steps.show(training, at)), choose: (at) => (choose(at), steps.show(training, at)) })
  steps.show(training, 2)
})
afterEach(() => {
  steps.stop()
  vi.useRealTimers()
})
const buttons = () => [...document.querySelectorAll("button")]

it("plays from the first step to the last without sending one, then chooses the last", () => {
  buttons()[2]!.click()
  expect(buttons()[2]!.textContent).toBe("Pause")
  vi.advanceTimersByTime(PACE * 5)
  expect(play.mock.calls).toEqual([[0], [1]])
  expect(choose.mock.calls).toEqual([[2]])
  expect([steps.playing, buttons()[2]!.textContent]).toEqual([false, "Play"])
})

it("a pause chooses the step that is drawn, and a step by hand ends playing", () => {
  buttons()[2]!.click()
  vi.advanceTimersByTime(PACE * 1.5)
  buttons()[2]!.click()
  expect(choose).toHaveBeenLastCalledWith(1)
  buttons()[2]!.click()
  buttons()[0]!.click()
  vi.advanceTimersByTime(PACE * 5)
  expect(choose).toHaveBeenLastCalledWith(0)
  expect(steps.playing).toBe(false)
})

it("the slider names its step and chooses another, and ends have no button", () => {
  const slider = document.querySelector("input")!
  expect(slider.getAttribute("aria-valuetext")).toBe("step 3 000 of 3 000")
  expect(buttons().map(({ disabled }) => disabled)).toEqual([false, true, false])
  slider.value = "1"
  slider.dispatchEvent(new Event("input"))
  expect(choose.mock.calls).toEqual([[1]])
})
