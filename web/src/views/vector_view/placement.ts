/** Where vectors and their point are, and how they move; the payload as views/components/vector_view.py writes it. */

import type { Theme } from "../../core/colour"
import { onGrid } from "../../core/numbers"
import { DECIMALS, type Row, type Vectors } from "./algebra"

export const STEP = 0.1 // of a drag and of an arrow key; with Shift a key moves by 1

type Range = readonly [low: number, high: number]

/** Rotation around the upright axis and seen from above, in degrees. */
export type Turn = readonly [turn: number, tilt: number]

export interface Header {
  dimensions: number
  label: string
  names: readonly string[] // of the vectors, then of the point
  axes: readonly string[]
  hues: readonly string[]
  spans: readonly string[] // what vectors of a rank span, in words
  limit: number
  turns: readonly [Range, Range]
  theme: Theme
  words: Words
}

export interface Words {
  vector: string
  combined: string
  coefficient: string
  coordinate: string
  determinant: string
  rank: string
  independent: string
  pair: string
  area: string
  zero: string
  only: string
  relation: string
  dependent: string
  coordinates: string
  reached: string
  missed: string
  across: string
  upwards: string
  turn: string
  tilt: string
}

export interface Placement extends Vectors {
  turn: Turn
}

/** New coordinates by column. */
export type Change = Readonly<Record<number, number>>

/** The vectors, then the point. */
export function rowsOf({ vectors, point }: Vectors): Row[] {
  return [...vectors, point]
}

/** A vector, or the point (the last row), with other coordinates, which are rounded and stay within the limit. */
export function moved(placement: Placement, row: number, changed: Change, limit: number): Placement {
  const within = (number: number) => onGrid(Math.min(limit, Math.max(-limit, number)), DECIMALS)
  const changedRow = (each: Row) => each.map((number, column) => (column in changed ? within(changed[column]!) : number))
  const rows = rowsOf(placement).map((each, place) => (place === row ? changedRow(each) : each))
  return { ...placement, vectors: rows.slice(0, -1), point: rows.at(-1)! }
}

/** The view from another angle, in whole degrees within its range. */
export function turned(placement: Placement, place: 0 | 1, angle: number, ranges: Header["turns"]): Placement {
  const [low, high] = ranges[place]
  const within = Math.min(high, Math.max(low, Math.round(angle)))
  const [turn, tilt] = placement.turn
  return { ...placement, turn: place === 0 ? [within, tilt] : [turn, within] }
}

const ALONG: Readonly<Record<string, readonly [column: number, sign: number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowDown: [1, -1],
  ArrowUp: [1, 1],
  PageDown: [2, -1],
  PageUp: [2, 1],
}

/** The coordinate that a key changes, and by how much; undefined for any other key. */
export function keyStep(
  { key, shiftKey }: Readonly<{ key: string; shiftKey: boolean }>,
  dimensions: number,
): readonly [column: number, by: number] | undefined {
  const along = ALONG[key]
  return along && along[0] < dimensions ? [along[0], along[1] * (shiftKey ? 1 : STEP)] : undefined
}

/** The numbers of a pasted text, such as [2, 1] or [[2, 1], [-1, 2]]. */
export function pastedNumbers(text: string): number[] {
  return (text.replaceAll("\u2212", "-").match(/[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?/gi) ?? []).map(Number)
}
