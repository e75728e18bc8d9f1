/** The stage at steps of training: its payload, see views/components/formation_stage.py. */

import { MEAN, type Control } from "../../core/choosing"
import type { Theme } from "../../core/colour"
import { largest } from "../../core/numbers"
import { sizeOf, unpack, type Bytes } from "../../core/payload"
import { sum } from "./arithmetic"
import { KINDS, readPlace, stageMaps, type KindHeader, type KindName, type MapChoice, type SentPlace, type StagePayload, type Words } from "./payload"
import type { HeadNote } from "./rail"

/** The parameter of the address that names the step. */
export const STEP = "training_step"

type TrainingWords = Words &
  Readonly<
    Record<
      | "stepBack" | "stepOn" | "stepSlider" | "stepIs" | "tokenLosses" | "ends" | "endless" | "nothing" | "heldout" | "roleCount"
      | "drawnHead" | "spoken",
      string
    >
  >

interface Role {
  readonly name: string
  readonly mark: string
}

type OfHeads<Each> = Readonly<Record<KindName, readonly (readonly Each[])[]>> // by kind, layer and head

interface SentStep {
  readonly step: number
  readonly places: readonly SentPlace[]
  readonly losses: readonly number[] // of each French token, in nats
  readonly text: string // the translation
  readonly finished: boolean // whether it ended by itself
  readonly labels: OfHeads<string>
  readonly roles: OfHeads<readonly number[]> // indices
  readonly heldout: number
}

interface Header {
  readonly state: string
  readonly theme: Theme
  readonly words: TrainingWords
  readonly controls: readonly Control[]
  readonly english: readonly string[]
  readonly french: readonly string[]
  readonly rowName: string
  readonly start: string
  readonly kinds: Readonly<Record<KindName, KindHeader>>
  readonly roles: readonly Role[]
  readonly steps: readonly SentStep[]
  readonly decimals: number
}

export class Training {
  readonly words: TrainingWords
  readonly steps: readonly SentStep[]
  readonly names: readonly string[] // of the steps, for people
  readonly most: number // the largest loss of a token at any step
  private readonly header: Header
  private readonly sent: Readonly<Record<KindName, { readonly shape: readonly number[]; readonly weights: Float32Array }>>
  private readonly payloads: StagePayload[] = []

  constructor(bytes: Bytes) {
    const [header, arrays] = unpack<Header>(bytes)
    this.header = header
    this.words = header.words
    this.steps = header.steps
    this.names = header.controls.find(({ name }) => name === STEP)?.options.map(([, label]) => label) ?? []
    this.most = largest(header.steps.flatMap(({ losses }) => losses)) || 1
    const read = (kind: KindName) => ({ shape: arrays.shape(kind), weights: arrays.floats(kind) })
    this.sent = { encoder: read("encoder"), cross: read("cross"), decoder: read("decoder") }
  }

  /** The index of a step in the address; the last one if there is none. */
  indexOf(step: string | undefined): number {
    const index = this.steps.findIndex((each) => String(each.step) === step)
    return index < 0 ? this.steps.length - 1 : index
  }

  /** What the stage draws of a step. */
  payload(index: number): StagePayload {
    return (this.payloads[index] ??= this.build(index))
  }

  private build(index: number): StagePayload {
    const { header, sent } = this
    const reader = {
      shape: (kind: string) => sent[kind as KindName].shape.slice(1),
      floats: (kind: string) => {
        const { shape, weights } = sent[kind as KindName]
        const size = sizeOf(shape.slice(1))
        return weights.subarray(index * size, (index + 1) * size)
      },
    }
    const { places, text } = header.steps[index]!
    const unused = { name: 0, limits: { characters: 0, pulls: 0 }, sentence: "", entered: "", examples: [], decoding: { method: "greedy", temperature: 1, seed: 0 } }
    return { ...header, ...unused, text, drawn: null, pulled: null, places: places.map(readPlace), maps: stageMaps(header, reader) }
  }

  /** Mean of the tokens' losses at a step. */
  mean(index: number): number {
    const { losses } = this.steps[index]!
    return sum([...losses]) / losses.length
  }

  /** What a head does at a step; null for a mean. */
  noteOf(index: number, kind: KindName, { layer, head }: MapChoice): HeadNote | null {
    if (layer === MEAN || head === MEAN) return null
    const { labels, roles } = this.steps[index]!
    const [row, column] = [Number(layer) - 1, Number(head) - 1]
    const own = roles[kind][row]?.[column] ?? []
    return { mark: own.map((role) => this.header.roles[role]!.mark).join(""), label: labels[kind][row]?.[column] ?? "" }
  }

  /** Every role, and how many heads have it at a step. */
  counts(index: number): (readonly [Role, number])[] {
    const { roles } = this.steps[index]!
    const all = KINDS.flatMap((kind) => roles[kind].flat(2))
    return this.header.roles.map((role, number) => [role, all.filter((each) => each === number).length] as const)
  }
}
