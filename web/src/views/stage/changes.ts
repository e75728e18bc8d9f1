/** What pulls change in the payload of the stage, see views/components/stage_changes.py. */

import { unpack, type Arrays } from "../../core/payload"
import { KINDS, readPlace, stageMaps, type KindName, type Pulled, type SentPlace, type StagePayload } from "./payload"

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
