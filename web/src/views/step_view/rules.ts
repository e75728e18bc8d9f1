/**
 * Computations in the browser while a slider is dragged. A rule receives the values of arrays and of sliders, and returns
 * the derived numbers: along the one axis that each has, or single.
 */

import type { Axes, NumberArray, NumberArrays, Places } from "./content"

type Values = ArrayLike<number>
type Results = Readonly<Record<string, readonly number[]>>
type Rule = (arrays: Readonly<Record<string, Values>>, settings: Readonly<Record<string, number>>) => Results

/** The logits of all tokens that can be generated, largest first, and the rank of each row of the table, from 1. */
interface SamplingArrays {
  sorted: Values
  rank: Values
}

interface SamplingSettings {
  try_temperature: number
  try_k: number // 0 for all
  try_p: number
}

/** From logits to the sampling distribution, like model/decoding/sampling_stages.py. */
export function sampling({ sorted, rank }: SamplingArrays, settings: SamplingSettings): Results {
  const { try_temperature: temperature, try_k: topK, try_p: topP } = settings
  const scaled = Float64Array.from(sorted, (logit) => logit / temperature)
  const powers = scaled.map((value) => Math.exp(value - scaled[0]!))
  let end = topK || scaled.length
  while (end < scaled.length && scaled[end] === scaled[end - 1]) end += 1 // logits equal to the last one stay too
  const topMass = sumOf(powers.subarray(0, end))
  let count = 1 // the most probable token always stays
  let before = powers[0]! / topMass
  while (count < end && (topP === 1 || before < topP)) before += powers[count++]! / topMass
  const total = sumOf(powers.subarray(0, count))
  const ofRow = (valueAt: (place: number) => number) => Array.from(rank, (place) => valueAt(place - 1))
  return {
    scaled: ofRow((place) => scaled[place]!),
    filtered: ofRow((place) => (place < count ? scaled[place]! : NaN)),
    probability: ofRow((place) => (place < count ? powers[place]! / total : 0)),
    kept: [count],
    mass: [total / sumOf(powers)],
  }
}

/**
 * The model's probabilities of the rows, the right token's first; the mean loss of the right tokens, and of all tokens; the
 * size of the vocabulary.
 */
interface SmoothingArrays {
  p: Values
  plain: Values
  even: Values
  vocabulary: Values
}

/** The smoothed target, the gradient of the logits and the loss, like model/networks/loss_terms.py. */
export function smoothing(
  { p, plain, even, vocabulary }: SmoothingArrays,
  { smoothing: percent }: { smoothing: number },
): Results {
  const [share, size] = [percent / 100, vocabulary[0]!]
  const each = share / size
  const q = Array.from(p, (_, row) => each + (row === 0 ? 1 - share : 0))
  const entropy = (probability: number) => (probability ? -probability * Math.log(probability) : 0)
  return {
    q,
    gradient: q.map((target, row) => p[row]! - target),
    smoothed: [(1 - share) * plain[0]! + share * even[0]!],
    smallest: [entropy(q[0]!) + (size - 1) * entropy(each)],
  }
}

function sumOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0)
}

export type RuleName = "sampling" | "smoothing"

// by name, as the payload names them: it has the arrays and the sliders that its rule needs
const RULES: Readonly<Record<RuleName, Rule>> = {
  sampling: sampling as unknown as Rule,
  smoothing: smoothing as unknown as Rule,
}

/**
 * Replaces numbers by those of a rule, except at the positions `at` that the server has, which keep the server's; and the
 * largest difference between the two there.
 */
export function followRule(
  name: RuleName,
  sent: NumberArrays,
  at: Places,
  axes: Axes,
): { numbers: NumberArrays; difference: number } {
  const ids = Object.keys(at)
  const arrays = Object.fromEntries(Object.entries(sent).map(([key, { values }]) => [key, values]))
  const compute = (places: Places) =>
    RULES[name](arrays, Object.fromEntries(ids.map((id) => [id, axes[id]?.values[places[id] ?? 0] ?? NaN])))
  const keyOf = (places: Places) => ids.map((id) => places[id]).join()
  const server = keyOf(at)
  const known = { places: server, results: compute(at) }
  let difference = 0
  const numbers: Record<string, NumberArray> = { ...sent }
  for (const [key, results] of Object.entries(known.results)) {
    const array = sent[key]
    if (!array) continue
    const { dims, values } = array
    results.forEach((value, place) => (difference = Math.max(difference, Math.abs(value - values[place]!) || 0)))
    const own = (places: Places) => {
      const now = keyOf(places)
      if (now !== known.places) Object.assign(known, { places: now, results: compute(places) })
      return known.results[key]?.[dims[0] === undefined ? 0 : (places[dims[0]] ?? 0)] ?? NaN
    }
    numbers[key] = { dims, values, at: (places) => (keyOf(places) === server ? array.at(places) : own(places)) }
  }
  return { numbers, difference }
}
