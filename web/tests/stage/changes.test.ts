import { expect, test } from "vitest"

import { decodeStage, mapOf, withChanges } from "../../src/views/stage/payload"
import { floats, pack } from "../packing"

const kind = { heading: "", meaning: "", layers: ["1", "2", "mean"], heads: ["1", "mean"], scales: { light: [], dark: [] } }
const place = (probability: number) => [probability, "x", probability, "y", 0.01]
const header = {
  name: 7, theme: "light", words: {}, controls: [], english: ["the", "cat"], french: ["le", "chat"], rowName: "{read} \u2192 {chosen}", start: "<s>",
  places: [place(0.5), place(0.75)], text: "le chat", examples: [], kinds: { encoder: kind, cross: kind, decoder: kind },
}
const unpulled = decodeStage(
  pack(header, {
    encoder: floats([2, 1, 2, 2], 1, 0, 0.5, 0.5, 0.25, 0.75, 0, 1),
    cross: floats([2, 1, 2, 2], 0.5, 0.5, 1, 0, 0.75, 0.25, 0, 1),
    decoder: ["float32", [2, 1, 2, 2], Float32Array.of(1, 0.25, 0.75, 1, 0.5, 0.5), true],
  }),
)
const pulled = { query: 1, key: 0, kind: "cross", before: "le chat", now: "le petit chat", lines: [], former: [], forced: "", count: 1 }
/** The second row of layer 2 changed, and there is a third place. */
const sent = pack({ of: 7, french: ["le", "petit", "chat"], places: { 1: place(0.9), 2: place(0.8) }, pulled }, {
  "rows-encoder": ["uint8", [2, 2], Uint8Array.of(0, 0, 0, 0)],
  "rows-cross": ["uint8", [2, 3], Uint8Array.of(0, 0, 1, 0, 1, 1)],
  "rows-decoder": ["uint8", [2, 3], Uint8Array.of(0, 0, 1, 0, 0, 1)],
  encoder: floats([0]),
  cross: floats([6], 0.5, 0.5, 0.875, 0.125, 1, 0),
  decoder: floats([6], 0.25, 0.25, 0.5, 0, 0, 1),
})
const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))
const layer = (number: string) => ({ layer: number, head: "1" })

test("rows that changed take the place of the former ones, and the others stay", () => {
  const payload = withChanges(unpulled, base64(sent))
  expect([...mapOf(payload, "cross", layer("1"))]).toEqual([0.5, 0.5, 1, 0, 0.5, 0.5])
  expect([...mapOf(payload, "cross", layer("2"))]).toEqual([0.75, 0.25, 0.875, 0.125, 1, 0])
  expect([...mapOf(payload, "cross", { layer: "mean", head: "1" })]).toEqual([0.625, 0.375, 0.9375, 0.0625, 0.75, 0.25])
  expect([...mapOf(payload, "decoder", layer("1"))]).toEqual([1, 0, 0, 0.25, 0.75, 0, 0.25, 0.25, 0.5])
  expect([...mapOf(payload, "decoder", layer("2"))]).toEqual([1, 0, 0, 0.5, 0.5, 0, 0, 0, 1])
  expect([...mapOf(payload, "encoder", layer("2"))]).toEqual([...mapOf(unpulled, "encoder", layer("2"))])
  expect(payload.places.map(({ probability }) => probability)).toEqual([0.5, 0.9, 0.8])
  expect(payload.places[2]!.top).toEqual([["x", 0.8], ["y", 0.01]])
  expect([payload.text, payload.french.length, payload.maps.decoder.keys]).toEqual(["le petit chat", 3, ["<s>", "le", "petit"]])
})

test("without changes, and with those of another translation, the payload is as it was", () => {
  expect(withChanges(unpulled, "")).toBe(unpulled)
  expect(withChanges({ ...unpulled, name: 8 }, base64(sent))).toEqual({ ...unpulled, name: 8 })
})
