/** Recomputes one attention weight in double precision, like model/lessons/one_weight.py. */

import type { Kind, ScoreForm } from "./payload"

const LEAST = -1.7e38 // half of float32's smallest number: recorded scores below it were masked

type QueryPlace = readonly [layer: number, head: number, query: number]

/** A query vector, and any key vector with their products. */
export interface Vectors {
  query: Float32Array
  keyOf: (key: number) => Float32Array
  products: (key: number) => number[]
}

/** The softmax of one query over all keys, and the inputs of its scores. */
export interface Softmax {
  form: ScoreForm | undefined
  vectors: Vectors | undefined // if queries and keys were recorded
  raw: readonly number[] // scores, those of masked keys included
  scores: readonly number[] // minus infinity where masked
  exponentials: readonly number[]
  sink: number // the exponential of the attention sink; 0 for none
  total: number // of all exponentials
  weights: readonly number[]
}

export function softmaxOf(kind: Kind, [layer, head, query]: QueryPlace): Softmax {
  const count = kind.labels[1].length
  const form = kind.forms[layer]
  const recorded = recordedScores(kind, [layer, head, query])
  const vectors = form && vectorsOf(kind, [layer, head, query])
  const raw = Array.from({ length: count }, (_, key) => {
    if (!form || !vectors || form.biased) return recorded[key]!
    const score = sumOf(vectors.products(key)) * form.scaling
    return form.softcap ? Math.tanh(score / form.softcap) * form.softcap : score
  })
  const mask = form && kind.numbers.masks[form.allowed]
  const attends = (key: number) => (form ? !mask || mask[query * count + key] : raw[key]! >= LEAST)
  const scores = raw.map((score, key) => (attends(key) ? score : -Infinity))
  const most = Math.max(...scores)
  const exponentials = scores.map((score) => Math.exp(score - most))
  const sink = form?.sinks.length ? Math.exp(form.sinks[head]! - most) : 0
  const total = sumOf(exponentials) + sink
  return { form, vectors, raw, scores, exponentials, sink, total, weights: exponentials.map((each) => each / total) }
}

function recordedScores({ scores, numbers, labels }: Kind, [layer, head, query]: QueryPlace): Float32Array {
  const [, heads, rows] = scores ?? [0, 0, 0, 0]
  return vectorAt(numbers.scores, (layer * heads + head) * rows + query, labels[1].length)
}

function vectorsOf({ queries, keys, numbers }: Kind, [layer, head, place]: QueryPlace): Vectors | undefined {
  if (!queries || !keys) return undefined
  const [, heads, rows, length] = queries
  const [, groups, columns] = keys
  const group = Math.floor((head * groups) / heads) // grouped-query attention: several heads may share their keys
  const query = vectorAt(numbers.queries, (layer * heads + head) * rows + place, length)
  const keyOf = (key: number) => vectorAt(numbers.keys, (layer * groups + group) * columns + key, length)
  const products = (key: number) => {
    const vector = keyOf(key)
    return Array.from(query, (number, dimension) => number * vector[dimension]!)
  }
  return { query, keyOf, products }
}

function vectorAt(numbers: Float32Array, place: number, length: number): Float32Array {
  return numbers.subarray(place * length, (place + 1) * length)
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

/** The dimensions of a product, the largest products first. */
export function bySize(products: readonly number[]): number[] {
  return [...products.keys()].sort((a, b) => Math.abs(products[b]!) - Math.abs(products[a]!))
}

/** The keys of a table in order: the `most` strongest and the selected one; and those that are left out. */
export function splitKeys(weights: readonly number[], most: number, selected: number): [shown: number[], left: number[]] {
  const order = [...weights.keys()].sort((a, b) => weights[b]! - weights[a]!)
  const shown = [...new Set([...order.slice(0, most), selected])].sort((a, b) => a - b)
  return [shown, order.filter((place) => !shown.includes(place))]
}
