/** Ticks of a scale, and labels that are moved apart. */

import { roundNumber } from "../../core/numbers"
import type { Scale } from "./curves"

const MOST = 5 // ticks of a scale

/** Round numbers from one end of a scale to the other; the ends themselves where fewer than two are between them. */
export function ticksOf({ low, high, log }: Scale): number[] {
  if (!(low <= high)) return [] // no line is drawn
  const scales = log ? [decades, withinDecades] : [steps]
  return scales.map((scale) => scale(low, high)).find(({ length }) => length > 1) ?? (low === high ? [low] : [low, high])
}

function decades(low: number, high: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)]
  const every = Math.max(1, Math.ceil((last - first + 1) / MOST))
  const count = Math.max(0, Math.floor((last - first) / every) + 1)
  return Array.from({ length: count }, (_, place) => Number((10 ** (first + place * every)).toPrecision(6)))
}

/** 1, 2 and 5 times the powers of ten. */
function withinDecades(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low))
  const powers = Array.from({ length: Math.floor(Math.log10(high)) - first + 1 }, (_, place) => 10 ** (first + place))
  const ticks = powers.flatMap((power) => [1, 2, 5].map((each) => Number((each * power).toPrecision(6))))
  return ticks.filter((each) => each >= low && each <= high)
}

function steps(low: number, high: number): number[] {
  if (!(high > low)) return []
  const power = 10 ** Math.floor(Math.log10((high - low) / MOST))
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => (high - low) / each <= MOST)!
  const first = Math.ceil(low / step - 1e-9)
  const count = Math.floor(high / step + 1e-9) - first + 1
  return Array.from({ length: count }, (_, place) => Number(((first + place) * step).toPrecision(12)))
}

/** Ticks as text, with as many digits as tell them apart and are right within a twentieth of their distance. */
export function tickTexts(ticks: readonly number[]): string[] {
  const apart = Math.min(...ticks.slice(1).map((tick, place) => tick - ticks[place]!))
  let digits = 3
  while (digits < 15 && ticks.some((tick) => Math.abs(Number(tick.toPrecision(digits)) - tick) > apart / 20)) digits++
  return ticks.map((tick) => roundNumber(tick, digits))
}

/** The middles of labels of these sizes, moved as little as is needed so that none overlap or leave 0 to `room`. */
export function spread(middles: readonly number[], sizes: readonly number[], room: number): number[] {
  const order = middles.map((_, place) => place).sort((one, other) => middles[one]! - middles[other]!)
  const moved = [...middles]
  let edge = 0
  for (const place of order) {
    moved[place] = Math.max(moved[place]!, edge + sizes[place]! / 2)
    edge = moved[place] + sizes[place]! / 2
  }
  edge = room
  for (const place of order.reverse()) {
    moved[place] = Math.min(moved[place]!, edge - sizes[place]! / 2)
    edge = moved[place] - sizes[place]! / 2
  }
  return moved
}
