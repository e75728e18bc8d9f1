/** The stage at steps of training: its payload, see views/components/formation_stage.py. */

import { type Control, MEAN } from "../../core/choosing"
import type { Theme } from "../../core/colour"
import { button, element, filled, markData, setAttributes } from "../../core/dom"
import { clamp, largest, threeDigits } from "../../core/numbers"
import { type Bytes, sizeOf, unpack } from "../../core/payload"
import {
  KINDS,
  type KindHeader,
  type KindName,
  type MapChoice,
  type SentPlace,
  type StagePayload,
  type Words,
  readPlace,
  stageMaps,
} from "./payload"
import type { HeadNote } from "./rail"
import { type Focus, sum } from "./reading"

/* The buttons and the slider that go through the steps of training, and play them. */

export const PACE = 1200 // milliseconds for a step while it plays

interface TrainingStepsHost {
  /** Shows a step while it plays: nothing is sent. */
  play: (index: number) => void
  /** Shows a step that the user chose, or at which playing ended. */
  choose: (index: number) => void
}

export class TrainingSteps {
  private readonly back: HTMLButtonElement
  private readonly on: HTMLButtonElement
  private readonly toggle: HTMLButtonElement
  private readonly slider: HTMLInputElement
  private readonly output: HTMLOutputElement
  private training: Training | undefined
  private at = 0
  private clock: number | undefined

  constructor(
    parent: ParentNode,
    private readonly host: TrainingStepsHost,
  ) {
    const root = element("div", "training", parent)
    const steps = element("span", "slider steps", root) // whose first two buttons the arrow keys press when presenting
    this.back = button(steps, "\u2190", () => this.choose(this.at - 1))
    this.on = button(steps, "\u2192", () => this.choose(this.at + 1))
    this.toggle = button(steps, "", () => this.switchPlaying())
    const label = element("label", "range", root)
    this.slider = Object.assign(element("input", "", label), { type: "range", min: "0", step: "1" })
    this.slider.oninput = () => this.choose(this.slider.valueAsNumber)
    this.output = element("output", "", label)
  }

  get playing(): boolean {
    return this.clock !== undefined
  }

  /** Shows which step is drawn. */
  show(training: Training, at: number): void {
    this.training = training
    this.at = at
    const { words, names } = training
    const last = names.length - 1
    this.slider.max = String(last)
    this.slider.valueAsNumber = at
    const text = filled(words.stepIs, { step: names[at]!, last: names[last]! })
    this.output.textContent = text
    setAttributes(this.slider, { "aria-label": words.stepSlider, "aria-valuetext": text })
    setAttributes(this.back, { "aria-label": words.stepBack, title: words.stepBack })
    setAttributes(this.on, { "aria-label": words.stepOn, title: words.stepOn })
    this.back.disabled = at === 0
    this.on.disabled = at === last
    this.toggle.textContent = this.playing ? words.pause : words.play
  }

  private get last(): number {
    return (this.training?.names.length ?? 1) - 1
  }

  private choose(at: number): void {
    this.stop()
    this.host.choose(clamp(at, this.last + 1))
  }

  /** Plays from the drawn step, from the first one if that is the last; or pauses. */
  private switchPlaying(): void {
    if (this.playing) return this.choose(this.at)
    this.clock = window.setInterval(() => this.advance(), PACE)
    this.host.play(this.at === this.last ? 0 : this.at)
  }

  private advance(): void {
    if (this.at + 1 >= this.last) this.choose(this.last)
    else this.host.play(this.at + 1)
  }

  /** Ends playing, where the user left the page or did something else. */
  stop(): void {
    window.clearInterval(this.clock)
    this.clock = undefined
  }
}

/* What the stage states of a step of training: the translation, the loss of every token, and what the heads do. */

export class TrainingTexts {
  private readonly translation: HTMLParagraphElement
  private readonly title: HTMLParagraphElement
  private readonly losses: HTMLUListElement
  private readonly heads: HTMLParagraphElement
  private readonly note: HTMLParagraphElement

  constructor(parent: ParentNode) {
    const holder = element("div", "texts", parent)
    this.translation = element("p", "translation", holder)
    this.title = element("p", "losses-title", holder)
    this.losses = element("ul", "losses", holder)
    this.heads = element("p", "roles", holder)
    this.note = element("p", "note", holder)
  }

  /** Shows a step; `drawn` is what the head of the drawn map does, `heads` how many are averaged. */
  show(training: Training, at: number, drawn: HeadNote | null, heads: number): void {
    const { words } = training
    const { text, finished, losses, heldout } = training.steps[at]!
    this.translation.replaceChildren(`${finished ? words.ends : words.endless} `)
    const sentence = element("span", "sentence", this.translation)
    if (text) markData(sentence, "token fr").textContent = text
    else sentence.textContent = words.nothing
    this.title.textContent = filled(words.tokenLosses, { mean: threeDigits(training.mean(at)) })
    const { french } = training.payload(at)
    this.losses.replaceChildren()
    losses.forEach((loss, place) => this.buildLoss(french[place]!, loss, loss / training.most))
    const counts = training.counts(at).map(([{ name }, count]) => filled(words.roleCount, { role: name, count }))
    this.heads.textContent = `${filled(words.heldout, { loss: threeDigits(heldout) })} ${counts.join(", ")}.`
    const own = drawn ? filled(words.drawnHead, { label: drawn.label }) : filled(words.meanOfHeads, { heads })
    this.note.textContent = `${own} ${words.note}`
  }

  private buildLoss(token: string, loss: number, share: number): void {
    const item = element("li", "", this.losses)
    markData(element("span", "name", item), "token fr").textContent = token
    element("span", "share", element("span", "track", item)).style.setProperty("--share", String(share))
    element("span", "number", item).textContent = threeDigits(loss)
  }

  /** Marks the loss of the French token that has the attention. */
  mark(focus: Focus | null): void {
    const place = focus?.side === "french" ? focus.place : -1
    for (const [index, item] of [...this.losses.children].entries()) item.classList.toggle("own", index === place)
  }
}

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
