import { beforeEach, expect, it, vi } from "vitest"

import { Requests } from "../../src/core/requests"
import { kindOfPlace, Lane, type LayerRequest } from "../../src/views/stage/lane"

const sender = { answer: vi.fn<(name: string, value: unknown) => void>(), unanswered: new Map<string, unknown>() }
const serial = () => (sender.answer.mock.lastCall![1] as { serial: number }).serial
const leave = vi.fn()
const words = { openLayer: "Open", closeLayer: "Close" }
const stations = [
  { title: "Input", link: "./inside?inside=add-norm", text: "256 numbers", rows: [] },
  { title: "Softmax", link: "./inside?step=weights", text: "sum 1", rows: [["cat", "0.750", 0.75], ["</s>", "0.250", 0.25]] as const },
]
const answers = (number: number, fields: object = {}) => ({ state: "", pulls: "", layer: [{ serial: number, status: "done" as const, ...fields }] })
const about = () => ({ text: "Hello.", pulls: "" })
const french = (place: number) => ({ side: "french", place }) as const
let lane: Lane

beforeEach(() => {
  vi.clearAllMocks()
  document.body.replaceChildren()
  Element.prototype.scrollIntoView = vi.fn()
  const requests = new Requests<LayerRequest>(sender, "layer", () => {})
  lane = new Lane(document.body, { requests, leave, about, choice: (kind) => ({ layer: kind, head: "mean" }), ribbon: () => null })
})

it("asks for the row that a token has: its own self-attention, or what it attends to", () => {
  expect(kindOfPlace(french(1), { kind: "decoder" })).toBe("decoder")
  expect(kindOfPlace(french(1), { kind: "encoder" })).toBe("cross")
  expect(kindOfPlace({ side: "english", place: 0 }, { kind: "cross" })).toBe("encoder")
  lane.open(french(2), { kind: "decoder" })
  expect(sender.answer).toHaveBeenCalledWith("layer", {
    serial: serial(), state: "", kind: "decoder", layer: "decoder", head: "mean", query: 2, text: "Hello.", pulls: "",
  })
})

it("shows the answer to the newest request, with links and bars", () => {
  lane.open(french(2), {})
  const old = serial()
  lane.open(french(3), {})
  lane.take(answers(old, { title: "old", note: "", stations }), words)
  expect(lane.root.hidden).toBe(true)
  lane.take(answers(serial(), { title: "Layer 4", note: "", stations }), words)
  expect([lane.root.hidden, lane.root.getAttribute("aria-label")]).toEqual([false, "Layer 4"])
  expect(Array.from(lane.root.querySelectorAll("a"), (link) => link.getAttribute("href"))).toEqual(stations.map(({ link }) => link))
  expect(lane.root.querySelectorAll("tr").length).toBe(2)
  const language = () => Array.from(lane.root.querySelectorAll("th"), (name) => `${name.lang} ${name.getAttribute("translate")}`)
  expect(language()).toEqual([" no", " no"])
  lane.open(french(3), {})
  lane.take(answers(serial(), { title: "Layer 4", note: "", stations, language: "en" }), words)
  expect(language()).toEqual(["en no", "en no"])
  expect(lane.root.querySelector<HTMLElement>(".share")!.style.getPropertyValue("--share")).toBe("0.75")
})

it("closes by Escape, which returns to the token, and where another token is held", () => {
  lane.open(french(2), {})
  const answer = answers(serial(), { title: "", note: "", stations })
  lane.take(answer, words)
  lane.follow(french(2))
  expect(lane.root.hidden).toBe(false)
  lane.root.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }))
  expect(leave).toHaveBeenCalledWith(french(2))
  lane.take(answer, words) // the same mark again
  expect(lane.root.hidden).toBe(true)
  lane.open(french(2), {})
  lane.follow(french(1))
  lane.take(answers(serial(), { stations }), words) // too late
  expect(lane.root.hidden).toBe(true)
})

it("shows why a layer is not opened, and nothing of a request about what is not shown any more", () => {
  lane.open(french(2), {})
  lane.take(answers(serial(), { status: "outdated" }), words)
  expect(lane.root.hidden).toBe(true)
  lane.open(french(2), {})
  lane.take(answers(serial(), { status: "refused", reason: "Undo the pulls first." }), words)
  expect([lane.root.hidden, lane.root.querySelector("h2")!.textContent]).toEqual([false, "Undo the pulls first."])
})
