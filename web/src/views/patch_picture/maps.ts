/** The weights that a panel shows over the patches, and the texts about them. */

import { filled } from "../../core/dom"
import { largest, threeDigits } from "../../core/numbers"
import type { Shape } from "../../core/painting"
import { sumOf } from "./outline"
import type { PictureWords, Shows } from "./payload"

export type Patch = readonly [row: number, column: number]

/** The map of one head, CLS first, and the patch that is selected in it. */
export interface Selection {
  weights: Float32Array // row by row; a map of its own is one row
  grid: Shape // of patches
  selected: Patch
}

/** The weights over the patches that a panel shows, row by row; null for none. */
export function weightsOver({ weights, grid: [rows, columns], selected }: Selection, shows: Shows): Float32Array | null {
  if (shows === "nothing") return null
  const width = 1 + rows * columns
  const chosen = indexOf(selected, columns)
  if (shows === "to") return Float32Array.from({ length: rows * columns }, (_, patch) => weights[(1 + patch) * width + chosen]!)
  const row = shows === "cls" ? 0 : shows === "from" ? chosen : shows
  return weights.slice(row * width + 1, (row + 1) * width)
}

/** The index of a patch among the tokens, of which CLS is the first. */
function indexOf([row, column]: Patch, columns: number): number {
  return 1 + row * columns + column
}

/** The strongest patch of a map. */
export function describeMap(words: PictureWords, over: Float32Array, columns: number): string {
  const most = over.indexOf(largest(over))
  return filled(words.strongest, { row: Math.floor(most / columns) + 1, column: (most % columns) + 1 })
}

/** The text about CLS in the map, and about the share of it in the outline around `count` patches. */
export function describeMass(
  words: PictureWords,
  { weights, grid: [rows, columns], selected }: Selection,
  shows: Shows,
  over: Float32Array,
  kept: number,
  count: number,
): string {
  const chosen = indexOf(selected, columns)
  const share = Math.round(100 * kept)
  if (shows === "to") {
    return filled(count ? words.toPatchKept : words.toPatch, { cls: threeDigits(weights[chosen]!), share, count })
  }
  const cls = threeDigits(weights[shows === "cls" ? 0 : chosen * (1 + rows * columns)]!)
  return filled(count ? words.fromPatchKept : words.fromPatch, { sum: threeDigits(sumOf(over)), cls, share, count })
}

export function patchName(words: PictureWords, [row, column]: Patch): string {
  return filled(words.patch, { row: row + 1, column: column + 1 })
}

/** A patch with its weight, if there is a map; `write` formats it. */
export function patchText(
  words: PictureWords,
  over: Float32Array | null,
  [row, column]: Patch,
  columns: number,
  write = threeDigits,
): string {
  if (!over) return patchName(words, [row, column])
  return filled(words.weight, { row: row + 1, column: column + 1, weight: write(over[row * columns + column]!) })
}
