/** The alignment of a recurrent network on the stage: ribbons between two sentences, without self-attention and pulls. */

import { mounting, View } from "../core/component"
import { arrowStep, element, filled } from "../core/dom"
import { unpack, type Bytes } from "../core/payload"
import { Fold } from "../core/table"
import { buildLiveRegion } from "../core/tooltip"
import { colourKinds } from "./stage/elements"
import { StageFigure } from "./stage/figure"
import type { Scene } from "./stage/scene"
import { alignmentScene, type AlignmentHeader } from "./stage/alignment"
import { PHONE } from "./stage/layout"
import { describeToken, sameFocus, type Focus } from "./stage/reading"
import styles from "./stage/styles"
import { fillTable } from "./stage/table"
import { WholeScreen } from "./stage/whole_screen"

class AlignmentStage extends View<Bytes> {
  private readonly title: HTMLElement
  private readonly meaning: HTMLElement
  private readonly room: HTMLElement
  private readonly figure: StageFigure
  private readonly table: Fold
  private readonly live: HTMLElement
  private readonly screen: WholeScreen
  private readonly mounted = new AbortController()
  private header: AlignmentHeader | undefined
  private scene: Scene | undefined
  private held: Focus | null = null
  private pointed: Focus | null = null
  private focused: Focus | null = null
  private width = 0

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".stage-root")
    const main = element("div", "main", this.root)
    const caption = element("div", "caption", main)
    this.title = element("strong", "", caption)
    this.meaning = element("span", "meaning", caption)
    this.room = element("div", "room", main)
    this.figure = new StageFigure(this.room, {
      point: (focus) => this.point(focus),
      press: (focus) => this.hold(sameFocus(focus, this.held) ? null : focus),
      type: (event, focus) => this.type(event, focus),
      focus: (focus) => {
        this.focused = focus
        this.showFocus()
      },
      grab: (focus) => this.hold(focus),
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
    this.held = this.pointed = null
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
    const unit = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16
    const phone = this.width < PHONE * unit
    this.root.classList.toggle("phone", phone)
    const height = parseFloat(getComputedStyle(this.room).minHeight)
    this.figure.draw(scene, { width: this.room.getBoundingClientRect().width, height, unit, phone })
    this.root.classList.toggle("columns", !this.figure.layout?.rows)
    this.figure.name((focus) => this.describe(scene, focus))
    this.showFocus()
  }

  private describe({ payload, maps }: Scene, focus: Focus): string {
    return describeToken(payload, "cross", maps.cross, focus)
  }

  private showFocus(): void {
    const focus = this.held ?? this.focused ?? this.pointed
    this.figure.show({ focus, held: Boolean(this.held), key: -1, weight: null })
  }

  private point(focus: Focus | null): void {
    if (sameFocus(focus, this.pointed)) return
    this.pointed = focus
    this.showFocus()
  }

  private hold(focus: Focus | null): void {
    const { header, scene } = this
    this.held = focus
    if (!focus) this.pointed = null
    this.showFocus()
    if (!header || !scene) return
    const { held, freed } = header.words
    this.live.textContent = focus ? filled(held, { token: this.describe(scene, focus) }) : freed
  }

  /** Arrow keys move along a sentence, Escape frees the token that is held; Enter presses it by itself. */
  private type(event: KeyboardEvent, focus: Focus): void {
    const step = arrowStep(event.key)
    const along = step ? step[this.figure.layout?.rows ? 1 : 0] : 0
    if (event.key === "Escape" && this.held) this.hold(null)
    else if (along) {
      this.held = null
      this.figure.moveTo({ ...focus, place: focus.place + along })
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
}

export default mounting(AlignmentStage, styles)
