/** The payload of a step view as views/components/step_view.py writes it: axes, arrays by the names of their axes, panels. */

import type { Theme } from "../../core/colour"
import type { DataKind } from "../../core/dom"
import { sizeOf, unpack, type Arrays, type Bytes } from "../../core/payload"
import { followRule, type RuleName } from "./rules"

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
