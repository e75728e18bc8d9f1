import { expect, it } from "vitest"
import type { StagePayload, Words } from "../../src/views/stage/payload"
import { mapOf } from "../../src/views/stage/payload"
import { describeToken, listWeights, mapTitle, weightText } from "../../src/views/stage/reading"

const words = {
  named: "{kind}, {map}",
  one: "layer {layer}, head {head}",
  overHeads: "layer {layer}, mean of {heads} heads",
  overLayers: "head {head}, mean of {layers} layers",
  overAll: "mean of all {layers} layers and {heads} heads",
  other: "other",
  frenchName: "{token}, place {place} of {count}",
  englishName: "{token}, English token {place} of {count}",
  attends: "{name}, attends to {list}",
  attended: "{name}, attended to by {list}",
} as unknown as Words

const kind = (heading: string) => ({
  heading, meaning: "", layers: ["1", "2", "mean"], heads: ["1", "mean"], scales: { light: [], dark: [] },
})
const english = ["the", "animal", "it"]
const french = ["il", "est"]
const rows = ["<s> \u2192 il", "il \u2192 est"]
const maps = (queries: readonly string[], keys: readonly string[], first: readonly number[]) => ({
  queries, keys, shape: [3, 2, queries.length, keys.length] as const,
  weights: Float32Array.from({ length: 6 * queries.length * keys.length }, (_, cell) => first[cell] ?? 0),
})

const payload = {
  words, english, french,
  kinds: { encoder: kind("Encoder self-attention"), cross: kind("Cross-attention"), decoder: kind("Decoder") },
  maps: {
    encoder: maps(english, english, [0.5, 0.5]),
    cross: maps(rows, english, [0.1, 0.75, 0.15, 0, 0.5, 0.5]),
    decoder: maps(rows, ["<s>", "il"], [1, 0, 0.25, 0.75]),
  },
} as unknown as StagePayload

const first = { layer: "1", head: "1" }

it("always names the map", () => {
  const title = (layer: string, head: string) => mapTitle(payload, "cross", { layer, head })
  expect(title("2", "mean")).toBe("Cross-attention, layer 2, mean of 1 heads")
  expect(title("1", "1")).toBe("Cross-attention, layer 1, head 1")
  expect(title("mean", "1")).toBe("Cross-attention, head 1, mean of 2 layers")
  expect(title("mean", "mean")).toBe("Cross-attention, mean of all 2 layers and 1 heads")
})

it("lists the strongest weights and the rest", () => {
  expect(listWeights([0.05, 0.75, 0.15, 0.03, 0.02], ["a", "b", "c", "d", "e"], "other")).toBe("b 0.750, c 0.150, a 0.050, other 0.050")
  expect(listWeights([1, 0], ["a", "b"], "other")).toBe("a 1")
})

it("describes a token by what it attends to in the map that is drawn", () => {
  const cross = mapOf(payload, "cross", first)
  expect(describeToken(payload, "cross", cross, { side: "french", place: 0 })).toBe(
    "<s> \u2192 il, place 1 of 2, attends to animal 0.750, it 0.150, the 0.100",
  )
  expect(describeToken(payload, "cross", cross, { side: "english", place: 1 })).toBe(
    "animal, English token 2 of 3, attended to by <s> \u2192 il 0.750, il \u2192 est 0.500",
  )
  const decoder = mapOf(payload, "decoder", first)
  expect(describeToken(payload, "decoder", decoder, { side: "french", place: 1 })).toBe(
    "il \u2192 est, place 2 of 2, attends to il 0.750, <s> 0.250",
  )
  expect(describeToken(payload, "decoder", decoder, { side: "english", place: 0 })).toBe("the, English token 1 of 3")
})

it("writes weights as the cells of maps do, and with the decimals that were sent", () => {
  expect([0.4021, 0.05, 1, 0, 0.0004].map((weight) => weightText(weight))).toEqual(["0.402", "0.050", "1", "0", "\u22480"])
  expect([0.4021, Math.fround(0.005), 0].map((weight) => weightText(weight, 2))).toEqual(["0.40", "\u22480", "\u22480"])
})
