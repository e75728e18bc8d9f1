/** Where rows, lines and cells are, in pixels of the page. */

import type { Token } from "./payload"
import { Strokes } from "./strokes"
import type { Weights } from "./weights"

const ROW = 20 // pixels per token
const WIDE_ROW = 28 // pixels per token of a short input
const SHORT = 360 // pixels of height up to which an input is short
const FULL_ROW = 15 // pixels per token of a long input that need not fit the screen
const FITS = 800 // pixels of height into which a long input is compressed
const THICKEST = 6 // pixels of a line whose weight is 1
const NUMBER = 46 // pixels of a number next to the cells

/** Pixels between two legible labels. */
export const NEAR = 12

/** The weight of a cell that would be invisible. */
export const FAINT = 0.02

/** Whether so many tokens are compressed to fit the screen. */
export function isLong(tokens: number): boolean {
  return tokens * ROW > FITS
}

/** Pixels per token; `full`: a long input need not fit the screen. */
export function rowHeight(tokens: number, full: boolean): number {
  if (tokens * WIDE_ROW <= SHORT) return WIDE_ROW
  if (!isLong(tokens)) return ROW
  return full ? FULL_ROW : Math.max(2.5, FITS / tokens)
}

/** Pixels of the cells next to a token, one per map, between lines of this width; 0: the width is not known yet. */
export function cellsWidth(width: number, maps: number): number {
  return Math.min(width > 0 && width < 240 ? 40 : 72, 9 * maps)
}

/** Pixels of the cells and of the number next to them. */
export function slotWidth(width: number, maps: number): number {
  return cellsWidth(width, maps) + NUMBER
}

/** The strongest `most` lines of a token, or of all tokens if `focus` is null; those of several maps are side by side. */
export function strokesOf(
  weights: Weights,
  maps: readonly number[],
  { focus, most, row, width }: { focus: Token | null; most: number; row: number; width: number },
): Strokes {
  const slot = slotWidth(width, maps.length)
  const left = focus?.side === "key" ? slot : 0
  const right = focus?.side === "query" ? width - slot : width
  const spread = Math.min(row * 0.6, 2.5 * (maps.length - 1))
  const offset = (place: number) => (maps.length > 1 ? (place / (maps.length - 1) - 0.5) * spread : 0)
  const offsets = new Map(maps.map((map, place) => [map, offset(place)]))
  const middle = (place: number, map: number) => (place + 0.5) * row + offsets.get(map)!
  const { all, cells } = weights.strongest(maps, focus, most)
  const strokes = new Strokes(Math.max(2.4, THICKEST * Math.min(1, row / ROW)), all)
  const { queries, keys, heads, values } = weights
  for (const cell of cells) {
    const map = Math.floor(cell / (queries * keys))
    const query = Math.floor(cell / keys) % queries
    strokes.add(left, middle(query, map), right, middle(cell % keys, map), values[cell]!, map % heads)
  }
  return strokes
}
