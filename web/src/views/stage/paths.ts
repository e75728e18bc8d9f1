/** The lines of ribbons and arcs, as SVG paths. */

import type { Box, Layout } from "./layout"
import type { Part } from "./strongest"

/** A ribbon or an arc: its path, its width and its middle. */
export interface Line {
  readonly path: string
  readonly width: number
  readonly middle: readonly [x: number, y: number]
}

/** Where each ribbon ends at its English token: all weights of its column next to each other, in the order of places. */
export class EnglishEnds {
  private readonly before: Float32Array
  private readonly totals: Float32Array

  /** `weights` of all places and keys, row by row. */
  constructor(
    private readonly weights: Float32Array,
    private readonly keys: number,
  ) {
    this.before = new Float32Array(weights.length)
    this.totals = new Float32Array(keys)
    for (let cell = 0; cell < weights.length; cell++) {
      this.before[cell] = this.totals[cell % keys]!
      this.totals[cell % keys]! += weights[cell]!
    }
  }

  /** Distance from the token's middle, in pixels. */
  offset(place: number, key: number, { bar, english, english_room, rows, width }: Layout): number {
    const cell = place * this.keys + key
    const total = this.totals[key]! * bar
    const middle = english[key]!.x + english[key]!.width / 2
    const room = rows ? Math.min(english_room, 2 * middle, 2 * (width - middle)) : english_room
    const squeezed = total > room ? room / total : 1
    return ((this.before[cell]! + this.weights[cell]! / 2) * bar - total / 2) * squeezed
  }
}

/** The ribbon between a key and its part of a place's bar. */
export function ribbon(layout: Layout, ends: EnglishEnds, place: number, part: Part): Line {
  const key = layout.english[part.key]!
  const bar = layout.bars[place]!
  const width = Math.max(1, part.weight * layout.bar)
  const along = (part.from + part.weight / 2) * layout.bar
  const offset = ends.offset(place, part.key, layout)
  if (layout.rows) {
    const [x1, y1, x2, y2] = [key.x + key.width / 2 + offset, key.y + key.height, bar.x + along, bar.y]
    const half = (y1 + y2) / 2
    return { path: path(x1, y1, [x1, half, x2, half], x2, y2), width, middle: [(x1 + x2) / 2, half] }
  }
  const [x1, y1, x2, y2] = [key.x + key.width, key.y + key.height / 2 + offset, bar.x, bar.y + along]
  const half = (x1 + x2) / 2
  return { path: path(x1, y1, [half, y1, half, y2], x2, y2), width, middle: [half, (y1 + y2) / 2] }
}

/** The arc between two tokens of one side; on the outer side of the figure. */
export function arc(layout: Layout, side: "english" | "french", from: Box, to: Box, weight: number): Line {
  const width = Math.max(1, 6 * weight * layout.unit)
  const inner = 3 * layout.unit
  const sign = side === "english" ? -1 : 1
  if (layout.rows) {
    const [x1, x2] = [from.x + from.width / 2, to.x + to.width / 2]
    const y = side === "english" ? from.y - 1 : from.y + from.height + 1
    const high = y + sign * reach(layout, Math.abs(x1 - x2))
    return { path: path(x1, y, [x1, high, x2, high], x2, y), width, middle: [(x1 + x2) / 2, y + 0.75 * (high - y)] }
  }
  const x = side === "english" ? Math.min(...layout.english.map((box) => box.x)) - inner : frenchEdge(layout) + inner
  const [y1, y2] = [from.y + from.height / 2, to.y + to.height / 2]
  const far = x + sign * reach(layout, Math.abs(y1 - y2))
  return { path: path(x, y1, [far, y1, far, y2], x, y2), width, middle: [x + 0.75 * (far - x), (y1 + y2) / 2] }
}

function frenchEdge(layout: Layout): number {
  return Math.max(...layout.french.map((box) => box.x + box.width))
}

/** How far the control points of an arc are from its tokens: the arc itself reaches three quarters of that. */
function reach({ arcs, unit }: Layout, distance: number): number {
  return Math.min(1.25 * arcs, 18 * unit + 0.35 * distance)
}

type Four = readonly [number, number, number, number]

function path(x1: number, y1: number, [a, b, c, d]: Four, x2: number, y2: number): string {
  const [start, first, second, end] = [`${short(x1)} ${short(y1)}`, `${short(a)} ${short(b)}`, `${short(c)} ${short(d)}`, `${short(x2)} ${short(y2)}`]
  return `M${start}C${first} ${second} ${end}`
}

function short(value: number): number {
  return Math.round(10 * value) / 10
}
