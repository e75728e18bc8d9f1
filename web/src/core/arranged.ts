/**
 * The maps of one kind of attention by the user's settings: tokens or whole words, with or without special tokens. Same
 * rules and precision as `by_words` and `with_means` in Python.
 */

import type { Chosen } from "./choosing"
import type { Languages } from "./labels"
import type { Arrays } from "./payload"

export type MapsShape = readonly [layers: number, heads: number, queries: number, keys: number]
type MapsCount = readonly [layers: number, heads: number]
type OfAxes<Each> = readonly [queries: Each, keys: Each]

/** Names of queries and keys, and which of them are special tokens. */
interface Axes {
  queries: readonly string[]
  keys: readonly string[]
  languages?: Languages // of tokens and of whole words
  read?: readonly string[] | null // the tokens read at the queries, where their names state more
  positions?: OfAxes<readonly number[]> | null // places in the sequence, where some are left out
  special?: OfAxes<readonly number[]> // places; none if absent
  segments?: OfAxes<readonly number[]> // 0 or 1 of each place, the text of two that it belongs to
}

/** Whole words on the axes of a kind. */
export interface WordsHeader extends Axes {
  starts: OfAxes<readonly number[]> // the first token of each word
}

/** A kind as a payload's header describes it. */
export interface KindHeader extends Axes {
  grouped?: WordsHeader | null
}

/** Maps and the labels of their axes; `weights` has the numbers of all layers, heads and queries, one after another. */
export interface Maps extends Axes {
  shape: MapsShape
  weights: Float32Array
}

/** The kind that is chosen, or the only one. */
export function kindOf<Kind>(kinds: Readonly<Record<string, Kind>>, { kind = "" }: Chosen): Kind {
  return kinds[kind] ?? Object.values(kinds)[0]!
}

/** The maps of a kind. They are decoded and arranged when they are first chosen. */
export class KindOfMaps<Header extends KindHeader> {
  private decoded: Pick<Maps, "shape" | "weights"> | undefined
  private readonly known = new Map<string, Maps>()

  /**
   * `arrays` has the weights under this `name`. `withMeans`: the last layer and the last head are averages, which are
   * computed here for words, and where they were not sent.
   */
  constructor(
    readonly header: Header,
    private readonly arrays: Pick<Arrays, "floats" | "shape">,
    private readonly name: string,
    private readonly withMeans?: MapsCount,
  ) {}

  /** The header of the whole words, if they are chosen and there are any. */
  wordsIn({ units }: Chosen): NonNullable<Header["grouped"]> | undefined {
    return units === "words" ? (this.header.grouped ?? undefined) : undefined
  }

  /** The maps by the settings `units`, `marks` and `pair`. */
  maps(chosen: Chosen): Maps {
    const name = `${chosen.units} ${chosen.marks} ${chosen.pair}`
    const maps = this.known.get(name) ?? this.arrange(this.wordsIn(chosen), chosen.marks === "hidden", chosen.pair)
    this.known.set(name, maps)
    return maps
  }

  private arrange(words: WordsHeader | undefined, hidden: boolean, pair: string | undefined): Maps {
    const { queries, keys, read, positions, special, segments } = this.header
    const tokens = { queries, keys, read, positions, special, segments, ...(this.decoded ??= this.decode()) }
    const whole = words ? inWords(tokens, words) : tokens
    if (words && this.withMeans) fillMeans(whole)
    const shown = hidden ? withoutSpecial(whole) : whole
    return { ...(pair?.length === 2 ? ofPair(shown, pair) : shown), languages: this.header.languages }
  }

  private decode(): Pick<Maps, "shape" | "weights"> {
    const [shape, weights] = [this.arrays.shape(this.name) as MapsShape, this.arrays.floats(this.name)]
    if (!this.withMeans || shape[0] === this.withMeans[0]) return { shape, weights }
    const maps = withRoomForMeans({ shape, weights })
    fillMeans(maps)
    return maps
  }
}

/** Maps between words: summed over the keys of a word, averaged over its queries, in double precision. */
export function inWords({ shape, weights }: Pick<Maps, "shape" | "weights">, words: WordsHeader): Maps {
  const [layers, heads, queries, keys] = shape
  const [queryStarts, keyStarts] = words.starts
  const [tall, wide] = [queryStarts.length, keyStarts.length]
  const result = new Float32Array(layers * heads * tall * wide)
  const [queryEnds, keyEnds] = [endsOf(queryStarts, queries), endsOf(keyStarts, keys)]
  const summed = new Float64Array(queries * wide)
  for (let map = 0; map < layers * heads; map++) {
    for (let place = 0; place < summed.length; place++) {
      const [start, word] = [(map * queries + Math.floor(place / wide)) * keys, place % wide]
      summed[place] = sumOf(keyStarts[word]!, keyEnds[word]!, (key) => weights[start + key]!)
    }
    for (let place = 0; place < tall * wide; place++) {
      const [word, column] = [Math.floor(place / wide), place % wide]
      const [first, end] = [queryStarts[word]!, queryEnds[word]!]
      result[map * tall * wide + place] = sumOf(first, end, (query) => summed[query * wide + column]!) / (end - first)
    }
  }
  const { queries: queryWords, keys: keyWords, read, special, segments } = words
  return { queries: queryWords, keys: keyWords, read, special, segments, shape: [layers, heads, tall, wide], weights: result }
}

function endsOf(starts: readonly number[], count: number): number[] {
  return starts.map((_, word) => starts[word + 1] ?? count)
}

/** The first plus the sum of the others: the order in which numpy's reduceat adds. */
function sumOf(first: number, end: number, at: (place: number) => number): number {
  let others = 0
  for (let place = first + 1; place < end; place++) others += at(place)
  return at(first) + others
}

/** Maps with one more layer and one more head, whose weights are 0. */
function withRoomForMeans({ shape, weights }: Pick<Maps, "shape" | "weights">): Pick<Maps, "shape" | "weights"> {
  const [layers, heads, queries, keys] = shape
  const [before, after] = [heads * queries * keys, (heads + 1) * queries * keys]
  const wide = new Float32Array((layers + 1) * after)
  for (let layer = 0; layer < layers; layer++) {
    wide.set(weights.subarray(layer * before, (layer + 1) * before), layer * after)
  }
  return { shape: [layers + 1, heads + 1, queries, keys], weights: wide }
}

/** Fills the last head with averages over heads, and the last layer with averages over layers. */
export function fillMeans({ weights, shape: [layers, heads, queries, keys] }: Pick<Maps, "shape" | "weights">): void {
  const cells = queries * keys
  const average = (target: number, first: number, step: number, count: number) => {
    for (let cell = 0; cell < cells; cell++) {
      let sum = 0
      for (let map = 0; map < count; map++) sum = Math.fround(sum + weights[(first + map * step) * cells + cell]!)
      weights[target * cells + cell] = sum / count
    }
  }
  for (let layer = 0; layer < layers - 1; layer++) average(layer * heads + heads - 1, layer * heads, 1, heads - 1)
  for (let head = 0; head < heads; head++) average((layers - 1) * heads + head, head, heads, layers - 1)
}

/** Whether a causal mask hides a key from a query: it is behind it in the sequence. */
export function isBehind({ positions }: Pick<Maps, "positions">, query: number, key: number): boolean {
  return positions ? positions[1][key]! > positions[0][query]! : key > query
}

/** The tokens by which rows are found in other views: those that are read at them. */
export function readAt({ read, queries }: Pick<Maps, "read" | "queries">): readonly string[] {
  return read ?? queries
}

/** Maps without special tokens. The remaining weights are not rescaled. If nothing would remain, all tokens stay. */
export function withoutSpecial(maps: Maps): Maps {
  return select(maps, withoutPlaces(maps.queries, maps.special?.[0]), withoutPlaces(maps.keys, maps.special?.[1]))
}

/** Whether queries and keys are of the same text, or of both, so that a causal mask hides the cells above the diagonal. */
export function isWithinText({ pair }: Chosen): boolean {
  return pair?.length !== 2 || pair[0] === pair[1]
}

/** The attention of one of two texts to one of them; `pair` is "aa", "ab", "ba" or "bb". */
export function ofPair(maps: Maps, pair: string): Maps {
  const { segments } = maps
  if (!segments) return maps
  const [queries, keys] = segments.map((texts, side) => {
    const text = pair[side] === "b" ? 1 : 0
    return [...texts.keys()].filter((place) => texts[place] === text)
  }) as [number[], number[]]
  return select(maps, queries, keys)
}

/** Some queries and keys; all of them where none would remain. */
function select(maps: Maps, queries: readonly number[], keys: readonly number[]): Maps {
  const [layers, heads, tall, wide] = maps.shape
  if (!queries.length || !keys.length || (queries.length === tall && keys.length === wide)) return maps
  const weights = new Float32Array(layers * heads * queries.length * keys.length)
  let cell = 0
  for (let map = 0; map < layers * heads; map++) {
    for (const query of queries) {
      for (const key of keys) weights[cell++] = maps.weights[(map * tall + query) * wide + key]!
    }
  }
  return {
    shape: [layers, heads, queries.length, keys.length],
    weights,
    queries: queries.map((place) => maps.queries[place]!),
    keys: keys.map((place) => maps.keys[place]!),
    read: maps.read && queries.map((place) => maps.read![place]!),
    positions: [positionsOf(maps, 0, queries), positionsOf(maps, 1, keys)],
    segments: maps.segments && [
      queries.map((place) => maps.segments![0][place]!),
      keys.map((place) => maps.segments![1][place]!),
    ],
  }
}

function positionsOf({ positions }: Maps, side: 0 | 1, places: readonly number[]): readonly number[] {
  return places.map((place) => positions?.[side][place] ?? place)
}

function withoutPlaces(labels: readonly string[], left: readonly number[] = []): number[] {
  return [...labels.keys()].filter((place) => !left.includes(place))
}
