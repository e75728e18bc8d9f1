/** Payload of the stage, see views/components/stage.py. */

import { KindOfMaps, type Maps } from "../../core/arranged"
import { type Choosable, type Chosen, type Control, MEAN } from "../../core/choosing"
import type { Theme } from "../../core/colour"
import { filled } from "../../core/dom"
import { type Arrays, type Bytes, unpack } from "../../core/payload"
import type { Answer } from "../../core/requests"
import type { OpenedLayer } from "./lane"
import type { PullAnswer } from "./pulling"

/* The answers of the server that the mark of a stage has, see `answers` in views/components/requests.py. */

export interface StageAnswers {
  readonly state: string // of the page
  readonly pulls: string // under which the translation is shown
  readonly leftOut?: string // why pulls of the address are not shown
  readonly type?: readonly Answer[]
  readonly ask?: readonly PullAnswer[]
  readonly layer?: readonly OpenedLayer[]
}

/* The values of the last call: what depends on them alone is drawn again only where one of them is another. */

export class Former {
  private values: readonly unknown[] | undefined

  /** Whether a value is another than in the last call. */
  changed(...values: readonly unknown[]): boolean {
    const { values: before } = this
    this.values = values
    return !before || values.length !== before.length || values.some((value, place) => value !== before[place])
  }
}

/** Parameters of the address whose change is an entry in the history. */
export const ACTIONS = ["pull"] as const

export const KINDS = ["encoder", "cross", "decoder"] as const
export type KindName = (typeof KINDS)[number]

export type WordName =
  | "attends" | "attended" | "barIsOne" | "candidates" | "chosen" | "corner" | "english" | "englishName" | "french"
  | "frenchName" | "free" | "freed" | "layer" | "head" | "held" | "hold" | "masked" | "mean" | "maps" | "named" | "note"
  | "now" | "one" | "options" | "other" | "overAll" | "overHeads" | "overLayers" | "pair" | "pick" | "probability" | "table"
  | "tile" | "choose" | "nowText" | "atWeight" | "beforeText" | "was" | "pull" | "weightNow" | "slider" | "sweeping" | "scale" | "noWord"
  | "play" | "pause" | "back" | "on" | "speed" | "temperature" | "pressEnter" | "tooLong" | "mostPulls" | "noAnswer" | "drawAgain" | "drawSample" | "greedyAgain" | "model" | "draw"
  | "rubOut" | "onlyThis" | "scope" | "scopeDrawn" | "scopeLayer" | "scopeAll" | "undo" | "reset" | "tryThis" | "nextPull" | "meanOfHeads" | "howToPull"
  | "openLayer" | "openNumber" | "closeLayer" | "unchanged" | "copyLink" | "copied" | "copyThis" | "fullScreen"
export type Words = Readonly<Record<WordName, string>>

/** A token that was probable at a place, and its probability. */
type Candidate = readonly [label: string, probability: number]

/** How probable the token of a place was, and which were the most probable. */
interface PlaceChances {
  readonly probability: number
  readonly top: readonly Candidate[]
}

/** The pulls under which the stage is drawn; see `PulledStage` in views/components/stage.py. */
export interface Pulled {
  readonly query: number
  readonly key: number
  readonly kind: KindName
  readonly before: string
  readonly now: string
  readonly lines: readonly string[]
  readonly former: readonly number[]
  readonly forced: string
  readonly count: number
}

/** How the tokens were chosen. */
interface Decoding {
  readonly method: string
  readonly temperature: number
  readonly seed: number
}

export interface KindHeader {
  readonly heading: string // "Cross-attention"
  readonly meaning: string // "what each French token attends to while it is chosen"
  readonly layers: readonly string[] // ids, "mean" included
  readonly heads: readonly string[]
  readonly scales: Readonly<Record<Theme, readonly string[]>>
}

/** What the server refuses, so that it need not be asked. */
export interface Limits {
  readonly characters: number // that are translated while they are typed
  readonly pulls: number
}

interface Header {
  readonly name: number // of the translation
  readonly state: string // of the page, which requests are about
  readonly limits: Limits
  readonly theme: Theme
  readonly words: Words
  readonly controls: readonly Control[]
  readonly english: readonly string[]
  readonly french: readonly string[] // the tokens that were chosen
  readonly rowName: string // the name of a place, with placeholders for the token read and the one that was chosen
  readonly start: string // the label of the decoder's first input
  readonly places: readonly SentPlace[]
  readonly sentence: string // that is translated
  readonly entered: string // that the page has; another one is only typed yet
  readonly text: string // the translation
  readonly decimals: number // that are known of the weights
  readonly decoding: Decoding
  readonly drawn: readonly (readonly number[])[] | null // of each place: the probability with which each candidate is drawn
  readonly examples: readonly (readonly [label: string, link: string])[]
  readonly kinds: Readonly<Record<KindName, KindHeader>>
}

export interface StagePayload extends Omit<Header, "places">, Choosable {
  readonly places: readonly PlaceChances[]
  readonly controls: readonly Control[]
  readonly maps: Readonly<Record<KindName, Maps>> // all layers and heads, means included
  readonly pulled: Pulled | null
}

/** What a figure of tokens and ribbons shows of it. */
export interface FigurePayload extends Pick<StagePayload, "english" | "french" | "start" | "maps" | "pulled" | "decimals"> {
  readonly words: Pick<Words, FigureWord>
}
export type FigureWord =
  | "english" | "french" | "englishName" | "frenchName" | "attends" | "attended" | "other" | "masked" | "corner"

/** The probability of a token that was chosen, then label and probability of each candidate. */
export type SentPlace = readonly [probability: number, ...(string | number)[]]

export function readPlace([probability, ...sent]: SentPlace): PlaceChances {
  const top = sent.flatMap((label, index) => (index % 2 ? [] : [[String(label), Number(sent[index + 1])] as const]))
  return { probability, top }
}

/** The translation without pulls. */
export function decodeStage(bytes: Bytes): StagePayload {
  const [header, arrays] = unpack<Header>(bytes)
  return { ...header, places: header.places.map(readPlace), pulled: null, maps: stageMaps(header, arrays) }
}

/** The decoder's inputs, and the names of the places at which its tokens are chosen. */
export function decoderSides({ french, start, rowName }: Pick<Header, "french" | "start" | "rowName">): [string[], string[]] {
  const inputs = [start, ...french.slice(0, -1)]
  return [inputs, french.map((chosen, place) => filled(rowName, { read: inputs[place]!, chosen }))]
}

/** The maps of all kinds with their means, of arrays without. */
export function stageMaps(
  { english, french, start, rowName, kinds }: Pick<Header, "english" | "french" | "start" | "rowName" | "kinds">,
  arrays: Pick<Arrays, "floats" | "shape">,
): StagePayload["maps"] {
  const [inputs, rows] = decoderSides({ french, start, rowName })
  const axes = {
    encoder: { queries: english, keys: english },
    cross: { queries: rows, keys: english },
    decoder: { queries: rows, keys: inputs },
  }
  const maps = (kind: KindName) => {
    const { layers, heads } = kinds[kind]
    return new KindOfMaps(axes[kind], arrays, kind, [layers.length, heads.length]).maps({})
  }
  return { encoder: maps("encoder"), cross: maps("cross"), decoder: maps("decoder") }
}

/** Layer and head of a kind. */
export interface MapChoice {
  readonly layer: string
  readonly head: string
}

/** The chosen kind. */
export function kindIn({ kind }: Chosen): KindName {
  return KINDS.find((name) => name === kind) ?? "cross"
}

/** The weights of one map of a kind, row by row. */
export function mapOf(payload: StagePayload, kind: KindName, { layer, head }: MapChoice): Float32Array {
  const { layers, heads } = payload.kinds[kind]
  const { shape, weights } = payload.maps[kind]
  const [row, column] = [indexIn(layers, layer), indexIn(heads, head)]
  const cells = shape[2] * shape[3]
  const start = (row * shape[1] + column) * cells
  return weights.subarray(start, start + cells)
}

function indexIn(ids: readonly string[], id: string): number {
  const index = ids.indexOf(id)
  return index < 0 ? ids.indexOf(MEAN) : index
}

/* What pulls change in the payload of the stage, see views/components/stage_changes.py. */

interface Changes {
  readonly of: number // the translation that they belong to
  readonly french: readonly string[]
  readonly places: Readonly<Record<number, SentPlace>> // those that differ
  readonly pulled: Pulled
  readonly decimals: number
}

/** The payload with changes, which are base64; as it is without any, and where they belong to another translation. */
export function withChanges(payload: StagePayload, encoded: string): StagePayload {
  if (!encoded) return payload
  const [changes, arrays] = unpack<Changes>(Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0)))
  if (changes.of !== payload.name) return payload
  const { french, pulled } = changes
  const places = french.map((_, place) => {
    const other = changes.places[place]
    return other ? readPlace(other) : payload.places[place]!
  })
  const header = { ...payload, french, pulled, places, text: pulled.now, drawn: null, decimals: Math.min(payload.decimals, changes.decimals) }
  const lengths = { encoder: payload.english.length, cross: payload.english.length, decoder: french.length }
  const merged = new Map(KINDS.map((kind) => [kind as string, merge(payload, kind, arrays, lengths[kind])]))
  const reader = {
    shape: (name: string) => merged.get(name)!.shape,
    floats: (name: string) => merged.get(name)!.weights,
  }
  return { ...header, maps: stageMaps(header, reader) }
}

/** The weights of a kind without means: rows that changed, and the others as they were. */
function merge({ maps, kinds }: StagePayload, kind: KindName, arrays: Pick<Arrays, "bytes" | "floats" | "shape">, keys: number) {
  const former = maps[kind]
  const [formerQueries, formerKeys] = [former.shape[2], former.shape[3]]
  const queries = arrays.shape(`rows-${kind}`)[1]!
  const changed = arrays.bytes(`rows-${kind}`)
  const sent = arrays.floats(kind)
  const [layers, heads] = [kinds[kind].layers.length - 1, kinds[kind].heads.length - 1]
  const weights = new Float32Array(layers * heads * queries * keys)
  let next = 0
  for (let layer = 0; layer < layers; layer++) {
    for (let query = 0; query < queries; query++) {
      const visible = kind === "decoder" ? Math.min(keys, query + 1) : keys
      for (let head = 0; head < heads; head++) {
        const start = ((layer * (heads + 1) + head) * formerQueries + query) * formerKeys // former maps have means
        const row = changed[layer * queries + query]
          ? sent.subarray(next, (next += visible))
          : former.weights.subarray(start, start + visible)
        weights.set(row, ((layer * heads + head) * queries + query) * keys)
      }
    }
  }
  return { shape: [layers, heads, queries, keys], weights }
}
