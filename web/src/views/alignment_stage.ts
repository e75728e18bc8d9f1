/** The alignment of a recurrent network on the stage: ribbons between two sentences, without self-attention and pulls. */

import type { Theme } from "../core/colour"
import { View, mounting } from "../core/component"
import { element, filled, measureTextScale } from "../core/dom"
import { type Bytes, unpack } from "../core/payload"
import { Fold } from "../core/table"
import { buildLiveRegion } from "../core/tooltip"
import { StageFigure, colourKinds } from "./stage/figure"
import { Holding } from "./stage/focusing"
import { PHONE } from "./stage/layout"
import { type FigureWord, type KindHeader, type KindName, type Words, decoderSides } from "./stage/payload"
import { type Focus, describeToken, fillTable } from "./stage/reading"
import type { Scene } from "./stage/scene"
import styles from "./stage/styles"
import { WholeScreen } from "./stage/view"

/* What the stage draws of a recurrent network's alignment: cross-attention of one map, and no self-attention. */

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

class AlignmentStage extends View<Bytes> {
  private readonly title: HTMLElement
  private readonly meaning: HTMLElement
  private readonly main: HTMLElement
  private readonly room: HTMLElement
  private readonly figure: StageFigure
  private readonly holding: Holding
  private readonly table: Fold
  private readonly live: HTMLElement
  private readonly screen: WholeScreen
  private readonly mounted = new AbortController()
  private header: AlignmentHeader | undefined
  private scene: Scene | undefined
  private width = 0

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".stage-root")
    this.main = element("div", "main", this.root)
    const caption = element("div", "caption", this.main)
    this.title = element("strong", "", caption)
    this.meaning = element("span", "meaning", caption)
    this.room = element("div", "room", this.main)
    this.figure = new StageFigure(this.room, {
      point: (focus) => this.holding.point(focus),
      press: (focus) => this.holding.press(focus),
      type: (event, focus) => this.holding.type(event, focus),
      focus: (focus) => this.holding.focus(focus),
      grab: (focus) => this.holding.grab(focus),
    })
    this.holding = new Holding({
      figure: this.figure,
      refresh: () => this.showFocus(),
      announce: (focus) => this.announce(focus),
    })
    this.table = new Fold(this.root, (holder) => fillTable(holder, this.scene ?? null))
    this.live = buildLiveRegion(this.root)
    this.screen = new WholeScreen(this.root, () => this.draw(), this.mounted.signal)
    this.resized = new ResizeObserver(() => {
      if (this.root.clientWidth !== this.width || this.screen.on) this.draw()
    })
    this.resized.observe(this.root)
  }

  override leave(): void {
    super.leave()
    this.mounted.abort()
  }

  show(bytes: Bytes): void {
    if (!this.isNew(bytes)) return
    const [header, arrays] = unpack<AlignmentHeader>(bytes)
    this.header = header
    this.scene = alignmentScene(header, arrays.floats("cross"))
    this.holding.free()
    this.title.textContent = header.title
    this.meaning.textContent = header.meaning
    this.table.title.textContent = filled(header.words.table, { map: header.title })
    this.root.dataset.kind = "cross"
    this.fit([], header.theme)
    colourKinds(this.root, header, this.theme ?? header.theme)
    this.draw()
    this.table.follow()
    this.root.dataset.drawn = `${header.english.join(" ")} / ${header.french.join(" ")}`
  }

  private draw(): void {
    const { scene } = this
    this.width = this.root.clientWidth
    if (!scene || !this.width) return
    const unit = measureTextScale()
    const phone = this.width < PHONE * unit
    this.root.classList.toggle("phone", phone)
    const height = parseFloat(getComputedStyle(this.room).minHeight)
    this.figure.draw(scene, { width: this.main.getBoundingClientRect().width, height, unit, phone })
    this.root.classList.toggle("columns", !this.figure.layout?.rows)
    this.figure.name((focus) => this.describe(scene, focus))
    this.showFocus()
  }

  private describe({ payload, maps }: Scene, focus: Focus): string {
    return describeToken(payload, "cross", maps.cross, focus)
  }

  private showFocus(): void {
    this.figure.show(this.holding.attention)
  }

  private announce(focus: Focus | null): void {
    const { header, scene } = this
    if (!header || !scene) return
    const { held, freed } = header.words
    this.live.textContent = focus ? filled(held, { token: this.describe(scene, focus) }) : freed
  }
}

export default mounting(AlignmentStage, styles)
