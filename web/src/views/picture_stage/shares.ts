/** How the attention of CLS divides its bar, whose length is 1: CLS itself, patches with a ribbon each, and the rest. */

import { sum } from "../stage/arithmetic"
import { selectLargest } from "../patch_picture/outline"

export const MOST = 24 // ribbons of the layer that is shown
const MOST_AT_REST = 3 // of every other layer
const AT_REST = 2 // times the even share; no weaker patch has a ribbon at rest

/** A part of a bar. `from` is where it begins, from 0 to 1. */
export interface Share {
  readonly patch: number // row by row
  readonly weight: number
  readonly from: number
}

export interface Shares {
  readonly own: number // the weight of CLS on itself, which is the first part
  readonly parts: readonly Share[]
  readonly rest: number // of all patches without a ribbon
}

/** Of the layer that is shown: the strongest patches up to the share that is outlined, all of them where none is. */
export function sharesShown(row: Float32Array, kept: number): Shares {
  const over = row.subarray(1)
  const [selected] = selectLargest(over, kept || 1)
  return dividing(row, strongest(over, MOST).filter((patch) => selected[patch]))
}

/** Of another layer: its strongest patches, none of which is weak. */
export function sharesAtRest(row: Float32Array): Shares {
  const over = row.subarray(1)
  return dividing(row, strongest(over, MOST_AT_REST).filter((patch) => over[patch]! >= AT_REST / row.length))
}

/** The patches with the largest weights, most first. */
export function strongest(over: Float32Array, most: number): number[] {
  return [...over.keys()].sort((one, other) => over[other]! - over[one]! || one - other).slice(0, most)
}

/** Where the part of one patch is in its bar, among the parts that are drawn or after them. */
export function shareOf({ own, parts }: Shares, row: Float32Array, patch: number): Share {
  const drawn = parts.find((part) => part.patch === patch)
  return drawn ?? { patch, weight: row[1 + patch]!, from: own + sum(parts.map(({ weight }) => weight)) }
}

function dividing(row: Float32Array, patches: readonly number[]): Shares {
  let from = row[0]!
  const parts = [...patches]
    .sort((one, other) => one - other)
    .map((patch) => {
      const part = { patch, weight: row[1 + patch]!, from }
      from += part.weight
      return part
    })
  return { own: row[0]!, parts, rest: Math.max(0, 1 - from) }
}
