/** The small map of a head: a pattern, not numbers. */

import { clamp } from "../../core/numbers"
import type { Shape } from "../../core/painting"

const MOST_CELLS = 48 // a side; larger maps show the largest weight of each block of cells

/** One byte per cell, 255 for the largest weight. */
export interface SmallMap {
  shape: Shape
  cells: Uint8Array
}

/** The same rule as `small_map` in views/components/head_list.py. */
export function smallMap({ weights, shape: [queries, keys] }: { weights: Float32Array; shape: Shape }): SmallMap {
  const block = Math.ceil(Math.max(queries, keys) / MOST_CELLS)
  const shape = [Math.ceil(queries / block), Math.ceil(keys / block)] as const
  const most = new Float64Array(shape[0] * shape[1])
  weights.forEach((weight, cell) => {
    const place = Math.floor(Math.floor(cell / keys) / block) * shape[1] + Math.floor((cell % keys) / block)
    most[place] = Math.max(most[place]!, weight)
  })
  const top = most.reduce((one, other) => Math.max(one, other), 0) || 1
  return { shape, cells: Uint8Array.from(most, (weight) => clamp(roundHalfToEven((weight / top) * 255), 256)) }
}

function roundHalfToEven(value: number): number {
  const whole = Math.round(value)
  return whole - value === 0.5 && whole % 2 ? whole - 1 : whole
}
