/** The payload of `one_weight`: see views/components/one_weight.py. */

import type { Choosable, Control } from "../../core/choosing"
import type { Theme } from "../../core/colour"
import type { Languages } from "../../core/labels"
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
interface KindFields {
  kind: string
  causal: boolean
  places: boolean // queries and keys are positions in a picture
  languages: Languages
  labels: readonly [queries: readonly string[], keys: readonly string[]]
  pair: readonly [query: string, key: string] // names of the controls of query and key
  names: readonly [layers: readonly string[], heads: readonly string[]]
  heads: readonly [layers: readonly string[], heads: readonly string[]] // those in the payload
  texts: WeightTexts
  forms: readonly ScoreForm[]
  masks: number
  hues: readonly [negative: string, positive: string]
}

/** The numbers of one kind: of queries, keys and scores by layer and head, and for each mask its cells. */
interface KindNumbers {
  queries: Float32Array
  keys: Float32Array
  scores: Float32Array
  masks: readonly Uint8Array[]
}

/** The shapes of the arrays; null for one that was not recorded. */
interface KindShapes {
  queries: Four | null
  keys: Four | null
  scores: Four | null
}

export type Kind = KindFields & KindShapes & { numbers: KindNumbers }

interface WeightWords {
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
  const [header, arrays] = unpack<Header & { kinds: Record<string, KindFields> }>(bytes)
  const kinds = Object.entries(header.kinds).map(([name, fields]): [string, Kind] => {
    const floats = (field: string) => arrays.floats(`${name} ${field}`)
    const shape = (field: string) => (arrays.has(`${name} ${field}`) ? (arrays.shape(`${name} ${field}`) as Four) : null)
    const shapes = { queries: shape("queries"), keys: shape("keys"), scores: shape("scores") }
    const numbers = { queries: floats("queries"), keys: floats("keys"), scores: floats("scores") }
    const masks = Array.from({ length: fields.masks }, (_, mask) => arrays.bytes(`${name} mask ${mask}`))
    return [name, { ...fields, ...shapes, numbers: { ...numbers, masks } }]
  })
  return { ...header, kinds: Object.fromEntries(kinds) }
}
