/** The payload of `picture_stage`: that of a picture, and CLS in every layer; see views/components/picture_stage.py. */

import { mapAt, type Payload, type PictureWords } from "../patch_picture/payload"

export interface StageWords extends PictureWords {
  layers: string // names the list of CLS in every layer
  attends: string
  read: string
  layer: string
  headed: string // in place of it above a class, where no class may be right; empty otherwise
  mean: string
  own: string
  other: string
  note: string
  noteRead: string
  table: string
  allPatches: string
  strongestPatch: string
  itsWeight: string
  readAs: string
  probability: string
}

export interface PictureStagePayload extends Payload {
  readonly words: StageWords
  readonly classes: readonly string[] // their names; empty if CLS is not read
  readonly read: readonly (readonly number[])[] // probabilities of the classes after each layer
}

/** The class that is most probable in a layer, and its probability; null if it is not read there. */
export function readIn({ classes, read }: Pick<PictureStagePayload, "classes" | "read">, layer: number): readonly [string, number] | null {
  const probabilities = read[layer]
  if (!probabilities) return null
  const best = probabilities.indexOf(Math.max(...probabilities))
  return [classes[best]!, probabilities[best]!]
}

/** The weights of CLS as the query in a layer, itself first. */
export function rowIn(payload: PictureStagePayload, layer: number, head: string): Float32Array {
  return mapAt(payload, [layer, Math.max(0, payload.names[1].indexOf(head))])
}
