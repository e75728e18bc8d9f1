/** A pull in the browser: the row that a weight gives, and what the server's sweep says about weights. */

import type { Answer } from "../../core/requests"
import { sum } from "./arithmetic"

export type Action = "sweep" | "pull" | "control" | "undo" | "reset"
export const SCOPES = ["drawn", "layer", "all"] as const
export type Scope = (typeof SCOPES)[number]

/** What the server tried: for each weight the token of the place, and the translation. */
export interface Sweep {
  readonly before: number
  readonly weights: readonly number[]
  readonly tokens: readonly (string | null)[]
  readonly texts: readonly string[]
  readonly of: readonly number[] // weight -> its translation
}

/** The answer to a request about pulls. */
export interface PullAnswer extends Answer, Partial<Sweep> {
  readonly control?: readonly string[]
}

/** A stretch of the scale in which the place has one token. */
interface Stretch {
  readonly token: string | null
  readonly from: number // its borders lie between two weights that were tried
  readonly to: number
}

export function isSweep(answer: PullAnswer): answer is PullAnswer & Sweep {
  return Boolean(answer.weights?.length)
}

/** The row with another weight of one key; the others keep their proportions. */
export function pulledRow(row: ArrayLike<number>, key: number, weight: number): Float32Array {
  const others = sum(Array.from(row)) - row[key]!
  const factor = others > 0 ? (1 - weight) / others : 0
  return Float32Array.from(row, (own, place) => (place === key ? weight : own * factor))
}

/** The index of the nearest weight that was tried. */
export function nearest({ weights }: Pick<Sweep, "weights">, weight: number): number {
  let best = 0
  weights.forEach((tried, place) => {
    if (Math.abs(tried - weight) < Math.abs(weights[best]! - weight)) best = place
  })
  return best
}

/** The stretches of the scale, from 0 to 1. */
export function stretches({ weights, tokens }: Pick<Sweep, "weights" | "tokens">): Stretch[] {
  const found: { token: string | null; from: number; to: number }[] = []
  weights.forEach((weight, place) => {
    const border = place ? (weights[place - 1]! + weight) / 2 : 0
    const last = found.at(-1)
    if (last?.token === tokens[place]) return
    if (last) last.to = border
    found.push({ token: tokens[place] ?? null, from: border, to: 1 })
  })
  return found
}

/**
 * What each weight gives, and which of that counts as no change: the token of the place; in the encoder, whose queries choose
 * none, the words of the translation that are others than at the weight before the pull.
 */
export function outcomes(sweep: Sweep, unchanged: string): { tokens: readonly (string | null)[]; same: string | null } {
  const { before, of, texts, tokens } = sweep
  if (tokens.some((token) => token !== null)) return { tokens, same: tokens[0] ?? null }
  const former = texts[of[nearest(sweep, before)]!] ?? ""
  const named = texts.map((text) => {
    if (text === former) return unchanged
    const words = changedWords(text, former).filter(([, changed]) => changed)
    return words.map(([word]) => word.trim()).join(" ") || "\u2026" // words are left out alone
  })
  return { tokens: of.map((text) => named[text]!), same: unchanged }
}

/** The weight of a key in each head if one number is added to its score in all, so that their mean is `wanted`. */
export function headWeights(weights: readonly number[], wanted: number): number[] {
  if (wanted <= 0 || wanted >= 1 || weights.some((weight) => weight <= 0 || weight >= 1)) return weights.map(() => wanted)
  const at = (delta: number) => weights.map((weight) => 1 / (1 + ((1 - weight) / weight) * Math.exp(-delta)))
  let [low, high] = [-100, 100]
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (sum(at(middle)) / weights.length < wanted) low = middle
    else high = middle
  }
  return at(high)
}

/** Which words of a text are not in another one, in order; both lists of words keep their longest common part. */
export function changedWords(text: string, former: string): readonly (readonly [word: string, changed: boolean])[] {
  const [own, other] = [text.split(/(?<=\s|['\u2019])/u), former.split(/(?<=\s|['\u2019])/u)]
  const lengths = Array.from({ length: own.length + 1 }, () => Array<number>(other.length + 1).fill(0))
  const same = (one: number, two: number) => own[one]!.trim() === other[two]!.trim()
  for (let one = own.length - 1; one >= 0; one--) {
    for (let two = other.length - 1; two >= 0; two--) {
      lengths[one]![two] = same(one, two) ? lengths[one + 1]![two + 1]! + 1 : Math.max(lengths[one + 1]![two]!, lengths[one]![two + 1]!)
    }
  }
  let two = 0
  return own.map((word, one) => {
    while (two < other.length && !same(one, two) && lengths[one]![two + 1]! >= lengths[one]![two]! && lengths[one]![two]! > lengths[one + 1]![two]!) two++
    const changed = two >= other.length || !same(one, two)
    if (!changed) two++
    return [word, changed] as const
  })
}
