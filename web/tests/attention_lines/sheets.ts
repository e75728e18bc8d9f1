/** Sheets of lines for tests. */

import { type LinesSheet, type LinesView, Weights, type WordName, type Words } from "../../src/views/attention_lines/payload"
import { ReadOut } from "../../src/views/attention_lines/readout"

export const STYLES: LinesSheet["styles"]["light"] = [
  ["#ff0000", []],
  ["#0000ff", [1, 1]],
]

const WORDS: Partial<Words> = {
  one: "layer {layer}, head {head}",
  attends: "{token} ({place}) attends to: {list} ({meaning})",
  attended: "{token} ({place}) is attended to by: {list} ({meaning})",
  meanOf: "mean of {count} heads",
  locked: "Locked: {what}",
  strongestLines: "{count} of {all}",
  allLines: "all {all}",
  cell: "{query} attends to {key}",
  chip: "head {head}",
  drawn: "{kind}, layers {layers}, {share} %",
  drawnNone: "{kind}, no layers, {share} %",
  meanIs: "mean {weight}",
  more: "{count} more",
}

/** Every word is its own name, unless a test reads its placeholders. */
const words = new Proxy(WORDS, { get: (own, name) => own[name as WordName] ?? name }) as Words

/** A sheet of two layers, numbered 5 and 6, and two heads. */
export function makeSheet(fields: Partial<LinesSheet> = {}): LinesSheet {
  const [queries, keys] = [
    ["le", "chat"],
    ["the", "black", "cat"],
  ]
  // The weights of the first query, then those of the second one; twelve numbers a layer.
  const weights = Float32Array.of(
    ...[0.5, 0.25, 0.25, 0, 0.125, 0.875],
    ...[0.25, 0.25, 0.5, 1, 0, 0],
    ...[0, 0.5, 0.5, 0.25, 0.25, 0.5],
    ...[0.125, 0.75, 0.125, 0.5, 0.5, 0],
  )
  const axes = { queryAxis: "Query", keyAxis: "Key", title: "Cross-attention", causal: false, numbers: [5, 6] }
  const shared = { words, theme: "light" as const, styles: { light: STYLES, dark: STYLES } }
  return { ...shared, ...axes, queries, keys, shape: [2, 2, 2, 3], weights, ...fields }
}

export const ALL: LinesView = { layers: [0, 1], heads: [0, 1], mass: 1, locked: null }

/** What is read out of a sheet; at first all maps are chosen. */
export function makeReadOut(view: Partial<LinesView> = {}, fields: Partial<LinesSheet> = {}): ReadOut {
  const sheet = makeSheet(fields)
  return new ReadOut(sheet, new Weights(sheet), { ...ALL, ...view })
}
