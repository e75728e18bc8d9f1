/** The payload of a step view as views/components/step_view.py writes it: axes, arrays by the names of their axes, panels. */

import type { Theme } from "../../core/colour"
import type { DataKind } from "../../core/dom"
import { threeDigits } from "../../core/numbers"
import { type Arrays, type Bytes, sizeOf, unpack } from "../../core/payload"

/*
 * Computations in the browser while a slider is dragged. A rule receives the values of arrays and of sliders, and returns
 * the derived numbers: along the one axis that each has, or single.
 */

type Values = ArrayLike<number>
type Results = Readonly<Record<string, readonly number[]>>
type Rule = (arrays: Readonly<Record<string, Values>>, settings: Readonly<Record<string, number>>) => Results

/** The logits of all tokens that can be generated, largest first, and the rank of each row of the table, from 1. */
interface SamplingArrays {
  sorted: Values
  rank: Values
}

interface SamplingSettings {
  try_temperature: number
  try_k: number // 0 for all
  try_p: number
}

/** From logits to the sampling distribution, like model/decoding/sampling_stages.py. */
export function sampling({ sorted, rank }: SamplingArrays, settings: SamplingSettings): Results {
  const { try_temperature: temperature, try_k: topK, try_p: topP } = settings
  const scaled = Float64Array.from(sorted, (logit) => logit / temperature)
  const powers = scaled.map((value) => Math.exp(value - scaled[0]!))
  let end = topK || scaled.length
  while (end < scaled.length && scaled[end] === scaled[end - 1]) end += 1 // logits equal to the last one stay too
  const topMass = sumOf(powers.subarray(0, end))
  let count = 1 // the most probable token always stays
  let before = powers[0]! / topMass
  while (count < end && (topP === 1 || before < topP)) before += powers[count++]! / topMass
  const total = sumOf(powers.subarray(0, count))
  const ofRow = (valueAt: (place: number) => number) => Array.from(rank, (place) => valueAt(place - 1))
  return {
    scaled: ofRow((place) => scaled[place]!),
    filtered: ofRow((place) => (place < count ? scaled[place]! : NaN)),
    probability: ofRow((place) => (place < count ? powers[place]! / total : 0)),
    kept: [count],
    mass: [total / sumOf(powers)],
  }
}

/**
 * The model's probabilities of the rows, the right token's first; the mean loss of the right tokens, and of all tokens; the
 * size of the vocabulary.
 */
interface SmoothingArrays {
  p: Values
  plain: Values
  even: Values
  vocabulary: Values
}

/** The smoothed target, the gradient of the logits and the loss, like model/networks/loss_terms.py. */
export function smoothing(
  { p, plain, even, vocabulary }: SmoothingArrays,
  { smoothing: percent }: { smoothing: number },
): Results {
  const [share, size] = [percent / 100, vocabulary[0]!]
  const each = share / size
  const q = Array.from(p, (_, row) => each + (row === 0 ? 1 - share : 0))
  const entropy = (probability: number) => (probability ? -probability * Math.log(probability) : 0)
  return {
    q,
    gradient: q.map((target, row) => p[row]! - target),
    smoothed: [(1 - share) * plain[0]! + share * even[0]!],
    smallest: [entropy(q[0]!) + (size - 1) * entropy(each)],
  }
}

function sumOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0)
}

export type RuleName = "sampling" | "smoothing"

// by name, as the payload names them: it has the arrays and the sliders that its rule needs
const RULES: Readonly<Record<RuleName, Rule>> = {
  sampling: sampling as unknown as Rule,
  smoothing: smoothing as unknown as Rule,
}

/**
 * Replaces numbers by those of a rule, except at the positions `at` that the server has, which keep the server's; and the
 * largest difference between the two there.
 */
export function followRule(
  name: RuleName,
  sent: NumberArrays,
  at: Places,
  axes: Axes,
): { numbers: NumberArrays; difference: number } {
  const ids = Object.keys(at)
  const arrays = Object.fromEntries(Object.entries(sent).map(([key, { values }]) => [key, values]))
  const compute = (places: Places) =>
    RULES[name](arrays, Object.fromEntries(ids.map((id) => [id, axes[id]?.values[places[id] ?? 0] ?? NaN])))
  const keyOf = (places: Places) => ids.map((id) => places[id]).join()
  const server = keyOf(at)
  const known = { places: server, results: compute(at) }
  let difference = 0
  const numbers: Record<string, NumberArray> = { ...sent }
  for (const [key, results] of Object.entries(known.results)) {
    const array = sent[key]
    if (!array) continue
    const { dims, values } = array
    results.forEach((value, place) => (difference = Math.max(difference, Math.abs(value - values[place]!) || 0)))
    const own = (places: Places) => {
      const now = keyOf(places)
      if (now !== known.places) Object.assign(known, { places: now, results: compute(places) })
      return known.results[key]?.[dims[0] === undefined ? 0 : (places[dims[0]] ?? 0)] ?? NaN
    }
    numbers[key] = { dims, values, at: (places) => (keyOf(places) === server ? array.at(places) : own(places)) }
  }
  return { numbers, difference }
}

/* Numbers and labels of a step view as text. */

/** Three significant digits; a dash for NaN. */
export function signedDigits(value: number): string {
  return Number.isNaN(value) ? "\u2013" : threeDigits(value)
}

/** Positions of the sliders by the ids of their axes, from 0. */
export type Places = Readonly<Record<string, number>>

export interface Axis {
  id: string
  title: string
  labels: readonly string[]
  count: number
  slider: boolean
  said: DataKind
  beside: boolean // labels are written next to what is drawn along it
  values: readonly number[]
}

export interface HeatmapHeader {
  is: "heatmap"
  name: string
  finding: string // the title instead of the name, with placeholders
  wide: boolean
  numbers: string
  rows: string
  columns: string
  signed: boolean
  top: number
  scales: Readonly<Record<Theme, readonly string[]>>
  grows: boolean // rows after the position of their slider are blank
  most: number // columns that are drawn; 0 for all
}

export interface RibbonHeader {
  is: "ribbon"
  name: string
  wide: boolean
  along: string
  numbers: string
  top: number // the number of the widest ribbon
  hue: string
}

export interface CurvesHeader {
  is: "curves"
  name: string
  finding: string // the title instead of the name, with placeholders
  wide: boolean
  along: string
  curves: readonly { name: string; numbers: string }[]
  low: number
  high: number
  log: boolean
  own: boolean // the scale is that of the lines that are drawn at the moment
}

export interface BarColumn {
  name: string
  numbers: string
  top: number
  signed: boolean
  bar: boolean
  nothing: string // instead of NaN
  hues: readonly [negative: string, positive: string]
}

export interface BarsHeader {
  is: "bars"
  name: string
  wide: boolean
  along: string
  columns: readonly BarColumn[]
  taken: number | null // the row whose label is highlighted
  hue: string // of that label
}

export interface FormulaHeader {
  is: "formula"
  name?: undefined
  wide: boolean
  text: string
}

export type PanelHeader = HeatmapHeader | RibbonHeader | CurvesHeader | BarsHeader | FormulaHeader

export interface Words {
  at: string
  back: string
  forward: string
  map: string
  chart: string
  unread: string
}

export type LineStyle = readonly [colour: string, dashes: readonly number[]]

export interface Header {
  axes: readonly Axis[]
  numbers: Readonly<Record<string, readonly string[]>>
  whole: readonly string[]
  rule: "" | RuleName
  at: Places
  panels: readonly PanelHeader[]
  styles: Readonly<Record<Theme, readonly LineStyle[]>>
  theme: Theme
  words: Words
}

/** An array: the ids of its axes, its values, and the value at the sliders' positions. */
export interface NumberArray {
  dims: readonly string[]
  values: Float32Array
  at: (places: Places) => number
}

export type Axes = Readonly<Record<string, Axis>>
export type NumberArrays = Readonly<Record<string, NumberArray>>

/** A payload with its axes and arrays by name. */
export interface Content {
  header: Header
  axes: Axes
  numbers: NumberArrays
  difference: number | undefined // between the server's numbers and those of the rule; undefined without one
}

export function readContent(bytes: Bytes): Content {
  const [header, arrays] = unpack<Header>(bytes)
  const axes = Object.fromEntries(header.axes.map((axis) => [axis.id, axis]))
  const sent = readNumbers(header, axes, arrays)
  if (!header.rule) return { header, axes, numbers: sent, difference: undefined }
  return { header, axes, ...followRule(header.rule, sent, header.at, axes) }
}

/** The arrays of a payload. */
export function readNumbers({ numbers }: Pick<Header, "numbers">, axes: Axes, arrays: Pick<Arrays, "floats">): NumberArrays {
  return Object.fromEntries(
    Object.entries(numbers).map(([key, dims]): [string, NumberArray] => {
      const sizes = dims.map((dim) => axes[dim]?.count ?? 0)
      const values = arrays.floats(key)
      const strides = sizes.map((_, dim) => sizeOf(sizes.slice(dim + 1)))
      const cell = (places: Places) => dims.reduce((sum, dim, place) => sum + (places[dim] ?? 0) * strides[place]!, 0)
      return [key, { dims, values, at: (places) => values[cell(places)] ?? NaN }]
    }),
  )
}

/** What the elements of a view depend on; numbers at the ends of a scale change without it. */
export function layoutOf({ axes, panels, words, whole }: Header): unknown {
  return [axes, panels.map((panel) => ({ ...panel, top: undefined, low: undefined, high: undefined })), words, whole]
}

/** The text of a position on an axis: its label, or its number. */
export function labelOf(axis: Axis, place: number): string {
  return axis.labels[place] ?? String(place + 1)
}
