/** Which weights of a row are drawn, and how they divide the row's bar. */

import { sum } from "./arithmetic"

export const SHARE = 0.8 // of a row: its strongest keys up to this share are drawn at rest
export const MOST = 3 // of them
export const LEAST = 0.08 // and none below this weight
export const HELD_LEAST = 0.02 // of a token that is held
const ARC_LEAST = 0.25 // of an arc at rest

/** A weight that is drawn. `from` is where its part of the bar begins, from 0 to 1; the rest of the bar is hatched. */
export interface Part {
  readonly key: number
  readonly weight: number
  readonly from: number
}

/** The strongest keys of a row up to `SHARE`, at most `MOST`, none below `LEAST`, in the order of keys. */
export function atRest(row: ArrayLike<number>): Part[] {
  const order = [...Array.from(row).keys()].sort((one, other) => row[other]! - row[one]! || one - other)
  const keys: number[] = []
  let covered = 0
  for (const key of order) {
    if (keys.length === MOST || covered >= SHARE || row[key]! < LEAST) break
    keys.push(key)
    covered += row[key]!
  }
  return inBar(row, keys)
}

/** All keys of a row from `least` on, in the order of keys. */
export function ofHeld(row: ArrayLike<number>, least = HELD_LEAST, also?: number): Part[] {
  return inBar(
    row,
    [...Array.from(row).keys()].filter((key) => row[key]! >= least || key === also),
  )
}

function inBar(row: ArrayLike<number>, keys: readonly number[]): Part[] {
  let from = 0
  return [...keys]
    .sort((one, other) => one - other)
    .map((key) => {
      const part = { key, weight: row[key]!, from }
      from += part.weight
      return part
    })
}

/** The share of a bar that parts leave. */
export function restOf(parts: readonly Part[]): number {
  return Math.max(0, 1 - sum(parts.map(({ weight }) => weight)))
}

/** The strongest key of a row besides `own`, if it has at least `ARC_LEAST`; else -1. */
export function strongestArc(row: ArrayLike<number>, own: number): number {
  let best = -1
  for (let key = 0; key < row.length; key++) {
    if (key !== own && row[key]! >= ARC_LEAST && (best < 0 || row[key]! > row[best]!)) best = key
  }
  return best
}

/** The keys to which arcs lead at rest, without the token itself: one, or where the kind is chosen the strongest. */
export function arcsAtRest(row: ArrayLike<number>, own: number, chosen: boolean): number[] {
  if (chosen) return atRest(row).map(({ key }) => key).filter((key) => key !== own)
  const key = strongestArc(row, own)
  return key < 0 ? [] : [key]
}
