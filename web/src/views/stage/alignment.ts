/** What the stage draws of a recurrent network's alignment: cross-attention of one map, and no self-attention. */

import type { Theme } from "../../core/colour"
import type { Scene } from "./scene"
import { decoderSides, type FigureWord, type KindHeader, type KindName, type Words } from "./payload"

/** The header of the payload; see views/components/alignment_stage.py. */
export interface AlignmentHeader {
  readonly theme: Theme
  readonly words: Pick<Words, FigureWord | "held" | "freed" | "table">
  readonly title: string
  readonly meaning: string
  readonly english: readonly string[]
  readonly french: readonly string[]
  readonly rowName: string
  readonly start: string
  readonly kinds: Readonly<Record<KindName, Pick<KindHeader, "scales">>>
}

/** The scene of an alignment; `weights` of all places and English tokens, row by row. */
export function alignmentScene({ english, french, start, rowName, words }: AlignmentHeader, weights: Float32Array): Scene {
  const maps = {
    encoder: new Float32Array(english.length ** 2), // no weight, so no arc
    cross: weights,
    decoder: new Float32Array(french.length ** 2),
  }
  const map = (queries: readonly string[], keys: readonly string[], kind: KindName) => {
    return { queries, keys, shape: [1, 1, queries.length, keys.length] as const, weights: maps[kind] }
  }
  const [inputs, rows] = decoderSides({ french, start, rowName })
  const payload = {
    ...{ english, french, start, words, pulled: null, decimals: 3 },
    maps: { encoder: map(english, english, "encoder"), cross: map(rows, english, "cross"), decoder: map(rows, inputs, "decoder") },
  }
  return { payload, kind: "cross", maps }
}
