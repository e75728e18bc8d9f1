/** The payload of `one_weight`: see views/components/one_weight.py. */

import type { Choosable, Control } from "../../core/choosing"
import type { Theme } from "../../core/colour"
import { unpack, type Bytes } from "../../core/payload"

type Four = readonly [layers: number, heads: number, rows: number, length: number]

/** How products become the scores of one layer. */
export interface ScoreForm {
  scaling: number
  plain: boolean // the factor is the usual one, and there is nothing else
  softcap: number // 0 for none
  biased: boolean // something was added to the scores, so that the recorded ones are shown
  sinks: readonly number[] // the score of the sink of each head
  allowed: number // index of the mask that hides keys; -1 for none
}

/** Explanations of a weight, by case. */
export interface WeightTexts {
  products: string
  softmax: string
  score: string
  maskedScore: string
  plain: string
  formed: string
  hidden: string
  later: string
  sink: string
}

/** What the browser is sent about one kind of attention, without numbers. */
export interface KindFields {
  kind: string
  causal: boolean
  places: boolean // queries and keys are positions in a picture
  labels: readonly [queries: readonly string[], keys: readonly string[]]
  pair: readonly [query: string, key: string] // names of the controls of query and key
  names: readonly [layers: readonly string[], heads: readonly string[]]
  heads: readonly [layers: readonly string[], heads: readonly string[]] // those in the payload
  texts: WeightTexts
  queries: Four | null
  keys: Four | null
  scores: Four | null
  forms: readonly ScoreForm[]
  masks: number
  hues: readonly [negative: string, positive: string]
}

/** The numbers of one kind: of queries, keys and scores by layer and head, and for each mask its cells. */
export interface KindNumbers {
  queries: Float32Array
  keys: Float32Array
  scores: Float32Array
  masks: readonly Uint8Array[]
}

export type Kind = KindFields & { numbers: KindNumbers }

export interface WeightWords {
  products: string
  softmax: string
  dimension: string
  query: string
  key: string
  product: string
  soFar: string
  score: string
  exponential: string
  weight: string
  masked: string
  sink: string
  sum: string
  options: string // the fold of controls
}

interface Header extends Choosable {
  controls: readonly Control[]
  theme: Theme
  most: number // rows of the softmax table
  rest: Readonly<Record<number, string>> // so many keys that are left out, in words
  words: WeightWords
}

export type Payload = Header & { kinds: Readonly<Record<string, Kind>> }

/** A payload with the numbers of each kind. */
export function decodeWeights(bytes: Bytes): Payload {
  const [header, body] = unpack<Header & { kinds: Record<string, KindFields> }>(bytes)
  let offset = 0
  const next = (length: number) => body.slice(offset, (offset += length)) // a copy is aligned, as typed arrays need
  const floats = (shape: Four | null) => new Float32Array(next(shape ? 4 * product(shape) : 0))
  const kinds = Object.entries(header.kinds).map(([name, fields]): [string, Kind] => {
    const numbers = { queries: floats(fields.queries), keys: floats(fields.keys), scores: floats(fields.scores) }
    const cells = fields.labels[0].length * fields.labels[1].length
    const masks = Array.from({ length: fields.masks }, () => new Uint8Array(next(cells)))
    return [name, { ...fields, numbers: { ...numbers, masks } }]
  })
  return { ...header, kinds: Object.fromEntries(kinds) }
}

function product(sides: readonly number[]): number {
  return sides.reduce((size, side) => size * side, 1)
}
